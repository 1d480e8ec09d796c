/** Stops a run that goes wrong in the same way over and over, before the rest of the file does too. Pure but for its counters. */
import type { RowState } from '../row-state.js';
import type { Delivery } from './delivery.js';

/** Why a run stopped before its end. */
export type Stop =
  | { readonly kind: 'signal' }
  | { readonly kind: 'denied'; readonly code: string; readonly detail: string }
  | { readonly kind: 'refusals'; readonly code: string; readonly detail: string }
  | { readonly kind: 'silence'; readonly code: string }
  | { readonly kind: 'older' };

/** Equal refusals in a row: the file or the address is wrong, not the row. */
const EQUAL_REFUSALS = 5;
/** Rows in a row without a definite answer: the service is down. */
const SILENT_ROWS = 50;
/** Rows in a row that were answered with older payments: they were paid before, or the service's clocks disagree. */
const OLDER_ROWS = 5;

export class Brake {
  #refusal = '';
  #equal = 0;
  #silent = 0;
  #older = 0;

  /** Takes note of how a row ended, in the order in which rows end; says why the run has to stop, where it has to. */
  note(last: Delivery, state: RowState): Stop | null {
    this.#older = state === 'earlier' ? this.#older + 1 : 0;
    if (this.#older === OLDER_ROWS) return { kind: 'older' };
    if (last.kind === 'denied') return { kind: 'denied', code: last.code, detail: last.detail };
    const answer = last.kind === 'rejected' || (last.kind === 'unknown' && !last.isRepeatable) ? last : null;
    const refusal = answer === null ? '' : `${answer.kind} ${answer.code} ${answer.detail ?? ''}`;
    this.#equal = refusal !== '' && refusal === this.#refusal ? this.#equal + 1 : 1;
    this.#refusal = refusal;
    if (answer !== null && this.#equal === EQUAL_REFUSALS)
      return { kind: 'refusals', code: answer.code, detail: answer.detail ?? '' };
    if (last.kind !== 'unknown' && last.kind !== 'unavailable' && last.kind !== 'not_sent') {
      this.#silent = 0;
      return null;
    }
    this.#silent += 1;
    return this.#silent === SILENT_ROWS ? { kind: 'silence', code: last.code } : null;
  }
}
