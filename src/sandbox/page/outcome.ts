/** What came of a deed, in the words of its answer: the status of an operation, how many faults, what time it is. Pure. */
import type { OperationJson } from './answers.js';
import { asWords, capital, duration } from './format.js';

/** `rent-7`, or the beginning of its id. */
export function nameOf({ reference, id }: Pick<OperationJson, 'reference' | 'id'>): string {
  return reference ?? id.slice(0, 8);
}

/** `Confirmed`, `Failed: code expired`, `Pending: awaiting payment`. @param nowMs the sandbox's time; null where it is not known */
export function statusText(operation: OperationJson, nowMs: number | null): string {
  const { status, failure, pending_reason: reason, code_expires_at: until } = operation;
  if (failure !== null) return `Failed: ${asWords(failure.reason)}`;
  if (status !== 'pending') return capital(status);
  const rest = until === undefined || nowMs === null ? null : Date.parse(until) - nowMs;
  const code = rest === null ? '' : rest <= 0 ? ', which has expired' : `, valid for ${duration(rest)}`;
  return `Pending: ${asWords(reason ?? '')}${code}`;
}

/** With which operation it is. */
export function operationText(operation: OperationJson, nowMs: number | null): string {
  return `${statusText(operation, nowMs)} · ${nameOf(operation)} · ${operation.amount} ${operation.currency}`;
}

/** The operation that an answer is, or is about; null where there is none. */
export function operationIn(json: unknown): OperationJson | null {
  const answer = (json ?? {}) as { readonly operation?: OperationJson } & Partial<OperationJson>;
  const { operation, ...rest } = answer;
  if (operation !== undefined) return operation;
  return rest.failure !== undefined && rest.method !== undefined ? (rest as OperationJson) : null;
}

/** Of the sandbox as a whole; null for what is no such answer. */
export function wholeText(json: unknown, timeText: (iso: string) => string): string | null {
  const {
    armed,
    cleared,
    now,
    api_key: key,
    reset,
    url,
    secret,
  } = (json ?? {}) as Partial<
    Record<'armed' | 'cleared', number> &
      Record<'now' | 'api_key' | 'url' | 'secret', string> &
      Record<'reset', true>
  >;
  if (armed !== undefined)
    return armed === 1 ? 'Armed for the next one' : `Armed for the next ${String(armed)}`;
  if (cleared !== undefined) return `Disarmed: ${String(cleared)}`;
  if (now !== undefined) return `The time is now ${timeText(now)}`;
  if (key !== undefined) return `Key made: ${key}`;
  if (reset !== undefined) return 'The sandbox is empty';
  return secret === undefined ? null : `Registered: ${url ?? ''}`;
}
