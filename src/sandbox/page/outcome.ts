/** Describes the result of an action by its answer: an operation, a number of faults, a time. Pure. */
import type { Operation } from '../../contract/operation-members.js';
import { asWords, capitalize, duration } from './format.js';

/** Names an operation by its reference, or by the start of its id. */
export function nameOf({
  reference,
  id,
}: {
  readonly reference?: string | null;
  readonly id: string;
}): string {
  return reference ?? id.slice(0, 8);
}

/** Formats the state of an operation: `Confirmed`, `Failed: code expired`, `Pending: awaiting payment`. @param nowMs sandbox time; null if unknown */
export function statusText(operation: Operation, nowMs: number | null): string {
  const { status, failure, pending_reason: reason, code_expires_at: until } = operation;
  if (failure !== null) return `Failed: ${asWords(failure.reason)}`;
  if (status !== 'pending') return capitalize(status);
  const rest = until === undefined || nowMs === null ? null : Date.parse(until) - nowMs;
  const code = rest === null ? '' : rest <= 0 ? ', which has expired' : `, valid for ${duration(rest)}`;
  return `Pending: ${asWords(reason ?? '')}${code}`;
}

/** Formats the state, the name and the amount of an operation. */
export function operationText(operation: Operation, nowMs: number | null): string {
  return `${statusText(operation, nowMs)} · ${nameOf(operation)} · ${operation.amount} ${operation.currency}`;
}

/** Finds the operation in an answer; null if there is none. */
export function operationIn(json: unknown): Operation | null {
  const answer = (json ?? {}) as { readonly operation?: Operation } & Partial<Operation>;
  const { operation, ...rest } = answer;
  if (operation !== undefined) return operation;
  return rest.failure !== undefined && rest.method !== undefined ? (rest as Operation) : null;
}

/** Describes an answer about the whole sandbox; null for an answer about something else. */
export function sandboxText(json: unknown, timeText: (iso: string) => string): string | null {
  type Texts = Record<'now' | 'api_key' | 'url' | 'secret', string>;
  const answer = (json ?? {}) as Partial<Texts & Record<'armed' | 'cleared', number> & Record<'reset', true>>;
  const { armed, cleared, now, api_key: key, reset, url, secret } = answer;
  if (armed !== undefined)
    return armed === 1 ? 'Armed for the next one' : `Armed for the next ${String(armed)}`;
  if (cleared !== undefined) return `Disarmed: ${String(cleared)}`;
  if (now !== undefined) return `The time is now ${timeText(now)}`;
  if (key !== undefined) return `Key made: ${key}`;
  if (reset !== undefined) return 'The sandbox is empty';
  return secret === undefined ? null : `Registered: ${url ?? ''}`;
}
