/** CSV output: a list as rows, objects flattened to dotted columns, formulas disarmed, what is invisible escaped. */
import { ECHOED } from '../contract/body-fields.js';
import type { ResultKind } from '../contract/endpoints.js';
import { isDecimal } from '../contract/money.js';
import { disarm, showInvisible } from '../contract/on-screen.js';
import { OPERATION_MEMBERS } from '../contract/operation-members.js';
import { requireList, JsonValue, leavesOf } from './value.js';

/** What some reader or other takes for the end of a line: unquoted, it would split a row, and what follows could be a formula. */
const LINE_END = /[\r\n\v\f\u0085\u2028\u2029]/;

/**
 * A writer for the pages of one list. The columns are the known fields of that kind of result in a fixed
 * order, so that a column does not come and go with the data, then every other field of the first page.
 * @param known the columns of a list that is none of the service's
 */
export async function createCsvWriter(
  kind: ResultKind | null,
  wrapper: string | null,
  known: readonly string[] = kind === null ? [] : (CSV_COLUMNS[kind] ?? []),
): Promise<{
  /**
   * A page of the list as lines; the first with the header line, even where the page is empty.
   * @throws Failure (defect) where the body holds no list
   */
  page(body: Uint8Array): string;
  /** Fields of later pages that the header does not have; for a note, so that nothing goes missing in silence. */
  readonly leftOut: ReadonlySet<string>;
}> {
  const { stringify } = await import('csv-stringify/sync');
  const columns = new Set(known);
  const leftOut = new Set<string>();
  let headed = false;
  const page = (body: Uint8Array): string => {
    const rows = requireList(body, wrapper).map((range) => {
      // Null is an empty cell, and adds no column.
      const leaves = leavesOf(JsonValue.at(body, range)).filter(
        ({ value }) => value.kind !== 'null' && value.raw !== '{}',
      );
      // Text is made safe; a number keeps the digits that the service wrote.
      return new Map(
        leaves.map(({ path, value }) => [
          path === '' ? 'value' : path,
          value.kind === 'number' ? value.raw : safe(value.text),
        ]),
      );
    });
    for (const row of rows)
      for (const path of row.keys()) if (!columns.has(path)) (headed ? leftOut : columns).add(path);
    const names = [...columns];
    const lines = rows.map((row) => names.map((name) => row.get(name) ?? ''));
    if (!headed && names.length > 0) lines.unshift(names.map(safe));
    headed = true;
    return stringify(lines, { record_delimiter: '\n', quoted_match: LINE_END });
  };
  return { page, leftOut };
}

/** A cell that begins with a tab or CR is one for some readers without it. A decimal string is no formula. */
function safe(text: string): string {
  if (isDecimal(text)) return text;
  const shown = disarm(showInvisible(text));
  return /^[\t\r]/.test(shown) ? `'${shown}` : shown;
}

/** What has no label, such as metadata, has the columns that its members need. */
const UNLABELLED = ECHOED.filter(([, { label }]) => label === null).map(([name]): string => name);
const OPERATION = OPERATION_MEMBERS.filter((name) => !UNLABELLED.includes(name)).flatMap((name) =>
  name === 'failure' ? ['failure.code', 'failure.reason', 'failure.message'] : [name],
);

/** The columns that csv output of each kind of list always has, in this order. */
export const CSV_COLUMNS: Readonly<Partial<Record<ResultKind, readonly string[]>>> = {
  methods: [
    'code',
    'name',
    'direction',
    'country',
    'currency',
    'availability',
    'min_amount',
    'max_amount',
    'fields',
    'receiving_account.bank_code',
    'receiving_account.document',
    'receiving_account.holder',
    'receiving_account.account_number',
    'receiving_account.phone',
  ],
  banks: ['code', 'name', 'methods'],
  balances: ['currency', 'available', 'reserved'],
  events: ['id', 'type', 'occurred_at', ...OPERATION.map((name) => `data.${name}`)],
};
