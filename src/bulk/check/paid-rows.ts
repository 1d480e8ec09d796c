/** Collects rows that were paid already, and reports them with the next command. */
import { counted } from '../../contract/on-screen.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { type KnownPayment, RECORDED } from './payments.js';
import { sumDecimals } from '../../contract/money.js';

/** The command lines that a refusal proposes, ready to paste. */
export interface NextCommands {
  /** Adds words to this command line; null if the command has no such flags. @param totals what the line confirms; null if not known */
  readonly again: (words: readonly string[], totals: TotalsToSend | null) => string | null;
  /** True if the command has `--new-since`. */
  readonly takesSince: boolean;
  readonly resume: (batch: string, words?: readonly string[]) => string;
  readonly repeat: (key: string) => string;
  /** Records the outcome of a create, with `ID` for the operation. */
  readonly resolve: (key: string) => string;
  /** Reads an operation's present state. */
  readonly look: (operation: string) => string;
  /** Lists the payments of a reference. */
  readonly list: (reference: string) => string;
  /** Lists the unpaid rows, then drops the rows that never left. Absent if the command reads a file. */
  readonly rest?: readonly string[];
  /** Empties the sandbox; null for live. */
  readonly reset: string | null;
}

interface PaidRow {
  readonly line: number;
  readonly reference: string;
  readonly currency: string;
  /** A decimal string. */
  readonly amount: string;
  readonly payments: readonly KnownPayment[];
}

const SHOWN = 20;

export class PaidRows {
  readonly #first: PaidRow[] = [];
  readonly #nowMs: number;
  readonly #money = new Map<string, MoneySum>();
  #count = 0;
  #open: { readonly reference: string; readonly payment: KnownPayment } | null = null;
  /** The first row that no flag can skip, and the number of such rows. */
  #unskippable: PaidRow | null = null;
  #unskippableCount = 0;
  /** The number of rows with a pending payment, which cannot be called paid. */
  #pending = 0;
  /** Rows that must wait until the payment before them is final. */
  readonly #waiting: PaidRow[] = [];
  #waitingCount = 0;
  #newestMs = -Infinity;
  #isUndated = false;

  /** @param nowMs the service's time */
  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /** If this is not 0, nothing may leave. */
  get count(): number {
    return this.#count + this.#waitingCount;
  }

  /** Adds a row that must wait. @param payment the payment that the row would follow */
  addWaiting(row: Omit<PaidRow, 'payments'>, payment: KnownPayment): void {
    this.#waitingCount += 1;
    if (this.#waiting.length < SHOWN) this.#waiting.push({ ...row, payments: [payment] });
  }

  add(row: PaidRow, isSkippable: boolean): void {
    this.#count += 1;
    if (this.#first.length < SHOWN) this.#first.push(row);
    if (row.payments.some(({ operation, status }) => operation !== null && status !== 'confirmed'))
      this.#pending += 1;
    const open = row.payments.filter(({ operation }) => operation === null);
    // A request that can be repeated comes first, because a request without its bytes needs a person.
    const first = open.find((one) => !isForgotten(one)) ?? open[0];
    if (first !== undefined && (this.#open === null || isForgotten(this.#open.payment)))
      this.#open = { reference: row.reference, payment: first };
    // A payment without a time may have been made at this moment.
    for (const { atMs } of row.payments) {
      this.#isUndated ||= atMs === null;
      this.#newestMs = Math.max(this.#newestMs, atMs ?? this.#nowMs);
    }
    const { rows, total } = this.#money.get(row.currency) ?? { rows: 0, total: '0' };
    this.#money.set(row.currency, { rows: rows + 1, total: sumDecimals([total, row.amount]) });
    if (isSkippable) return;
    this.#unskippable ??= row;
    this.#unskippableCount += 1;
  }

  /**
   * @param all the totals of everything that is about to leave, with these rows; null if not known
   * @throws Failure `unsafe` with the rows and the one line to go on with
   */
  throwIfAny(ways: NextCommands, all: TotalsToSend | null): void {
    if (this.#count === 0) {
      this.#throwIfWaiting(ways);
      return;
    }
    const { text, command } = this.#nextStep(ways, all);
    const reset = ways.reset === null ? [] : [`To empty the sandbox: ${ways.reset}`];
    const another = this.#anotherPayment(ways, all);
    throw new Failure('unsafe', `${this.#headText()} Nothing was sent.`, {
      items: itemsOf(this.#first, this.#count),
      advice: [...text.split('\n'), ...reset],
      code: 'references_paid',
      outcome: 'not_sent',
      nextCommand: command,
      ...(another === null ? {} : { otherCommand: { when: 'If you mean another payment', line: another } }),
    });
  }

  /** @throws Failure `unsafe` (`reference_pending`) */
  #throwIfWaiting(ways: NextCommands): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const rows = counted(this.#waitingCount, 'row');
    const source = first.payments[0]?.source;
    throw new Failure(
      'unsafe',
      `The payment before this one is not final for ${rows}: a new payment can only follow one that is. Nothing was sent. Run this again ` +
        'when it is final.',
      {
        items: itemsOf(this.#waiting, this.#waitingCount),
        ...(source?.kind === 'batch' && {
          advice: [`To follow it: ${ways.resume(source.batch, ['--wait'])}`],
        }),
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

  /** Proposes the next command. None of the proposed lines pays a row twice. */
  #nextStep(ways: NextCommands, all: TotalsToSend | null) {
    if (this.#open !== null) return settleFirst(this.#open.payment, this.#open.reference, ways, all);
    const remaining = subtractMoney(all, this.#money);
    const skipping = this.#unskippable === null ? ways.again(['--skip-paid'], remaining) : null;
    if (skipping === null) {
      const paid = ways.list((this.#unskippable ?? this.#first[0])?.reference ?? '');
      const text = `${this.#unskippableText(ways)}To see what was paid: ${paid}`;
      return { text, command: ways.rest?.[0] ?? paid };
    }
    const madeAt = `${isoSeconds(this.#newestMs)} (${agoText(this.#nowMs - this.#newestMs)})`;
    const pending = this.#pending === 1 ? '1 is pending' : `${this.#pending} are pending`;
    const when = this.#pending === 0 ? `paid ${madeAt}` : `made ${madeAt}, and ${pending}`;
    const others =
      (remaining?.size === 0 ? 'Nothing else is left to pay. To record that' : 'To pay only the others') +
      (this.#pending === 0 ? '' : ', and wait for the pending ones');
    return { text: `The last one was ${when}. ${others}: ${skipping}`, command: skipping };
  }

  #unskippableText({ rest }: NextCommands): string {
    if (this.#unskippable === null) return '';
    const [list, ...more] = rest ?? [];
    return (
      `${counted(this.#unskippableCount, 'row')} cannot be skipped: another amount was paid, or it was paid more than once, or perhaps by another ` +
      (list === undefined
        ? 'company. Remove these lines from the file, or correct their amounts. '
        : `company. Pay the others from a file of their own. To list what is not paid: ${list}\n` +
          more.map((drop) => `Then take out of this batch what never left: ${drop}\n`).join(''))
    );
  }

  /** Returns the line that pays all rows once more. Null if one of the payments is not final, or the newest was made in this very second. */
  #anotherPayment(ways: NextCommands, all: TotalsToSend | null): string | null {
    const sinceMs = Math.floor(this.#newestMs / 1000) * 1000 + 1000;
    const isFinal = this.#open === null && this.#pending + this.#waitingCount === 0 && !this.#isUndated;
    if (!ways.takesSince || !isFinal || sinceMs > this.#nowMs) return null;
    return ways.again(['--new-since', isoSeconds(sinceMs)], all);
  }
}

function itemsOf(first: readonly PaidRow[], count: number): string[] {
  const lines = first.map(
    ({ line, reference, payments }) => `line ${line}: ${reference}: ${payments.map(paymentText).join('; ')}`,
  );
  const more = count - first.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

function isForgotten({ source }: KnownPayment): boolean {
  return source.kind === 'request' && source.isForgotten === true;
}

function settleFirst(
  payment: KnownPayment,
  reference: string,
  ways: NextCommands,
  all: TotalsToSend | null,
): { readonly text: string; readonly command: string | undefined } {
  const { source, status } = payment;
  if (source.kind === 'batch') {
    const command = ways.resume(source.batch);
    return { text: `Finish batch ${source.batch} first: ${command}`, command };
  }
  if (status === RECORDED) {
    const command = ways.again([], all) ?? undefined;
    const text = `Another command is about to send one of these. Try again in a moment: ${command ?? ''}`;
    return { text, command };
  }
  if (source.kind === 'request' && !isForgotten(payment)) {
    const command = ways.repeat(source.key);
    return { text: `Settle the request ${source.key} first: ${command}`, command };
  }
  const command = ways.list(reference);
  const key = source.kind === 'request' ? source.key : '';
  const text =
    `The request ${key} cannot be repeated, and its outcome is unknown. Look for its reference: ${command}\n` +
    `Then record the outcome: ${ways.resolve(key)}, or --not-paid instead of --operation ID`;
  return { text, command };
}

/** Describes a payment on one line. */
function paymentText(payment: KnownPayment): string {
  const { operation, status, amount = '?', currency = '?', atMs, source } = payment;
  const where = sourceText(source);
  if (status === 'planned' || status === RECORDED) return `about to be sent${where}`;
  const when = atMs === null ? '' : isoSeconds(atMs);
  if (operation === null) return `sent${when === '' ? '' : ` on ${when}`}${where}, outcome unknown`;
  return `${operation}, ${amount} ${currency}, ${status}${when === '' ? '' : ` ${status === 'pending' ? 'since' : 'on'} ${when}`}${where}`;
}

function sourceText(source: KnownPayment['source']): string {
  switch (source.kind) {
    case 'feed':
      return '';
    case 'batch':
      return ` (batch ${source.batch}, line ${source.line})`;
    case 'request':
      return ` (request ${source.key})`;
  }
}

/** Returns an approximate age in one unit. */
export function agoText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return hours === 1 ? 'an hour ago' : `${hours} hours ago`;
  return `${Math.floor(hours / 24)} days ago`;
}

interface MoneySum {
  readonly rows: number;
  /** A decimal string. */
  readonly total: string;
}

/** The rows and exact money that would be sent, by currency. */
export type TotalsToSend = ReadonlyMap<string, MoneySum>;

/** Subtracts money. A currency without rows is left out. Null if `all` is not known. */
function subtractMoney(all: TotalsToSend | null, money: ReadonlyMap<string, MoneySum>): TotalsToSend | null {
  if (all === null) return null;
  const totals = [...all].flatMap(([currency, { rows, total }]) => {
    const mine = money.get(currency) ?? { rows: 0, total: '0' };
    const rest = { rows: rows - mine.rows, total: sumDecimals([total, `-${mine.total}`]) };
    return rest.rows === 0 ? [] : [[currency, rest] as const];
  });
  return new Map(totals);
}
