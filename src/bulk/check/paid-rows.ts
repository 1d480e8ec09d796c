/** The rows that were paid already: collected, counted, in words, and in the next command. */
import { counted } from '../../contract/on-screen.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { type KnownPayment, RECORDED } from './payments.js';
import { sumDecimals } from '../../contract/money.js';

/** How the command line that was typed goes on. Each is a line that can be pasted. */
export interface WaysOn {
  /**
   * The same command line with these words more; null where the command has no such flags.
   * @param left what would be sent then, whose total it confirms; null where nobody knows
   */
  readonly again: (words: readonly string[], left: LeftTotals | null) => string | null;
  readonly resume: (batch: string, words?: readonly string[]) => string;
  readonly repeat: (key: string) => string;
  /** Reads an operation as it is now. */
  readonly look: (operation: string) => string;
  /** The line that lists the events where this goes, in quotes. */
  readonly events: string;
  /** True for a live file: a command that would pay nothing is not printed. A stored batch also settles its paid rows. */
  readonly onlyPays: boolean;
  /** Empties the sandbox; null where there is none. */
  readonly reset: string | null;
}

interface PaidRow extends RowMoney {
  readonly line: number;
  readonly reference: string;
  readonly payments: readonly KnownPayment[];
}

const SHOWN = 20;
/** What is younger was most likely paid by the same payroll; what is older by the one before. */
const YOUNG_MS = 5 * 24 * 3_600_000;

export class PaidRows {
  readonly #first: PaidRow[] = [];
  readonly #nowMs: number;
  #count = 0;
  #open: KnownPayment | null = null;
  #young = 0;
  /** Young ones that no flag skips: another amount, or several. */
  #stubborn = 0;
  /** Those of which a payment is pending, so that nobody can say that it was paid. */
  #pending = 0;
  /** Old ones that no flag skips. */
  #oldStubborn = 0;
  readonly #youngMoney = new Map<string, MoneySum>();
  readonly #oldMoney = new Map<string, MoneySum>();
  /** Rows whose payment before them is not final. */
  readonly #waiting: PaidRow[] = [];
  #waitingCount = 0;
  #newestMs = -Infinity;
  #newestOldMs = -Infinity;

  /** @param nowMs the service's time */
  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /** Nothing may leave where this is not 0. */
  get count(): number {
    return this.#count + this.#waitingCount;
  }

  /** @param payment the one that the row would follow */
  addWaiting(row: Omit<PaidRow, 'payments'>, payment: KnownPayment): void {
    this.#waitingCount += 1;
    if (this.#waiting.length < SHOWN) this.#waiting.push({ ...row, payments: [payment] });
  }

  add(row: PaidRow, isSkippable: boolean): void {
    this.#count += 1;
    if (this.#first.length < SHOWN) this.#first.push(row);
    if (row.payments.some(isPending)) this.#pending += 1;
    const open = row.payments.filter(({ operation }) => operation === null);
    // What can be repeated comes first: the other one takes a person.
    const first = open.find((one) => !isForgotten(one)) ?? open[0] ?? null;
    if (this.#open === null || (first !== null && isForgotten(this.#open))) this.#open = first;
    // What nobody dates may have been made just now.
    const newestMs = Math.max(...row.payments.map(({ atMs }) => atMs ?? this.#nowMs));
    this.#newestMs = Math.max(this.#newestMs, newestMs);
    if (this.#nowMs - newestMs >= YOUNG_MS) {
      this.#newestOldMs = Math.max(this.#newestOldMs, newestMs);
      addToLeft(this.#oldMoney, row);
      if (!isSkippable) this.#oldStubborn += 1;
      return;
    }
    addToLeft(this.#youngMoney, row);
    this.#young += 1;
    if (!isSkippable) this.#stubborn += 1;
  }

  /**
   * @param all what is about to leave, these rows among it; null where nobody knows
   * @throws Failure `unsafe` that names the rows and the one line that leads on
   */
  throwIfAny(ways: WaysOn, all: LeftTotals | null): void {
    if (this.#count === 0) {
      this.#throwIfWaiting(ways);
      return;
    }
    const { text, command } = this.#wayOn(ways, all);
    const lines = itemsOf(this.#first, this.#count);
    const head = `${this.#headText()} Nothing was sent.`;
    const reset = ways.reset === null ? [] : [`To empty the sandbox: ${ways.reset}`];
    throw new Failure('unsafe', head, {
      items: lines,
      advice: [...(text === '' ? [] : [text]), ...reset],
      code: 'references_paid',
      outcome: 'not_sent',
      nextCommand: command ?? undefined,
    });
  }

  /** @throws Failure `unsafe` (`reference_pending`) */
  #throwIfWaiting(ways: WaysOn): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const rows = counted(this.#waitingCount, 'row');
    throw new Failure(
      'unsafe',
      `The payment before this one is not final for ${rows}: a new payment can only follow one that is. Nothing was sent. Run this again ` +
        'when it is final.',
      {
        items: itemsOf(this.#waiting, this.#waitingCount),
        code: 'reference_pending',
        outcome: 'not_sent',
        retryable: true,
        nextCommand: ways.look(first.payments[0]?.operation ?? ''),
      },
    );
  }

  #headText(): string {
    const [rows, isOne] = [`${counted(this.#count, 'row')} of this batch`, this.#count === 1];
    if (this.#pending === this.#count)
      return `${rows} ${isOne ? 'has a pending payment' : 'have pending payments'} already.`;
    return `${rows} ${isOne ? 'was' : 'were'} paid already, or may have been.`;
  }

  #wayOn(ways: WaysOn, all: LeftTotals | null): WayOn {
    const open = this.#open;
    if (open !== null) return wayWithOpen(open, ways, all);
    if (this.#stubborn > 0) return stubbornWay(this.#stubborn);
    const madeAt = `${isoSeconds(this.#newestMs)} (${agoText(this.#nowMs - this.#newestMs)})`;
    const when = this.#pending === 0 ? `paid ${madeAt}` : `made ${madeAt}, and ${pendingText(this.#pending)}`;
    const old = this.#count - this.#young;
    if (old === 0) return this.#skipping(when, ways, all);
    const since = ['--new-since', isoSeconds(this.#newestOldMs + 1000)];
    const left = withoutMoney(all, this.#youngMoney);
    const command = ways.again(this.#young === 0 ? since : ['--skip-paid', ...since], left);
    if (command === null)
      return this.#oldStubborn > 0 ? stubbornWay(this.#oldStubborn) : this.#skipping(when, ways, all);
    return this.#young === 0
      ? { text: `The last one was ${when}. To pay them again: ${command}`, command }
      : {
          text:
            `${this.#young} of these were ${this.#pending === 0 ? 'paid' : 'made'} within the last 5 days, the last one ${when}; ${old} before that. ` +
            `To skip the newer ones and pay the others again: ${command}`,
          command,
        };
  }

  /** All of these are left out. */
  #skipping(when: string, ways: WaysOn, all: LeftTotals | null): WayOn {
    const left = withoutMoney(withoutMoney(all, this.#youngMoney), this.#oldMoney);
    const isNothing = left?.size === 0 && this.#pending === 0;
    if (isNothing && ways.onlyPays)
      return { text: `The last one was ${when}. Nothing is left to pay.`, command: null };
    const others =
      this.#pending === 0
        ? 'To pay only the others'
        : 'To pay only the others, and wait for the pending ones';
    const command = ways.again(['--skip-paid'], left);
    return { text: `The last one was ${when}. ${others}: ${command ?? ''}`, command };
  }
}

function itemsOf(first: readonly PaidRow[], count: number): string[] {
  const lines = first.map(
    ({ line, reference, payments }) => `line ${line}: ${reference}: ${payments.map(paymentText).join('; ')}`,
  );
  const more = count - first.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

interface WayOn {
  readonly text: string;
  readonly command: string | null;
}

function stubbornWay(count: number): WayOn {
  const text =
    `${counted(count, 'row')} cannot be skipped: another amount was paid, or it was paid more than once, or perhaps by another company. Remove these ` +
    'lines from the file, or correct their amounts.';
  return { text, command: null };
}

function isForgotten({ source }: KnownPayment): boolean {
  return source.kind === 'request' && source.isForgotten === true;
}

function wayWithOpen({ source, status }: KnownPayment, ways: WaysOn, all: LeftTotals | null): WayOn {
  if (source.kind === 'batch') {
    const command = ways.resume(source.batch);
    return { text: `Finish batch ${source.batch} first: ${command}`, command };
  }
  if (status === RECORDED) {
    const command = ways.again([], all);
    return {
      text: `Another command is about to send one of these. Try again in a moment: ${command ?? ''}`,
      command,
    };
  }
  if (source.kind === 'request' && source.isForgotten === true) {
    const text =
      `This machine forgot the request ${source.key}, and its outcome is unknown. Look for its reference in ${ways.events}. ` +
      'It cannot be repeated. Remove its line from the file. If it was not paid, or you mean another payment, create that one alone ' +
      `with --new-payment ${source.key}.`;
    return { text, command: null };
  }
  if (source.kind === 'request') {
    const command = ways.repeat(source.key);
    return { text: `Settle the request ${source.key} first: ${command}`, command };
  }
  return { text: '', command: null };
}

/** True for one that nobody can call paid yet, and that did not fail either. */
function isPending({ operation, status }: KnownPayment): boolean {
  return operation !== null && status !== 'confirmed';
}

function pendingText(count: number): string {
  return count === 1 ? '1 is pending' : `${count} are pending`;
}

/** A payment with all that is known of it, on one line. */
function paymentText({
  operation,
  status,
  amount = '?',
  currency = '?',
  atMs,
  source,
}: KnownPayment): string {
  const where = whereText(source);
  if (status === 'planned' || status === RECORDED) return `about to be sent${where}`;
  const when = atMs === null ? '' : isoSeconds(atMs);
  if (operation === null) return `sent${when === '' ? '' : ` on ${when}`}${where}, outcome unknown`;
  return `${operation}, ${amount} ${currency}, ${status}${when === '' ? '' : ` ${status === 'pending' ? 'since' : 'on'} ${when}`}${where}`;
}

function whereText(source: KnownPayment['source']): string {
  switch (source.kind) {
    case 'feed':
      return '';
    case 'batch':
      return ` (batch ${source.batch}, line ${source.line})`;
    case 'request':
      return ` (request ${source.key})`;
  }
}

/** About how long ago, in one unit. */
export function agoText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return hours === 1 ? 'an hour ago' : `${hours} hours ago`;
  return `${Math.floor(hours / 24)} days ago`;
}

/** Of one row. */
interface RowMoney {
  readonly currency: string;
  /** A decimal string. */
  readonly amount: string;
}

interface MoneySum {
  readonly rows: number;
  /** A decimal string. */
  readonly total: string;
}

/** Rows and exact money by currency. */
export type LeftTotals = ReadonlyMap<string, MoneySum>;

function addToLeft(sums: Map<string, MoneySum>, { currency, amount }: RowMoney): void {
  const { rows, total } = sums.get(currency) ?? { rows: 0, total: '0' };
  sums.set(currency, { rows: rows + 1, total: sumDecimals([total, amount]) });
}

/** A currency without rows is left out. Null where nobody knows all of it. */
function withoutMoney(all: LeftTotals | null, money: ReadonlyMap<string, MoneySum>): LeftTotals | null {
  if (all === null) return null;
  const left = [...all].flatMap(([currency, { rows, total }]) => {
    const mine = money.get(currency) ?? { rows: 0, total: '0' };
    const rest = { rows: rows - mine.rows, total: sumDecimals([total, `-${mine.total}`]) };
    return rest.rows === 0 ? [] : [[currency, rest] as const];
  });
  return new Map(left);
}
