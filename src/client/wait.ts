import { type Clock, sleepUnlessAborted } from '../runtime/clock.js';
import { isFinal } from '../contract/operation.js';
import type { OperationFacts } from '../contract/operation-facts.js';
import { answerOf } from '../contract/attempt.js';
import type { Conversation } from './client.js';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 5000;
const PAUSE_GROWTH = 1.5;

export interface WaitOptions {
  readonly read: (timeoutMs: number) => Promise<Conversation>;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly operation?: OperationFacts | null;
  readonly signal?: AbortSignal | undefined;
  readonly onRead?: (operation: OperationFacts | null) => void;
}

export interface WaitResult {
  readonly end: 'final' | 'person' | 'expired' | 'refused' | 'aborted';
  readonly operation: OperationFacts | null;
  readonly conversation: Conversation | null;
}

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
    const reply = await options.read(Math.max(FIRST_PAUSE_MS, endsAtMs - clock.monotonic()));
    const last = reply.attempts.at(-1);
    if (last?.kind === 'success' && last.operation !== null) {
      operation = last.operation;
      conversation = reply;
    } else if (last?.kind === 'refused' || last?.kind === 'broken') {
      return { end: 'refused', operation, conversation: reply };
    } else if (signal?.aborted === true) {
      return { end: 'aborted', operation, conversation };
    }
    options.onRead?.(last?.kind === 'success' ? operation : null);
    const hasRetryAfter = last !== undefined && answerOf(last) !== null && 'retryAfterMs' in last;
    if (hasRetryAfter) pauseMs = Math.max(pauseMs, Math.min(60_000, last.retryAfterMs ?? 0));
  }
}
