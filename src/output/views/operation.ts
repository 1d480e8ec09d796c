/** Views of operations (contract section 2.1). */
import { ECHOED_FIELDS } from '../../contract/body-fields.js';
import type { DetailPair } from '../detail.js';
import type { Mark, Reader } from '../style.js';
import { isTimePath, renderMember, renderTime } from '../time.js';
import { leavesOf, type JsonValue } from '../value.js';
import { AMOUNT_COLUMN, environmentCell, listTable, moneyOf, textAt, valueUnder } from './blocks.js';
import type { Block, ListColumn, OwnListView } from './blocks.js';
import { failureCodes, failureMessage, statusInWords, reasonCell } from './status.js';

type Labels = Readonly<Record<string, string>>;

const { reference: referenceLabel = '', ...sentLabels } = Object.fromEntries(
  ECHOED_FIELDS.flatMap(([name, { label }]) => (label === null ? [] : [[name, label]])),
) as Labels;
const PAYMENT_LABELS: Labels = {
  type: 'Type',
  method: 'Method',
  country: 'Country',
  ...sentLabels,
  concept: 'Concept',
  bank_reference: 'Bank reference',
  created_by: 'Created by',
};
const TIME_LABELS: Labels = {
  created_at: 'Created',
  code_expires_at: 'Code valid until',
  expires_at: 'Window ends',
  confirmed_at: 'Confirmed',
  updated_at: 'Updated',
};
const METADATA = 'metadata';

export const STATUS_MARKS: Readonly<Record<string, Mark>> = {
  confirmed: 'good',
  failed: 'bad',
  pending: 'waiting',
};

const LEADING_MEMBERS = new Set([
  'id',
  'reference',
  'status',
  'pending_reason',
  'amount',
  'currency',
  'failure',
]);

export function viewOperation(operation: JsonValue, reader: Pick<Reader, 'zone' | 'nowMs'>): Block[] {
  const members = operation.members;
  const makePair = (label: string, path: string, text: string): DetailPair => ({
    label,
    value: renderMember(path, text, reader.zone),
    whole: isTimePath(path),
  });
  const pairsOf = (labels: Labels): DetailPair[] =>
    Object.entries(labels).map(([name, label]) => makePair(label, name, textAt(operation, name)));
  const isLabelled = (name: string): boolean => Object.hasOwn({ ...PAYMENT_LABELS, ...TIME_LABELS }, name);
  const otherLeaves = [...members]
    .filter(([name]) => !LEADING_MEMBERS.has(name) && !isLabelled(name))
    .flatMap(([name, value]) => leavesOf(value, name))
    .filter(({ value }) => value.raw !== '{}');
  const msOf = (name: string): number => {
    const ms = Date.parse(textAt(operation, name));
    return Number.isNaN(ms) ? Number.MAX_SAFE_INTEGER : ms;
  };
  const timeLabels = Object.fromEntries(Object.entries(TIME_LABELS).sort(([a], [b]) => msOf(a) - msOf(b)));
  const prefix = `${METADATA}.`;
  const [metadataPairs, otherPairs] = [true, false].map((isMetadata) =>
    otherLeaves
      .filter(({ path }) => path.startsWith(prefix) === isMetadata)
      .map(({ path, value }) => makePair(isMetadata ? path.slice(prefix.length) : path, path, value.text)),
  ) as [DetailPair[], DetailPair[]];
  return [
    { block: 'detail', pairs: leadingPairs(operation, reader) },
    {
      block: 'sections',
      sections: [
        { title: 'Payment', pairs: pairsOf(PAYMENT_LABELS) },
        { title: 'Times', pairs: pairsOf(timeLabels) },
        { title: 'Metadata', pairs: metadataPairs },
        { title: 'Other', pairs: otherPairs },
      ],
    },
  ];
}

function failurePairs(failure: JsonValue): DetailPair[] {
  if (failure.kind !== 'object') return [{ label: 'Failure', value: failure.text }];
  const message = { label: 'Message', value: failureMessage(failure) };
  return [{ label: 'Failure', value: failureCodes(failure) }, message];
}

export function leadingPairs(operation: JsonValue, reader: Pick<Reader, 'zone' | 'nowMs'>): DetailPair[] {
  const status = textAt(operation, 'status');
  const failure = operation.members.get('failure');
  return [
    { label: 'Id', value: textAt(operation, 'id'), whole: true },
    { label: referenceLabel, value: textAt(operation, 'reference') },
    { label: 'Status', value: statusInWords(operation, reader), mark: valueUnder(STATUS_MARKS, status) },
    ...(failure === undefined ? [] : failurePairs(failure)),
    { ...{ label: 'Amount', value: moneyOf(operation) }, whole: true, tone: 'strong' },
  ];
}

const OPERATION_COLUMNS: readonly ListColumn[] = [
  { header: 'Env', whole: true, content: environmentCell },
  {
    ...{ header: 'At', whole: true },
    content: (operation, zone) => {
      const times = ['occurred_at', 'confirmed_at', 'created_at'].map((name) => textAt(operation, name));
      return renderTime(times.find((time) => time !== '') ?? '', zone);
    },
  },
  { header: 'Type', whole: true, below: 'together', content: 'type' },
  {
    ...{ header: 'Status', whole: true },
    content: (operation) => {
      const status = textAt(operation, 'status');
      return { text: status, mark: valueUnder(STATUS_MARKS, status) };
    },
  },
  AMOUNT_COLUMN,
  { header: 'Id', whole: true, below: 'together', content: 'id', isId: true },
  { header: 'Reference', below: 'together', content: 'reference' },
  {
    ...{ header: 'Why', below: 'together' },
    content: (operation) => reasonCell(textAt(operation, 'code'), textAt(operation, 'failure_reason')),
  },
  { header: 'Learned from', below: 'together', content: sourceText },
  { header: 'Bank reference', below: 'together', content: 'bank_reference' },
  { header: 'Method', whole: true, optional: true, content: 'method' },
  { header: 'Key', whole: true, optional: true, content: 'idempotency_key' },
];

export const viewOperations: OwnListView = (operations, { zone }) =>
  listTable(operations, OPERATION_COLUMNS, 'No operations.', zone);

function sourceText(operation: JsonValue): string {
  const [source, batch, line, key] = ['source', 'batch', 'line', 'idempotency_key'].map((name) =>
    textAt(operation, name),
  ) as [string, string, string, string];
  const makerText = batch !== '' ? `batch ${batch} line ${line}` : key !== '' ? 'a create' : '';
  const sourceName = source === 'feed' ? 'events' : source === 'service' ? 'the service' : '';
  return [sourceName, makerText].filter((text) => text !== '').join(', ');
}
