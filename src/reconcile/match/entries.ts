import { canonicalDecimal } from '../../contract/money.js';
import type { WorkFile } from '../../runtime/work-file.js';
import type { ComparedOperation, LedgerLine } from '../line.js';
import { foldReference } from '../../contract/reference.js';

export const WORK_FILE = {
  name: 'work file of the reconciliation',
  schema: `
CREATE TABLE here (row INTEGER PRIMARY KEY, raw TEXT, line INTEGER, id TEXT, reference TEXT, bank_reference TEXT, direction INTEGER,
  sign INTEGER, currency TEXT, amount TEXT, day INTEGER);
CREATE TABLE there (row INTEGER PRIMARY KEY, raw TEXT, status INTEGER, id TEXT, reference TEXT, bank_reference TEXT, direction INTEGER,
  currency TEXT, amount TEXT, day INTEGER);
CREATE TABLE finding (row INTEGER PRIMARY KEY, class INTEGER, by INTEGER, here INTEGER, there INTEGER, tolerances TEXT, more TEXT,
  beside TEXT, suggestion TEXT);
CREATE TABLE contradiction (finding INTEGER, operation INTEGER);
CREATE INDEX contradictions ON contradiction (finding);
CREATE TABLE note (side INTEGER, row INTEGER, here INTEGER, there INTEGER, PRIMARY KEY (side, row)) WITHOUT ROWID;`,
};

/** Among equal operations, the one with the lowest status number is paired first. */
export const [CONFIRMED, UNKNOWN, PENDING, FAILED] = [0, 1, 2, 3] as const;
const STATUSES: Readonly<Record<string, number>> = { confirmed: CONFIRMED, pending: PENDING, failed: FAILED };
export const [PAYIN, PAYOUT, EITHER] = [0, 1, 2] as const;
const DIRECTION_NUMBERS = { payin: PAYIN, payout: PAYOUT };

const ADD_LINE = 'INSERT INTO here VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
const ADD_OPERATION = 'INSERT INTO there VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';

const NAME_MEMBERS = ['id', 'reference', 'bankReference'] as const;
const SHARED_MEMBERS = [...NAME_MEMBERS, 'direction', 'currency', 'amount', 'date'] as const;
const LINE_MEMBERS = ['line', 'isNegative', ...SHARED_MEMBERS] as const;
const OPERATION_MEMBERS = ['status', ...SHARED_MEMBERS] as const;

export function addLine(file: WorkFile, row: number, line: LedgerLine): void {
  const { id, reference, bank_reference } = keysOf(line);
  const { direction, isNegative, currency, amount, date } = line;
  const raw = JSON.stringify(LINE_MEMBERS.map((member) => line[member]));
  file.run(
    ADD_LINE,
    ...[row, raw, line.line, id, reference, bank_reference],
    ...[direction === null ? null : DIRECTION_NUMBERS[direction], isNegative ? 1 : 0, currency],
    ...[canonicalAmount(amount), date === null ? null : dayNumber(date)],
  );
}

export function addOperation(file: WorkFile, row: number, operation: ComparedOperation): void {
  const { id, reference, bank_reference } = keysOf(operation);
  const { direction, status, currency, amount, date } = operation;
  const raw = JSON.stringify(OPERATION_MEMBERS.map((member) => operation[member]));
  file.run(
    ADD_OPERATION,
    ...[row, raw, STATUSES[status] ?? UNKNOWN, id, reference, bank_reference],
    ...[DIRECTION_NUMBERS[direction], currency, amount === null ? null : canonicalAmount(amount)],
    date === null ? null : dayNumber(date),
  );
}

function canonicalAmount(amount: string): string {
  const text = canonicalDecimal(amount);
  if (text === null || text.startsWith('-')) throw new RangeError('an amount is no decimal string');
  return text;
}

export function lineAt(file: WorkFile, row: number): LedgerLine {
  return entryAt(file, 'here', row, LINE_MEMBERS) as unknown as LedgerLine;
}

export function operationAt(file: WorkFile, row: number): ComparedOperation {
  return entryAt(file, 'there', row, OPERATION_MEMBERS) as unknown as ComparedOperation;
}

function entryAt(file: WorkFile, side: 'here' | 'there', row: number, members: readonly string[]): object {
  const [raw] = file.query<[string]>(`SELECT raw FROM ${side} WHERE row = ?`).get(row) ?? [];
  if (raw === undefined) throw new Error('a row of the work file is gone');
  const values = JSON.parse(raw) as readonly unknown[];
  return Object.fromEntries(members.map((member, at) => [member, values[at]]));
}

function keysOf({ id, reference, bankReference }: Pick<LedgerLine, (typeof NAME_MEMBERS)[number]>) {
  return { id: keyOf(id), reference: keyOf(reference), bank_reference: keyOf(bankReference) };
}

function keyOf(text: string | null): string | null {
  const folded = foldReference(text ?? '');
  if (folded === '') return null;
  // SQLite may cut a text at a NUL and treats all lone surrogates as equal, so such a text is stored as JSON. A text
  // that begins with a quote is stored as JSON too, so that the two never look alike.
  return /[\0\p{Cs}]|^"/u.test(folded) ? JSON.stringify(folded) : folded;
}

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function dayNumber(day: string): number {
  const ms = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(ms)) throw new RangeError('a day is not written as YYYY-MM-DD');
  return ms / DAY_MS;
}
