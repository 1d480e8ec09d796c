/**
 * `intent`: written durably, perhaps sent.
 * `accepted`: pending at the service.
 * `earlier`: an older payment counts for the row.
 * `unavailable`: refused for the moment, not carried out.
 * `unknown`: sent, with an unknown outcome.
 * `needs_review`: a person must decide.
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

export const SENDABLE = [
  'planned',
  'intent',
  'unavailable',
  'unknown',
] as const satisfies readonly RowState[];

export const RETRIABLE = ['failed', 'rejected'] as const satisfies readonly RowState[];

export const NEVER_SENT = ['planned', 'unavailable'] as const satisfies readonly RowState[];

export const PAID_STATES = ['accepted', 'confirmed', 'earlier'] as const satisfies readonly RowState[];

export const OPEN_STATES = ['intent', 'unknown', 'needs_review'] as const satisfies readonly RowState[];

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

export const STATE_WORDS = ['pending', 'not_sent', ...ROW_STATES] as const;

export function statesOf(stateWord: (typeof STATE_WORDS)[number]): readonly RowState[] {
  return isRowState(stateWord) ? [stateWord] : ROW_STATES.filter((state) => COUNT_OF[state] === stateWord);
}

export function isUncertain(state: RowState): boolean {
  return state === 'intent' || state === 'unknown';
}

export function isOneOf(states: readonly RowState[], state: RowState): boolean {
  return states.includes(state);
}

export const SKIPPED_AS_PAID = 'skipped_as_paid';
export const SKIPPED_PENDING = 'skipped_pending';
