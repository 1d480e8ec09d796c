import { type Attempt, type AttemptKind, isDenied, hasReusedKey } from '../../contract/attempt.js';
import type { RowState } from '../../storage/batches/row-state.js';
import type { Stop } from '../../storage/batches/worker.js';
import { codeOf, refusalDetail } from '../../payments/known/row-outcome.js';

/** A silent service stops one worker only, because other machines may still reach it. */
export function stopsAllWorkers({ kind }: Stop): boolean {
  return kind === 'denied' || kind === 'refusals' || kind === 'older';
}

const EQUAL_REFUSALS_MAX = 5;
const SILENT_ROWS_MAX = 50;
/** A run stops after this many older payments in sequence, because the file was probably paid before. */
const OLDER_ROWS_MAX = 5;

const SILENT_KINDS: readonly AttemptKind[] = [
  'broken',
  'lost',
  'not_sent',
  'server_error',
  'unavailable',
  'unreadable',
];

export class Brake {
  #refusal = '';
  #equalCount = 0;
  silentCount = 0;
  #silenceCode = '';
  #olderCount = 0;

  note(last: Attempt, state: RowState): Stop | null {
    this.#olderCount = state === 'earlier' ? this.#olderCount + 1 : 0;
    if (this.#olderCount === OLDER_ROWS_MAX) return { kind: 'older' };
    if (isDenied(last)) return { kind: 'denied', code: codeOf(last), detail: refusalDetail(last) ?? '' };
    const isRefusal = (last.kind === 'refused' && !hasReusedKey(last)) || last.kind === 'broken';
    const refusal = isRefusal ? `${last.kind} ${codeOf(last)} ${refusalDetail(last) ?? ''}` : '';
    this.#equalCount = isRefusal && refusal === this.#refusal ? this.#equalCount + 1 : 1;
    this.#refusal = refusal;
    if (isRefusal && this.#equalCount === EQUAL_REFUSALS_MAX)
      return { kind: 'refusals', code: codeOf(last), detail: refusalDetail(last) ?? '' };
    if (!SILENT_KINDS.includes(last.kind)) {
      this.silentCount = 0;
      return null;
    }
    this.silentCount += 1;
    this.#silenceCode = codeOf(last);
    return this.silentCount === SILENT_ROWS_MAX ? { kind: 'silence', code: this.#silenceCode } : null;
  }

  noteSilenceOfAll(rows: number): Stop | null {
    return rows >= SILENT_ROWS_MAX && this.silentCount > 0
      ? { kind: 'silence', code: this.#silenceCode }
      : null;
  }
}
