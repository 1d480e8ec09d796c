import type { Column, Cell } from '../output/table.js';
import type { DetailPair } from '../output/detail.js';
import type { Mark, Reader } from '../output/style.js';
import { isTimePath, renderMember, renderTime } from '../output/time.js';
import {
  AMOUNT_COLUMN,
  type Block,
  environmentCell,
  renderBlocks,
  labelFor,
  type ListColumn,
  listTable,
  textAt,
  valueUnder,
} from '../output/views/blocks.js';
import { JsonValue, leavesOf } from '../output/value.js';
import { listRenderer } from '../output/views/own-list.js';

const BATCH_MARKS: Readonly<Record<string, Mark>> = {
  confirmed: 'good',
  pending: 'waiting',
  unknown: 'bad',
  failed: 'bad',
  rejected: 'bad',
  earlier: 'waiting',
  not_sent: 'waiting',
};

const HASH_MEMBER = 'file_sha256';

const BOOLEAN_WORDS: Readonly<Record<string, string>> = { true: 'yes', false: 'no' };

const WORKER_MARKS: Readonly<Record<string, Mark>> = { at_work: 'good', late: 'waiting', lost: 'bad' };

const MEMBERS_SHOWN_ELSEWHERE = new Set(
  'rows totals states pending_reasons skipped_pending resume_command retry_command workers plan'.split(' '),
);

const LEADING_MEMBERS = ['environment', 'address', 'profile', 'batch', 'type', 'file', HASH_MEMBER];

const STORED_STATES: Readonly<
  Record<string, { readonly defaultState: string; readonly states: readonly string[] }>
> = {
  unknown: { defaultState: 'unknown', states: ['unknown', 'needs_review', 'intent'] },
  not_sent: { defaultState: 'planned', states: ['planned', 'unavailable'] },
};

function viewBatch(summary: JsonValue, { zone }: Pick<Reader, 'zone'>): Block[] {
  const { members } = summary;
  const totals = [...(members.get('totals')?.members ?? [])];
  const states = [...new Set(totals.flatMap(([, sums]) => [...sums.members.keys()]))].filter(
    (name) => name !== 'total',
  );
  const columns: Column[] = [
    { header: 'State', whole: true },
    { header: 'Rows', align: 'right', whole: true },
    ...totals.map(([currency]): Column => ({ header: currency, align: 'right', whole: true })),
  ];
  const moneyOf = (name: string): string[] => totals.map(([, sums]) => textAt(sums, name));
  const nonzeroStates = states.filter((name) => textAt(summary, name) !== '0');
  const rows = nonzeroStates.flatMap((name): Cell[][] => {
    const state = { text: name.replaceAll('_', ' '), mark: BATCH_MARKS[name] ?? 'waiting' };
    return [[state, textAt(summary, name), ...moneyOf(name)], ...splitCount(summary, name)];
  });
  const totalRow: Cell[] = ['total', textAt(summary, 'rows'), ...moneyOf('total')].map((text) => ({
    text,
    tone: 'strong',
  }));
  const isShownElsewhere = (name: string): boolean =>
    MEMBERS_SHOWN_ELSEWHERE.has(name) || name.startsWith('problems') || states.includes(name);
  const leaves = [...new Set([...LEADING_MEMBERS, ...members.keys()])].flatMap((name) => {
    const value = members.get(name);
    return value === undefined || isShownElsewhere(name) ? [] : leavesOf(value, name);
  });
  const factPairs = leaves.map(({ path, value }): DetailPair => ({
    label: path === HASH_MEMBER ? 'SHA-256' : labelFor(path),
    value:
      value.kind === 'boolean' ? (BOOLEAN_WORDS[value.text] ?? '') : renderMember(path, value.text, zone),
    whole: isTimePath(path) || path === HASH_MEMBER,
    ...(path === 'batch' || value.text === 'live' ? { tone: 'strong' } : {}),
  }));
  const workers = (members.get('workers')?.elements ?? []).filter(
    (worker) => WORKER_MARKS[textAt(worker, 'state')] !== undefined,
  );
  const resumeCommand = textAt(summary, 'resume_command');
  const skippedPairs = (members.get('skipped_pending')?.elements ?? []).map((payment): DetailPair => {
    const [reference, operation, status] = ['reference', 'operation', 'status'].map((name) =>
      textAt(payment, name),
    );
    return { label: 'Left out', value: `${reference} (operation ${operation}): ${status}` };
  });
  return [
    { block: 'detail', pairs: [...factPairs, ...skippedPairs, ...planPairs(members.get('plan'), zone)] },
    ...(members.has('totals')
      ? [{ block: 'table', columns, rows: [...rows, totalRow], empty: '' } as const]
      : []),
    ...viewProblems(summary),
    ...(workers.length === 0 ? [] : [listTable(workers, WORKER_COLUMNS, '')]),
    ...(resumeCommand === '' ? [] : [{ block: 'command', text: resumeCommand } as const]),
  ];
}

function planPairs(plan: JsonValue | undefined, zone: Reader['zone']): DetailPair[] {
  if (plan === undefined) return [];
  return [
    { label: 'Plan', value: textAt(plan, 'digest'), whole: true },
    { label: 'Valid until', value: renderTime(textAt(plan, 'valid_until'), zone), whole: true },
    { label: 'Made by', value: textAt(plan, 'made_by'), whole: true },
    { label: 'Approved by', value: approversOf(plan) },
  ];
}

function approversOf(plan: JsonValue): string {
  const names = plan.members.get('approved_by')?.elements ?? [];
  return names.length === 0 ? 'nobody' : names.map(({ text }) => text).join(', ');
}

const WORKER_COLUMNS: readonly ListColumn[] = [
  { header: 'Worker', whole: true, content: 'name' },
  {
    ...{ header: 'Standing', whole: true },
    content: (worker) => {
      const state = textAt(worker, 'state');
      return { text: state.replaceAll('_', ' '), mark: WORKER_MARKS[state] };
    },
  },
  { header: 'Rows', align: 'right', whole: true, content: 'rows_in_hand' },
  {
    ...{ header: 'Last seen', align: 'right', whole: true },
    content: (worker) => `${textAt(worker, 'last_seen_s')} s ago`,
  },
];

function splitCount(summary: JsonValue, name: string): Cell[][] {
  const { defaultState, states } = STORED_STATES[name] ?? { defaultState: null, states: [] };
  const reasons = summary.members.get('pending_reasons')?.members ?? new Map<string, JsonValue>();
  const rowCounts =
    name === 'pending'
      ? [...reasons].map(([reason, rows]) => [reason, rows.text] as const)
      : states.map((state) => [state, textAt(summary, 'states', state)] as const);
  const nonzeroCounts = rowCounts.filter(([, rows]) => rows !== '');
  const hasOnlyDefault = nonzeroCounts.length === 1 && nonzeroCounts[0]?.[0] === defaultState;
  return hasOnlyDefault ? [] : nonzeroCounts.map(([text, rows]): Cell[] => [`    ${text}`, rows]);
}

const PROBLEM_COLUMNS: readonly ListColumn[] = [
  { header: 'Line', align: 'right', whole: true, content: 'line' },
  { header: 'Reference', content: 'reference' },
  AMOUNT_COLUMN,
  { header: 'Reason', below: true, content: 'reason' },
  { header: 'What to do', below: true, content: 'advice' },
];

function viewProblems(summary: JsonValue): Block[] {
  const rows = summary.members.get('problems')?.elements ?? [];
  if (rows.length === 0) return [];
  const [hiddenCount, retryCommand] = [textAt(summary, 'problems_left'), textAt(summary, 'retry_command')];
  const moreCommand = textAt(summary, 'problems_command');
  return [
    { block: 'heading', text: 'Failed and rejected rows' },
    listTable(rows, PROBLEM_COLUMNS, ''),
    ...(hiddenCount === ''
      ? []
      : [{ block: 'command', lead: `${hiddenCount} more`, text: moreCommand } as const]),
    {
      block: 'note',
      text: 'Put corrected rows in a new file, with the same references, and send it as a new batch.',
    },
    ...(retryCommand === ''
      ? []
      : [{ block: 'command', lead: 'Retry them as they are', text: retryCommand } as const]),
  ];
}

const ROW_MARKS: typeof BATCH_MARKS = { ...BATCH_MARKS, intent: 'bad', needs_review: 'bad' };

const ROW_WORDS: Readonly<Record<string, string>> = { accepted: 'pending', planned: 'not sent' };

const ROW_COLUMNS: readonly ListColumn[] = [
  { header: 'Line', align: 'right', whole: true, content: 'line' },
  {
    ...{ header: 'State', whole: true },
    content: (row) => {
      const state = textAt(row, 'state');
      const text = valueUnder(ROW_WORDS, state) ?? state.replaceAll('_', ' ');
      return { text, mark: valueUnder(ROW_MARKS, state) ?? 'waiting' };
    },
  },
  { header: 'Reference', content: 'reference' },
  AMOUNT_COLUMN,
  { header: 'Operation', whole: true, below: 'together', content: 'operation_id', isId: true },
  { header: 'Code', below: 'together', content: 'code' },
  { header: 'Detail', below: 'together', content: 'detail' },
  { header: 'Sent', whole: true, optional: true, content: 'sent_at' },
  { header: 'Operation created', whole: true, optional: true, content: 'operation_created_at' },
  { header: 'Key', whole: true, optional: true, content: 'idempotency_key' },
];

const BATCH_COLUMNS: readonly ListColumn[] = [
  { header: 'Env', whole: true, content: environmentCell },
  { header: 'Batch', whole: true, content: (batch) => ({ text: textAt(batch, 'batch'), tone: 'strong' }) },
  { header: 'Rows', align: 'right', whole: true, content: 'rows' },
  ...Object.entries(BATCH_MARKS).map(([name, mark]): ListColumn => ({
    ...{ header: labelFor(name), align: 'right', whole: true },
    content: (batch) => {
      const count = textAt(batch, name);
      return count === '' || count === '0' ? '' : { text: count, mark };
    },
  })),
  { header: 'Created', whole: true, optional: true, content: 'created_at' },
  { header: 'Type', whole: true, optional: true, content: 'type' },
  { header: 'Plan', whole: true, optional: true, content: (batch) => textAt(batch, 'plan', 'digest') },
  {
    ...{ header: 'Approved by', whole: true, optional: true },
    content: ({ members }) => {
      const plan = members.get('plan');
      return plan === undefined ? '' : approversOf(plan);
    },
  },
  { header: 'Address', whole: true, optional: true, content: 'address' },
];

export const renderBatchList = listRenderer({
  batches: (batches, { zone }) => listTable(batches, BATCH_COLUMNS, 'No batches.', zone),
  rows: (rows, { zone }) => listTable(rows, ROW_COLUMNS, 'No rows.', zone),
});

export function renderBatch(body: Uint8Array, reader: Reader): string {
  return renderBlocks(viewBatch(JsonValue.of(body), reader), reader.width, reader.style);
}
