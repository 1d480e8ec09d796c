/** The states of a row, and their meaning for the money. Pure. */

/**
 * `planned`: not sent. `intent`: written durably, may have left. `accepted`: pending at the service. `earlier`: an older payment with its reference
 * counts as this row's, and nothing new was paid. `unavailable`: refused for the moment, not carried out. `unknown`: sent, without an answer that
 * settles it. `needs_review`: a person must decide.
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

/** The states that a run sends, or sends again with the same key. */
export const SENDABLE = [
  'planned',
  'intent',
  'unavailable',
  'unknown',
] as const satisfies readonly RowState[];

/** The states that a retry sends again: the outcome is definite, and nothing was paid. */
export const RETRIABLE = ['failed', 'rejected'] as const satisfies readonly RowState[];

/** The states in which nothing has left, or certainly nothing was carried out. */
export const NEVER_SENT = ['planned', 'unavailable'] as const satisfies readonly RowState[];

/** The states with an operation that had not failed when it was last seen. */
export const PAID_STATES = ['accepted', 'confirmed', 'earlier'] as const satisfies readonly RowState[];

/** The states in which the row may have left, and its outcome is not known. */
export const OPEN_STATES = ['intent', 'unknown', 'needs_review'] as const satisfies readonly RowState[];

/** The words of the summary. Each row counts in exactly one. */
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

/** The words for states in flags: the stored states, and two words of the summary for several of them. */
export const STATE_WORDS = ['pending', 'not_sent', ...ROW_STATES] as const;

export function statesOf(stateWord: (typeof STATE_WORDS)[number]): readonly RowState[] {
  return isRowState(stateWord) ? [stateWord] : ROW_STATES.filter((state) => COUNT_OF[state] === stateWord);
}

/** True if the row may have left, and nothing shows if it was carried out. */
export function isUncertain(state: RowState): boolean {
  return state === 'intent' || state === 'unknown';
}

export function isOneOf(states: readonly RowState[], state: RowState): boolean {
  return states.includes(state);
}

/** The code of an `earlier` row if the caller asked to skip paid rows. With another code, the older payment is news to the caller. */
export const SKIPPED_AS_PAID = 'skipped_as_paid';
/** The code of a skipped row whose older payment is pending. The row counts as pending and is followed until the payment is final. */
export const SKIPPED_PENDING = 'skipped_pending';
