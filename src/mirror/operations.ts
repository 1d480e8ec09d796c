/** What the events of a page say, as the mirror keeps it. Pure. */
import { claimsOf } from '../contract/claims.js';
import { memberAt, type Range } from '../contract/json-bytes.js';
import { isFinal } from '../contract/operation.js';
import { momentMs } from '../contract/notation.js';
import { factsOfType, type TypeFacts } from '../contract/saying.js';
import { Failure } from '../runtime/failure.js';
import type { KnownOperation } from './mirror.js';

/** A page of the feed: the service's bytes, and where its events stand in them, in order. */
export interface FeedPage {
  readonly body: Uint8Array;
  readonly events: readonly Range[];
  /** What time it was for the service when it answered; null or absent where it did not say. */
  readonly answeredAtMs?: number | null | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** Bytes that are no UTF-8 would become another reference than was sent. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The operations of a page, in the order of its events. `test.ping` and types that are not known are passed over.
 * @throws Failure `defect` (`feed_unreadable`) for an event that can't be understood: to pass it over could hide a payment
 */
export function readOperations(page: FeedPage): KnownOperation[] {
  return parse(page).flatMap((event, at) => {
    const { id, type, data, occurred_at: occurredAt } = isObject(event) ? event : {};
    if (typeof id !== 'string' || typeof type !== 'string')
      throw unreadable(`${at + 1} of a page`, 'has no type');
    const facts = factsOfType(type);
    return facts === undefined ? [] : [readOperation(id, facts, data, momentMs(occurredAt))];
  });
}

function readOperation(
  eventId: string,
  { direction, status }: TypeFacts,
  data: unknown,
  occurredAtMs: number | null,
): KnownOperation {
  const claims = claimsOf(data);
  if (claims === null) throw unreadable(eventId, 'has no operation');
  if (occurredAtMs === null) throw unreadable(eventId, 'has no time of occurrence');
  // Of "confirmed" and "failed" neither may be believed: one would be paid twice, the other never.
  const isKnownStatus = isFinal(claims.status) || claims.status === 'pending';
  if (isKnownStatus && claims.status !== status) {
    throw unreadable(eventId, `says ${status}, but its operation says ${claims.status}`);
  }
  const members = data as Members;
  const createdAtMs = momentMs(claims.createdAt);
  return {
    ...claims,
    direction: claims.direction ?? direction,
    failureReason: isObject(members['failure']) ? textOf(members['failure']['reason']) : null,
    bankReference: textOf(members['bank_reference']),
    createdAtMs,
    confirmedAtMs: momentMs(members['confirmed_at']),
    occurredAtMs,
    eventId,
  };
}

/** All events at once: one call for each would take twice the time. */
function parse({ body, events }: FeedPage): unknown[] {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) {
    // An empty list of something else would say that nobody was paid.
    if (memberAt(body, 'events') !== null) return [];
    throw new Failure('defect', 'The service broke its contract: a page has no list of events.', {
      code: 'feed_unreadable',
      outcome: 'sent',
    });
  }
  try {
    const list = JSON.parse(`[${UTF_8.decode(body.subarray(first.start, last.end))}]`) as unknown[];
    if (list.length === events.length) return list;
  } catch {
    // Told below: the parser's own words would repeat what is in the page.
  }
  throw unreadable('of a page', 'is not JSON');
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function unreadable(which: string, how: string): Failure {
  const text = `The service broke its contract: event ${which} ${how}. The copy of the events ends before this page.`;
  return new Failure('defect', text, { code: 'feed_unreadable', outcome: 'sent' });
}
