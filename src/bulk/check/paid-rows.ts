/** The rows that were paid already: collected, counted, and put into the one line that leads on. */
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { type KnownPayment, RECORDED } from './payments.js';
import { agoText, isPending, paymentText, pendingText, rowsText } from './paid-text.js';

/** How the command line that was typed goes on. Each is a line that can be pasted. */
export interface WaysOn {
  /** The same command line with these words more; null where the command has no such flags. */
  readonly again: (words: readonly string[]) => string | null;
  readonly resume: (batch: string, words?: readonly string[]) => string;
  readonly repeat: (key: string) => string;
  /** Empties the sandbox; null where there is none. */
  readonly reset: string | null;
}

interface PaidRow {
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
  #newestMs = -Infinity;
  #newestOldMs = -Infinity;

  /** @param nowMs the service's time */
  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  get count(): number {
    return this.#count;
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
      return;
    }
    this.#young += 1;
    if (!isSkippable) this.#stubborn += 1;
  }

  /** @throws Failure `unsafe` that names the rows and the one line that leads on */
  throwIfAny(ways: WaysOn): void {
    if (this.#count === 0) return;
    const { text, command } = this.#wayOn(ways);
    const lines = this.#first.map(
      ({ line, reference, payments }) =>
        `line ${line}: ${reference}: ${payments.map(paymentText).join('; ')}`,
    );
    const more = this.#count - this.#first.length;
    if (more > 0) lines.push(`and ${more} more`);
    const head = `${this.#headText()} Nothing was sent.`;
    const reset = ways.reset === null ? [] : [`In the sandbox, to begin anew: ${ways.reset}`];
    throw new Failure('unsafe', head, {
      items: lines,
      advice: [...(text === '' ? [] : [text]), ...reset],
      code: 'references_paid',
      outcome: 'not_sent',
      nextCommand: command ?? undefined,
    });
  }

  #headText(): string {
    const [rows, isOne] = [`${rowsText(this.#count)} of this batch`, this.#count === 1];
    if (this.#pending === this.#count)
      return `${rows} ${isOne ? 'has' : 'have'} a payment already that is pending.`;
    return `${rows} ${isOne ? 'was' : 'were'} paid already, or may have been.`;
  }

  #wayOn(ways: WaysOn): { readonly text: string; readonly command: string | null } {
    const open = this.#open;
    if (open !== null) return wayWithOpen(open, ways);
    if (this.#stubborn > 0) {
      const text =
        `${rowsText(this.#stubborn)} cannot be skipped: paid with another amount, more than once, or perhaps by another company. Take these lines out of the file, ` +
        'or correct their amounts.';
      return { text, command: null };
    }
    const madeAt = `${isoSeconds(this.#newestMs)} (${agoText(this.#nowMs - this.#newestMs)})`;
    const when = this.#pending === 0 ? `paid ${madeAt}` : `made ${madeAt}, and ${pendingText(this.#pending)}`;
    const others =
      this.#pending === 0 ? 'To pay only the others' : 'To pay only the others, and follow what is pending';
    const old = this.#count - this.#young;
    if (old === 0) {
      const command = ways.again(['--skip-paid']);
      return {
        text: `The last of these was ${when}. ${others}: ${command ?? ''}`,
        command,
      };
    }
    const since = ['--new-since', isoSeconds(this.#newestOldMs + 1000)];
    const command = ways.again(this.#young === 0 ? since : ['--skip-paid', ...since]);
    if (command === null) {
      const skip = ways.again(['--skip-paid']);
      return {
        text: `The last of these was ${when}. ${others}: ${skip ?? ''}`,
        command: skip,
      };
    }
    return this.#young === 0
      ? { text: `The last of these was ${when}. To pay them once more: ${command}`, command }
      : {
          text:
            `${this.#young} of these were ${this.#pending === 0 ? 'paid' : 'made'} within the last five days, the last ${when}; ${old} before that. ` +
            `To leave out the first and pay the others once more: ${command}`,
          command,
        };
  }
}

function isForgotten({ source }: KnownPayment): boolean {
  return source.kind === 'request' && source.isForgotten === true;
}

function wayWithOpen(
  { source, status }: KnownPayment,
  ways: WaysOn,
): { readonly text: string; readonly command: string | null } {
  if (source.kind === 'batch') {
    const command = ways.resume(source.batch);
    return { text: `What is under way in batch ${source.batch} comes first: ${command}`, command };
  }
  if (status === RECORDED) {
    const command = ways.again([]);
    return { text: `Another command is about to send one of these. In a moment: ${command ?? ''}`, command };
  }
  if (source.kind === 'request' && source.isForgotten === true) {
    const text =
      `The request ${source.key} was removed from this machine, and its outcome was never known: look for its reference in "svc events list --all". ` +
      'Nothing of it can be repeated. Take its line out of the file; where it was not paid, or another payment is meant, create that one alone ' +
      `with --new-payment ${source.key}.`;
    return { text, command: null };
  }
  if (source.kind === 'request') {
    const command = ways.repeat(source.key);
    return { text: `The request ${source.key} comes first: ${command}`, command };
  }
  return { text: '', command: null };
}
