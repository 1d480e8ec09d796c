/** What an event says of its operation by its type alone, and which of two sayings about one operation counts. Pure. */
import { EVENT_TYPES } from './events.js';
import { type Direction, DIRECTIONS } from './operation.js';

/** What an event of a type says by its type alone. */
export interface TypeFacts {
  readonly direction: Direction;
  readonly status: string;
}

const TYPES: ReadonlyMap<unknown, TypeFacts> = new Map(
  EVENT_TYPES.flatMap((type) => {
    const [noun, status = ''] = type.split('.');
    const direction = DIRECTIONS.find((known) => known === noun);
    return direction === undefined ? [] : [[type, { direction, status }] as const];
  }),
);

/** Undefined for `test.ping`, and for types that are not known. */
export function factsOfType(type: unknown): TypeFacts | undefined {
  return TYPES.get(type);
}

/** What an event says of an operation, as far as two of them are compared. */
export interface Saying {
  readonly status: string;
  readonly eventId: string;
  readonly occurredAtMs: number;
}

/**
 * Which of two sayings about one operation is kept, whatever the order in which they come. An operation has one event, so they are the
 * same unless the service is wrong; then the one that keeps it from being paid again.
 */
export function preferred<Said extends Saying>(known: Said, seen: Said): Said {
  const [isKnownFailed, isSeenFailed] = [known, seen].map(({ status }) => status === 'failed');
  if (isKnownFailed !== isSeenFailed) return isKnownFailed === true ? seen : known;
  // The same event once more: what it says now.
  if (known.eventId === seen.eventId) return seen;
  if (known.occurredAtMs !== seen.occurredAtMs) return known.occurredAtMs < seen.occurredAtMs ? known : seen;
  return known.eventId < seen.eventId ? known : seen;
}
