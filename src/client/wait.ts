/** Waits for an operation to become final, by reading it at growing intervals (`--wait`). */
import { type Clock, sleepUnlessAborted } from '../runtime/clock.js';
import { isFinal } from '../contract/operation.js';
import type { OperationFacts } from '../contract/operation-facts.js';
import { answerOf } from '../contract/attempt.js';
import type { Conversation } from './client.js';

/** The first pause between two reads. Each pause is `PAUSE_GROWTH` times the last one, up to `LONGEST_PAUSE_MS`. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 5000;
const PAUSE_GROWTH = 1.5;

export interface WaitOptions {
  /** Reads the operation in a single attempt within `timeoutMs`; the next read is its repetition. */
  readonly read: (timeoutMs: number) => Promise<Conversation>;
  readonly clock: Clock;
  /** The limit of the whole wait, in milliseconds. */
  readonly timeoutMs: number;
  /** The operation, if it is already known. If it is final or waits for a person, nothing is read. */
  readonly operation?: OperationFacts | null;
  readonly signal?: AbortSignal | undefined;
  /** Called after each read, with null if the operation could not be read. */
  readonly onRead?: (operation: OperationFacts | null) => void;
}

/**
 * How a wait ended: `final`; `person`, if only a person can go on (`awaiting_code`); `expired`; `refused`, by an answer that no waiting changes (401,
 * 403, 404, a broken contract); `aborted`.
 */
export interface WaitResult {
  readonly end: 'final' | 'person' | 'expired' | 'refused' | 'aborted';
  /** The operation as last read; null if it was never read. */
  readonly operation: OperationFacts | null;
  /** The last read that returned the operation, or the one that was refused; null if nothing was read. */
  readonly conversation: Conversation | null;
}

/** Reads until the operation is final, only a person can go on, or the time is over. Lost reads, 429 and 5xx do not end the wait. */
export async function waitForOperation(options: WaitOptions): Promise<WaitResult> {
  const { clock, signal } = options;
  const endsAtMs = clock.monotonic() + options.timeoutMs;
  let operation = options.operation ?? null;
  let conversation: Conversation | null = null;
  let pauseMs = FIRST_PAUSE_MS;
  let isFirstRead = operation === null;
  for (;;) {
    if (operation !== null && isFinal(operation.status)) return { end: 'final', operation, conversation };
    if (operation?.code === 'awaiting_code') return { end: 'person', operation, conversation };
    const remainingMs = endsAtMs - clock.monotonic();
    if (remainingMs <= 0 && !isFirstRead) return { end: 'expired', operation, conversation };
    if (!isFirstRead && !(await sleepUnlessAborted(clock, Math.min(pauseMs, remainingMs), signal))) {
      return { end: 'aborted', operation, conversation };
    }
    if (!isFirstRead) pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * PAUSE_GROWTH);
    isFirstRead = false;
    // The last read gets at least a second, however late it begins.
    const read = await options.read(Math.max(FIRST_PAUSE_MS, endsAtMs - clock.monotonic()));
    const last = read.attempts.at(-1);
    if (last?.kind === 'success' && last.operation !== null) {
      operation = last.operation;
      conversation = read;
    } else if (last?.kind === 'refused' || last?.kind === 'broken') {
      // A definite answer ends the wait. An unreadable one does not: a gateway may be in trouble for a moment.
      return { end: 'refused', operation, conversation: read };
    } else if (signal?.aborted === true) {
      return { end: 'aborted', operation, conversation };
    }
    options.onRead?.(last?.kind === 'success' ? operation : null);
    const hasRetryAfter = last !== undefined && answerOf(last) !== null && 'retryAfterMs' in last;
    if (hasRetryAfter) pauseMs = Math.max(pauseMs, Math.min(60_000, last.retryAfterMs ?? 0));
  }
}
