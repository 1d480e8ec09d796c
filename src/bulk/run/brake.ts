/** The brake stops a run whose rows fail in the same way one after the other. Pure. */
import { type Attempt, type AttemptKind, isDenied } from '../../contract/attempt.js';
import type { RowState } from '../row-state.js';
import { codeOf, refusalDetail, isReused } from './verdict.js';

/** Why a run stopped before its end; whose run found that where it was another one, and when. */
export type Stop = { readonly by?: string; readonly at?: string } & (
  | { readonly kind: 'signal' }
  | { readonly kind: 'denied'; readonly code: string; readonly detail: string }
  | { readonly kind: 'refusals'; readonly code: string; readonly detail: string }
  | { readonly kind: 'silence'; readonly code: string }
  | { readonly kind: 'older' }
);

/** True for an error of the batch or its key, which every machine meets. A silent service may be silent for one machine only. */
export function isOfAll({ kind }: Stop): boolean {
  return kind === 'denied' || kind === 'refusals' || kind === 'older';
}

/** Equal refusals in a row: the file or the address is wrong, not the row. */
const EQUAL_REFUSALS = 5;
/** Rows in a row without a definite answer: the service is down. */
const SILENT_ROWS = 50;
/** Rows in a row that were answered with older payments: they were paid before, or the service's clocks disagree. */
const OLDER_ROWS = 5;

const SILENT: ReadonlySet<AttemptKind> = new Set<AttemptKind>([
  'broken',
  'lost',
  'not_sent',
  'server_error',
  'unavailable',
  'unreadable',
]);

/** Stops a run that goes wrong in the same way over and over, before the rest of the file does too. */
export class Brake {
  #refusal = '';
  #equal = 0;
  /** Rows in a row that this run got no definite answer for. */
  silent = 0;
  #silence = '';
  #older = 0;

  /** Takes note of how a row ended, in the order in which rows end; says why the run has to stop, where it has to. */
  note(last: Attempt, state: RowState): Stop | null {
    this.#older = state === 'earlier' ? this.#older + 1 : 0;
    if (this.#older === OLDER_ROWS) return { kind: 'older' };
    if (isDenied(last)) return { kind: 'denied', code: codeOf(last), detail: refusalDetail(last) ?? '' };
    const isRefusal = (last.kind === 'refused' && !isReused(last)) || last.kind === 'broken';
    const refusal = isRefusal ? `${last.kind} ${codeOf(last)} ${refusalDetail(last) ?? ''}` : '';
    this.#equal = isRefusal && refusal === this.#refusal ? this.#equal + 1 : 1;
    this.#refusal = refusal;
    if (isRefusal && this.#equal === EQUAL_REFUSALS)
      return { kind: 'refusals', code: codeOf(last), detail: refusalDetail(last) ?? '' };
    if (!SILENT.has(last.kind)) {
      this.silent = 0;
      return null;
    }
    this.silent += 1;
    this.#silence = codeOf(last);
    return this.silent === SILENT_ROWS ? { kind: 'silence', code: this.#silence } : null;
  }

  /** Says why all have to stop, where they have to. @param rows without an answer, of all runs together; 0 where one of them has one */
  noteAll(rows: number): Stop | null {
    return rows >= SILENT_ROWS && this.silent > 0 ? { kind: 'silence', code: this.#silence } : null;
  }
}
