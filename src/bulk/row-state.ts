/** The states of a row, and what each means for the money. Pure. */

/**
 * `planned`: not sent. `intent`: durable, may have left. `accepted`: the service has it, pending. `unavailable`: refused for the moment,
 * not carried out. `unknown`: left, and no answer settles it. `needs_review`: only a person can decide.
 */
export const ROW_STATES = [
  'planned',
  'intent',
  'accepted',
  'confirmed',
  'failed',
  'rejected',
  'conflict',
  'unavailable',
  'unknown',
  'needs_review',
] as const;
export type RowState = (typeof ROW_STATES)[number];

export function isRowState(text: string): text is RowState {
  return (ROW_STATES as readonly string[]).includes(text);
}

/** What a run sends, again with the same key. */
export const SENDABLE = [
  'planned',
  'intent',
  'unavailable',
  'unknown',
] as const satisfies readonly RowState[];

/** What a retry starts anew: definite, and nothing was paid. */
export const RETRIABLE = ['failed', 'rejected'] as const satisfies readonly RowState[];

/** The words of the summary; every row counts in exactly one of them. */
export const COUNTS = ['confirmed', 'pending', 'failed', 'rejected', 'unknown', 'not_sent'] as const;
export type Count = (typeof COUNTS)[number];

export const COUNT_OF: Readonly<Record<RowState, Count>> = {
  planned: 'not_sent',
  intent: 'unknown',
  accepted: 'pending',
  confirmed: 'confirmed',
  failed: 'failed',
  rejected: 'rejected',
  conflict: 'rejected',
  unavailable: 'not_sent',
  unknown: 'unknown',
  needs_review: 'unknown',
};

/** True where the row may have been carried out before this run and nothing says whether it was. */
export function isUncertain(state: RowState): boolean {
  return state === 'intent' || state === 'unknown';
}
