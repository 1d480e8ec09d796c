import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { byteOrderMarkLength, decodeUtf8, jsonIn } from '../../../contract/json.js';
import { fromMinor, toMinor } from '../../../contract/money.js';
import { counted, withoutJoiners } from '../../../contract/on-screen.js';
import { foldReference, referenceProblem } from '../../../contract/reference.js';
import { TextTable } from '../text-table.js';
import { damaged, type PlanHead, readHead, UNSEEN } from './format.js';
import { isObject } from '../../../contract/shape.js';

const BODY_MAX_BYTES = 64 * 1024;
const HEAD_MAX_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export async function readPlan(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onRow: (row: PlanRow) => void = () => undefined,
) {
  const hash = createHash('sha256');
  const count = new PlanCount();
  let head: PlanHead | null = null;
  let line = 0;
  for await (const bytes of linesOf(chunks, hash)) {
    line += 1;
    if (line === 1 && byteOrderMarkLength(bytes) > 0) damaged('begins with a byte order mark');
    if (bytes.includes(CARRIAGE_RETURN))
      damaged(
        'has other line ends than svc wrote (CRLF): mail and some editors change them. Send it as an archive',
      );
    if (!isUtf8(bytes)) damaged('is not UTF-8', line);
    if (head === null) {
      head = readHead(decodeUtf8(bytes));
      count.noteSkipped(head);
      continue;
    }
    const row = readPlanRow(decodeUtf8(bytes), line - 2);
    count.add(row);
    onRow(row);
  }
  if (head === null) damaged('is empty');
  if (count.rows !== head.rows)
    damaged(`says that it has ${counted(head.rows, 'row')}, but it has ${count.rows}`);
  if (JSON.stringify(count.head(head).totals) !== JSON.stringify(head.totals))
    damaged('says other totals than its rows add up to');
  return { head, digest: hash.digest('hex'), rows: count.rows };
}

export type ReadPlan = Awaited<ReturnType<typeof readPlan>>;

async function* linesOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  hash: { update(bytes: Uint8Array): unknown },
): AsyncGenerator<Uint8Array, void, void> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  let line = 1;
  for await (const chunk of chunks) {
    hash.update(chunk);
    const isTooLong = (bytes: number): boolean => bytes > (line === 1 ? HEAD_MAX_BYTES : BODY_MAX_BYTES);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, end);
      if (isTooLong(length + piece.length)) damaged('is too long', line);
      yield length === 0 ? piece : Buffer.concat([...pieces, piece]);
      pieces = [];
      length = 0;
      start = end + 1;
      line += 1;
    }
    if (start === chunk.length) continue;
    // Copies the rest, because the reader of the file may reuse the memory of `chunk`.
    pieces.push(Uint8Array.from(chunk.subarray(start)));
    length += chunk.length - start;
    if (isTooLong(length)) damaged('is too long', line);
  }
  if (length > 0) damaged('is cut off: its end is missing');
}

export type PlanFacts = Omit<PlanHead, 'svc_plan' | 'rows' | 'totals'>;

export class PlanCount {
  rows = 0;
  #skippedCount = 0;
  readonly #references = new TextTable();
  readonly #sums = new Map<string, { rows: number; minor: bigint; readonly decimals: number }>();

  noteSkipped({ skipped_pending: skipped = [] }: PlanHead): void {
    for (const [at, { reference }] of skipped.entries())
      if (this.#references.add(foldReference(reference)) !== at) damaged('names a reference twice', 1);
    this.#skippedCount = skipped.length;
  }

  add({ number, folded, currency, decimals, minor }: PlanRow): void {
    if (this.#references.add(folded) !== this.rows + this.#skippedCount)
      damaged('has a reference that is that of another line', number + 2);
    const sum = this.#sums.get(currency) ?? { rows: 0, minor: 0n, decimals };
    if (sum.decimals !== decimals) damaged('has an amount with other decimals than the rest', number + 2);
    sum.rows += 1;
    sum.minor += minor;
    this.#sums.set(currency, sum);
    this.rows += 1;
  }

  head(facts: PlanFacts): PlanHead {
    const totals = [...this.#sums]
      .map(([currency, { rows, minor, decimals }]) => ({ currency, rows, total: fromMinor(minor, decimals) }))
      .sort((one, other) => (one.currency < other.currency ? -1 : 1));
    return { svc_plan: 1, ...facts, rows: this.rows, totals };
  }
}

export type PlanRow = ReturnType<typeof readPlanRow>;

const PLAN_AMOUNT = /^(?:0|[1-9][0-9]{0,17})(?:[.]([0-9]{1,18}))?$/;
const AMOUNT_DIGITS_MAX = 18;
const PLAIN_LINE = /^[\x20-\x5b\x5d-\x7e]*$/;

export function readPlanRow(line: string, number: number) {
  const at = number + 2;
  const body = jsonIn(line);
  if (!isObject(body)) damaged('is not a JSON object', at);
  if (lineOf(body) !== line) damaged('is not in its one spelling', at);
  const unseenIn = PLAIN_LINE.test(line) ? null : memberWithUnseen(body);
  if (unseenIn !== null) damaged(`has a character in ${JSON.stringify(unseenIn)} that nobody sees`, at);
  const requireText = (name: string): string => {
    const value = body[name];
    return typeof value === 'string' && value !== '' ? value : damaged(`has no ${name}`, at);
  };
  const [reference, amount] = [requireText('reference'), requireText('amount')];
  requireText('method');
  requireText('country');
  const currency = requireText('currency').toUpperCase();
  if (!/^[A-Z]{3}$/.test(currency)) damaged('has no good currency', at);
  const folded = foldReference(reference);
  if (referenceProblem(reference) !== null || folded === '') damaged('has no good reference', at);
  const decimals = PLAN_AMOUNT.exec(amount)?.[1]?.length ?? 0;
  const minor = PLAN_AMOUNT.test(amount) ? toMinor(amount, decimals) : null;
  if (minor === null || minor <= 0n || String(minor).length > AMOUNT_DIGITS_MAX)
    damaged('has no good amount', at);
  return { number, line, body, reference, folded, amount, decimals, minor, currency };
}

function lineOf(body: object): string | null {
  try {
    return JSON.stringify(body);
  } catch {
    return null;
  }
}

function memberWithUnseen(body: Readonly<Record<string, unknown>>): string | null {
  for (const [name, value] of Object.entries(body)) {
    if (UNSEEN.test(name)) return '';
    const queue: [path: string, value: unknown][] = [[name, value]];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const [path, one] = next;
      const mayHaveJoiners = path.endsWith('.name') || path.startsWith('metadata.');
      if (typeof one === 'string' && UNSEEN.test(mayHaveJoiners ? withoutJoiners(one) : one)) return name;
      if (typeof one === 'object' && one !== null)
        for (const [innerName, innerValue] of Object.entries(one))
          queue.push([`${path}.${innerName}`, innerName], [`${path}.${innerName}`, innerValue]);
    }
  }
  return null;
}
