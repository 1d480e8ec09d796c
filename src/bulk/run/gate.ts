/** What lets a run go on: the gate that every sending passes, and the brake that stops what goes wrong over and over. */
import { type Attempt, type AttemptKind, isDenied } from '../../contract/attempt.js';
import type { Clock } from '../../runtime/clock.js';
import type { RowState } from '../row-state.js';
import { codeOf, detailOf, isReused } from './verdict.js';

export interface GateOptions {
  readonly clock: Clock;
  /** Sendings a second; null for no limit. */
  readonly ratePerSecond: number | null;
  /** Asks the run to stop: nothing new passes. */
  readonly signal: AbortSignal;
}

/** Timers are late; what they are late is caught up with, and a pause is not. */
const LATE_MS = 20;

export class Gate {
  readonly #clock: Clock;
  readonly #spacingMs: number;
  readonly #closing = new AbortController();
  #openAtMs = -Infinity;
  #slotAtMs = -Infinity;
  #stop: Stop | null = null;

  constructor({ clock, ratePerSecond, signal }: GateOptions) {
    this.#clock = clock;
    this.#spacingMs = ratePerSecond === null ? 0 : 1000 / ratePerSecond;
    const onAbort = (): void => this.close({ kind: 'signal' });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true, signal: this.#closing.signal });
  }

  /** Why the gate is closed; null while it is not. The first reason stays. */
  get stop(): Stop | null {
    return this.#stop;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Nothing passes any more, and whoever waits is turned away. @param stop null where the run is simply over */
  close(stop: Stop | null): void {
    this.#stop ??= stop;
    this.#closing.abort();
  }

  /** Everybody waits that long from now. */
  pause(ms: number): void {
    this.#openAtMs = Math.max(this.#openAtMs, this.#clock.monotonic() + ms);
  }

  /** Waits for its turn; false where the gate is closed: then nothing may be sent. */
  async pass(): Promise<boolean> {
    for (;;) {
      if (this.isClosed) return false;
      if (this.#spacingMs === 0 && this.#openAtMs === -Infinity) return true;
      const nowMs = this.#clock.monotonic();
      if (nowMs >= this.#openAtMs && nowMs >= this.#slotAtMs) {
        const first = this.#slotAtMs === -Infinity ? nowMs : this.#slotAtMs;
        this.#slotAtMs = Math.max(first, nowMs - LATE_MS) + this.#spacingMs;
        return true;
      }
      await this.wait(Math.max(this.#openAtMs, this.#slotAtMs) - nowMs);
    }
  }

  /** Waits, at most until the gate closes. */
  async wait(ms: number): Promise<void> {
    try {
      await this.#clock.sleep(ms, this.#closing.signal);
    } catch (error) {
      if (!this.isClosed) throw error;
    }
  }
}

/** Why a run stopped before its end, and whose run found that where it was another one. */
export type Stop = StopReason & { readonly by?: string };

type StopReason =
  | { readonly kind: 'signal' }
  | { readonly kind: 'denied'; readonly code: string; readonly detail: string }
  | { readonly kind: 'refusals'; readonly code: string; readonly detail: string }
  | { readonly kind: 'silence'; readonly code: string }
  | { readonly kind: 'older' };

/** True for what is wrong with the batch or its key, whoever sends; a service that is silent may be so for one machine. */
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
  #silent = 0;
  #older = 0;

  /** Takes note of how a row ended, in the order in which rows end; says why the run has to stop, where it has to. */
  note(last: Attempt, state: RowState): Stop | null {
    this.#older = state === 'earlier' ? this.#older + 1 : 0;
    if (this.#older === OLDER_ROWS) return { kind: 'older' };
    if (isDenied(last)) return { kind: 'denied', code: codeOf(last), detail: detailOf(last) ?? '' };
    const isRefusal = (last.kind === 'refused' && !isReused(last)) || last.kind === 'broken';
    const refusal = isRefusal ? `${last.kind} ${codeOf(last)} ${detailOf(last) ?? ''}` : '';
    this.#equal = isRefusal && refusal === this.#refusal ? this.#equal + 1 : 1;
    this.#refusal = refusal;
    if (isRefusal && this.#equal === EQUAL_REFUSALS)
      return { kind: 'refusals', code: codeOf(last), detail: detailOf(last) ?? '' };
    if (!SILENT.has(last.kind)) {
      this.#silent = 0;
      return null;
    }
    this.#silent += 1;
    return this.#silent === SILENT_ROWS ? { kind: 'silence', code: codeOf(last) } : null;
  }
}
