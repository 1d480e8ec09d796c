import { ECHOED_FIELDS } from '../contract/body-fields.js';
import type { ResultKind } from '../contract/endpoints.js';
import { isDecimal } from '../contract/money.js';
import { disarm, showInvisible } from '../contract/on-screen.js';
import { OPERATION_MEMBERS } from '../contract/operation-members.js';
import { requireList, JsonValue, leavesOf } from './value.js';

/** Some programs take these characters for a line end, so a cell with one of them is quoted. */
const LINE_END = /[\r\n\v\f\u0085\u2028\u2029]/;

export async function createCsvWriter(
  kind: ResultKind | null,
  wrapper: string | null,
  fixedColumns: readonly string[] = kind === null ? [] : (CSV_COLUMNS[kind] ?? []),
): Promise<{
  page(body: Uint8Array): string;
  readonly omittedFields: ReadonlySet<string>;
}> {
  const { stringify } = await import('csv-stringify/sync');
  const columns = new Set(fixedColumns);
  const omittedFields = new Set<string>();
  let hasHeader = false;
  const page = (body: Uint8Array): string => {
    const rows = requireList(body, wrapper).map((range) => {
      const leaves = leavesOf(JsonValue.at(body, range));
      const filledLeaves = leaves.filter(({ value }) => value.kind !== 'null' && value.raw !== '{}');
      const textOf = (value: JsonValue): string =>
        value.kind === 'number' ? value.raw : safeCell(value.text);
      return new Map(filledLeaves.map(({ path, value }) => [path === '' ? 'value' : path, textOf(value)]));
    });
    for (const row of rows)
      for (const path of row.keys()) if (!columns.has(path)) (hasHeader ? omittedFields : columns).add(path);
    const names = [...columns];
    const lines = rows.map((row) => names.map((name) => row.get(name) ?? ''));
    if (!hasHeader && names.length > 0) lines.unshift(names.map(safeCell));
    hasHeader = true;
    return stringify(lines, { record_delimiter: '\n', quoted_match: LINE_END });
  };
  return { page, omittedFields };
}

/** Puts an apostrophe before a tab or CR too, because some programs skip these and run the formula behind them. */
function safeCell(text: string): string {
  if (isDecimal(text)) return text;
  const safeText = disarm(showInvisible(text));
  return /^[\t\r]/.test(safeText) ? `'${safeText}` : safeText;
}

const UNLABELLED_MEMBERS = ECHOED_FIELDS.filter(([, { label }]) => label === null).map(
  ([name]): string => name,
);
const OPERATION_COLUMNS = OPERATION_MEMBERS.filter((name) => !UNLABELLED_MEMBERS.includes(name)).flatMap(
  (name) => (name === 'failure' ? ['failure.code', 'failure.reason', 'failure.message'] : [name]),
);

const ACCOUNT_MEMBERS = ['bank_code', 'document', 'holder', 'account_number', 'phone'];

export const CSV_COLUMNS: Readonly<Partial<Record<ResultKind, readonly string[]>>> = {
  methods: [
    ...[
      'code',
      'name',
      'direction',
      'country',
      'currency',
      'availability',
      'min_amount',
      'max_amount',
      'fields',
    ],
    ...ACCOUNT_MEMBERS.map((name) => `receiving_account.${name}`),
  ],
  banks: ['code', 'name', 'methods'],
  balances: ['currency', 'available', 'reserved'],
  events: ['id', 'type', 'occurred_at', ...OPERATION_COLUMNS.map((name) => `data.${name}`)],
};
