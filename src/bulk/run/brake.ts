/** Stops a run that goes wrong in the same way over and over, before the rest of the file does too. Pure but for its counters. */
import type { Delivery } from './delivery.js';

/** Why a run stopped before its end. */
export type Stop =
  | { readonly kind: 'signal' }
  | { readonly kind: 'denied'; readonly code: string; readonly detail: string }
  | { readonly kind: 'refusals'; readonly code: string; readonly detail: string }
  | { readonly kind: 'silence'; readonly code: string };

/** Equal refusals in a row: the file or the address is wrong, not the row. */
const EQUAL_REFUSALS = 5;
/** Rows in a row without a definite answer: the service is down. */
const SILENT_ROWS = 50;

export class Brake {
  #refusal = '';
  #equal = 0;
  #silent = 0;

  /** Takes note of how a row ended, in the order in which rows end; says why the run has to stop, where it has to. */
  note(last: Delivery): Stop | null {
    if (last.kind === 'denied') return { kind: 'denied', code: last.code, detail: last.detail };
    if (last.kind === 'unknown' || last.kind === 'unavailable' || last.kind === 'not_sent') {
      this.#silent += 1;
      return this.#silent === SILENT_ROWS ? { kind: 'silence', code: last.code } : null;
    }
    this.#silent = 0;
    if (last.kind !== 'rejected' && last.kind !== 'misdirected') {
      this.#equal = 0;
      return null;
    }
    const refusal = `${last.kind} ${last.code} ${last.detail}`;
    this.#equal = refusal === this.#refusal ? this.#equal + 1 : 1;
    this.#refusal = refusal;
    return this.#equal === EQUAL_REFUSALS ? { kind: 'refusals', code: last.code, detail: last.detail } : null;
  }
}
