import { counted } from '../../contract/on-screen.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { type KnownPayment, RECORDED } from '../../payments/known/payments.js';
import { sumDecimals } from '../../contract/money.js';

export interface NextCommands {
  readonly withWords: (words: readonly string[], totals: TotalsToSend | null) => string | null;
  readonly takesSince: boolean;
  readonly resume: (batch: string, words?: readonly string[]) => string;
  readonly repeatRequest: (key: string) => string;
  readonly recordOutcome: (key: string) => string;
  readonly showOperation: (operation: string) => string;
  readonly listPayments: (reference: string) => string;
  readonly listAndDrop?: readonly string[];
  readonly resetSandbox: string | null;
}

interface PaidRow {
  readonly line: number;
  readonly reference: string;
  readonly currency: string;
  readonly amount: string;
  readonly payments: readonly KnownPayment[];
}

const SHOWN_MAX = 20;

export class PaidRows {
  readonly #shownRows: PaidRow[] = [];
  readonly #money = new Map<string, MoneySum>();
  #paidCount = 0;
  #openPayment: { readonly reference: string; readonly payment: KnownPayment } | null = null;
  #unskippable: PaidRow | null = null;
  #unskippableCount = 0;
  #pendingCount = 0;
  readonly #waitingRows: PaidRow[] = [];
  #waitingCount = 0;
  #newestMs = -Infinity;
  #isUndated = false;

  constructor(private readonly nowMs: number) {}

  get count(): number {
    return this.#paidCount + this.#waitingCount;
  }

  addWaiting(row: Omit<PaidRow, 'payments'>, payment: KnownPayment): void {
    this.#waitingCount += 1;
    if (this.#waitingRows.length < SHOWN_MAX) this.#waitingRows.push({ ...row, payments: [payment] });
  }

  add(row: PaidRow, isSkippable: boolean): void {
    this.#paidCount += 1;
    if (this.#shownRows.length < SHOWN_MAX) this.#shownRows.push(row);
    if (row.payments.some(({ operation, status }) => operation !== null && status !== 'confirmed'))
      this.#pendingCount += 1;
    const openPayments = row.payments.filter(({ operation }) => operation === null);
    const firstOpen = openPayments.find((one) => !isForgotten(one)) ?? openPayments[0];
    if (firstOpen !== undefined && (this.#openPayment === null || isForgotten(this.#openPayment.payment)))
      this.#openPayment = { reference: row.reference, payment: firstOpen };
    for (const { atMs } of row.payments) {
      this.#isUndated ||= atMs === null;
      this.#newestMs = Math.max(this.#newestMs, atMs ?? this.nowMs);
    }
    const { rows, total } = this.#money.get(row.currency) ?? { rows: 0, total: '0' };
    this.#money.set(row.currency, { rows: rows + 1, total: sumDecimals([total, row.amount]) });
    if (isSkippable) return;
    this.#unskippable ??= row;
    this.#unskippableCount += 1;
  }

  throwIfAny(commands: NextCommands, totals: TotalsToSend | null): void {
    if (this.#paidCount === 0) {
      this.#throwIfWaiting(commands);
      return;
    }
    const { text, command } = this.#nextStep(commands, totals);
    const reset = commands.resetSandbox === null ? [] : [`To empty the sandbox: ${commands.resetSandbox}`];
    const payAgain = this.#newPaymentCommand(commands, totals);
    throw new Failure('unsafe', `${this.#headText()} Nothing was sent.`, {
      items: itemsOf(this.#shownRows, this.#paidCount),
      advice: [...text.split('\n'), ...reset],
      code: 'references_paid',
      outcome: 'not_sent',
      nextCommand: command,
      ...(payAgain === null ? {} : { otherCommand: { when: 'If you mean another payment', line: payAgain } }),
    });
  }

  #throwIfWaiting(commands: NextCommands): void {
    const [first] = this.#waitingRows;
    if (first === undefined) return;
    const rows = counted(this.#waitingCount, 'row');
    const source = first.payments[0]?.source;
    const batch = source?.kind === 'request' ? undefined : source?.batch;
    const message =
      `The payment before this one is not final for ${rows}: a new payment can only follow one that is. Nothing was sent. Run this again ` +
      'when it is final.';
    throw new Failure('unsafe', message, {
      items: itemsOf(this.#waitingRows, this.#waitingCount),
      ...(batch !== undefined && { advice: [`To follow it: ${commands.resume(batch, ['--wait'])}`] }),
      code: 'reference_pending',
      outcome: 'not_sent',
      retryable: true,
      nextCommand: commands.showOperation(first.payments[0]?.operation ?? ''),
    });
  }

  #headText(): string {
    const [rows, isOne] = [`${counted(this.#paidCount, 'row')} of this batch`, this.#paidCount === 1];
    if (this.#pendingCount === this.#paidCount)
      return `${rows} ${isOne ? 'has a pending payment' : 'have pending payments'} already.`;
    return `${rows} ${isOne ? 'was' : 'were'} paid already, or may have been.`;
  }

  #nextStep(commands: NextCommands, totals: TotalsToSend | null) {
    if (this.#openPayment !== null)
      return adviseSettling(this.#openPayment.payment, this.#openPayment.reference, commands, totals);
    const remaining = subtractMoney(totals, this.#money);
    const skipCommand = this.#unskippable === null ? commands.withWords(['--skip-paid'], remaining) : null;
    if (skipCommand === null) {
      const listCommand = commands.listPayments((this.#unskippable ?? this.#shownRows[0])?.reference ?? '');
      const text = `${this.#unskippableText(commands)}To see what was paid: ${listCommand}`;
      return { text, command: commands.listAndDrop?.[0] ?? listCommand };
    }
    const madeAt = `${isoSeconds(this.#newestMs)} (${agoText(this.nowMs - this.#newestMs)})`;
    const pending = this.#pendingCount === 1 ? '1 is pending' : `${this.#pendingCount} are pending`;
    const when = this.#pendingCount === 0 ? `paid ${madeAt}` : `made ${madeAt}, and ${pending}`;
    const purpose =
      (remaining?.size === 0 ? 'Nothing else is left to pay. To record that' : 'To pay only the others') +
      (this.#pendingCount === 0 ? '' : ', and wait for the pending ones');
    return { text: `The last one was ${when}. ${purpose}: ${skipCommand}`, command: skipCommand };
  }

  #unskippableText({ listAndDrop }: NextCommands): string {
    if (this.#unskippable === null) return '';
    const [list, ...more] = listAndDrop ?? [];
    return (
      `${counted(this.#unskippableCount, 'row')} cannot be skipped: another amount was paid, or it was paid more than once, or perhaps by another ` +
      (list === undefined
        ? 'company. Remove these lines from the file, or correct their amounts. '
        : `company. Pay the others from a file of their own. To list what is not paid: ${list}\n` +
          more.map((drop) => `Then take out of this batch what never left: ${drop}\n`).join(''))
    );
  }

  #newPaymentCommand(commands: NextCommands, totals: TotalsToSend | null): string | null {
    const sinceMs = Math.floor(this.#newestMs / 1000) * 1000 + 1000;
    const isFinal =
      this.#openPayment === null && this.#pendingCount + this.#waitingCount === 0 && !this.#isUndated;
    if (!commands.takesSince || !isFinal || sinceMs > this.nowMs) return null;
    return commands.withWords(['--new-since', isoSeconds(sinceMs)], totals);
  }
}

function itemsOf(shownRows: readonly PaidRow[], count: number): string[] {
  const lines = shownRows.map(
    ({ line, reference, payments }) => `line ${line}: ${reference}: ${payments.map(paymentText).join('; ')}`,
  );
  const more = count - shownRows.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

function isForgotten({ source }: KnownPayment): boolean {
  return source.kind === 'request' && source.isForgotten === true;
}

function adviseSettling(
  payment: KnownPayment,
  reference: string,
  commands: NextCommands,
  totals: TotalsToSend | null,
): { readonly text: string; readonly command: string | undefined } {
  const { source, status } = payment;
  if (source.kind === 'batch') {
    const command = commands.resume(source.batch);
    return { text: `Finish batch ${source.batch} first: ${command}`, command };
  }
  if (status === RECORDED) {
    const command = commands.withWords([], totals) ?? undefined;
    const text = `Another command is about to send one of these. Try again in a moment: ${command ?? ''}`;
    return { text, command };
  }
  if (source.kind === 'request' && !isForgotten(payment)) {
    const command = commands.repeatRequest(source.key);
    return { text: `Settle the request ${source.key} first: ${command}`, command };
  }
  const command = commands.listPayments(reference);
  const key = source.kind === 'request' ? source.key : '';
  const text =
    `The request ${key} cannot be repeated, and its outcome is unknown. Look for its reference: ${command}\n` +
    `Then record the outcome: ${commands.recordOutcome(key)}, or --not-paid instead of --operation ID`;
  return { text, command };
}

function paymentText(payment: KnownPayment): string {
  const { operation, status, amount = '?', currency = '?', atMs, source } = payment;
  const sourceSuffix = sourceText(source);
  if (status === 'planned' || status === RECORDED) return `about to be sent${sourceSuffix}`;
  const when = atMs === null ? '' : isoSeconds(atMs);
  if (operation === null) return `sent${when === '' ? '' : ` on ${when}`}${sourceSuffix}, outcome unknown`;
  return `${operation}, ${amount} ${currency}, ${status}${when === '' ? '' : ` ${status === 'pending' ? 'since' : 'on'} ${when}`}${sourceSuffix}`;
}

function sourceText(source: KnownPayment['source']): string {
  if (source.kind === 'feed') return '';
  if (source.kind === 'request') return ` (request ${source.key})`;
  return ` (batch ${source.batch}, line ${source.line})`;
}

export function agoText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return hours === 1 ? 'an hour ago' : `${hours} hours ago`;
  return `${Math.floor(hours / 24)} days ago`;
}

type MoneySum = Readonly<{ rows: number; total: string }>;

export type TotalsToSend = ReadonlyMap<string, MoneySum>;

function subtractMoney(totals: TotalsToSend | null, money: ReadonlyMap<string, MoneySum>) {
  if (totals === null) return null;
  const differences = [...totals].flatMap(([currency, { rows, total }]) => {
    const subtracted = money.get(currency) ?? { rows: 0, total: '0' };
    const difference = { rows: rows - subtracted.rows, total: sumDecimals([total, `-${subtracted.total}`]) };
    return difference.rows === 0 ? [] : [[currency, difference] as const];
  });
  return new Map(differences);
}
