/** The states of a row, and what each means for the money. Pure. */

/**
 * `planned`: not sent. `intent`: durable, may have left. `accepted`: the service has it, pending. `earlier`: an older payment of its
 * reference stands for it, nothing new was paid. `unavailable`: refused for the moment, not carried out. `unknown`: left, and no answer
 * settles it. `needs_review`: only a person can decide.
 */
export const ROW_STATES = [
  'planned',
  'intent',
  'accepted',
  'confirmed',
  'earlier',
  'failed',
  'rejected',
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

/** What a retry sends again: the outcome is definite, and nothing was paid. */
export const RETRIABLE = ['failed', 'rejected'] as const satisfies readonly RowState[];

/** Nothing of it was carried out, or nothing ever left. */
export const NEVER_SENT = ['planned', 'unavailable'] as const satisfies readonly RowState[];

/** The service has made an operation that stands for it, and that did not fail when it was last seen. */
export const PAID = ['accepted', 'confirmed', 'earlier'] as const satisfies readonly RowState[];

/** It left, and what became of it is not known. */
export const OPEN = ['intent', 'unknown', 'needs_review'] as const satisfies readonly RowState[];

/** The words of the summary; every row counts in exactly one of them. */
export const COUNTS = [
  'confirmed',
  'earlier',
  'pending',
  'failed',
  'rejected',
  'unknown',
  'not_sent',
] as const;
export type Count = (typeof COUNTS)[number];

export const COUNT_OF: Readonly<Record<RowState, Count>> = {
  planned: 'not_sent',
  intent: 'unknown',
  accepted: 'pending',
  confirmed: 'confirmed',
  earlier: 'earlier',
  failed: 'failed',
  rejected: 'rejected',
  unavailable: 'not_sent',
  unknown: 'unknown',
  needs_review: 'unknown',
};

/** States by the words that people read, and by those that are stored where these are others. */
export const STATE_WORDS = ['pending', 'not_sent', ...ROW_STATES] as const;

export function statesOf(word: (typeof STATE_WORDS)[number]): readonly RowState[] {
  return isRowState(word) ? [word] : ROW_STATES.filter((state) => COUNT_OF[state] === word);
}

/** True where the row may have been carried out before this run and nothing says whether it was. */
export function isUncertain(state: RowState): boolean {
  return state === 'intent' || state === 'unknown';
}

export function isOneOf(states: readonly RowState[], state: RowState): boolean {
  return states.includes(state);
}

/** The code of a row that stands as `earlier` because the caller asked for it; any other is news to the caller. */
export const SKIPPED_AS_PAID = 'skipped_as_paid';
/** The same, where that payment is pending still: it counts as pending, is followed, and is called paid by nobody until it is. */
export const SKIPPED_PENDING = 'skipped_pending';
