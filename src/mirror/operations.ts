/** What the events of a page say, as the mirror keeps it. Pure. */
import { memberAt, type Range } from '../contract/json-bytes.js';
import { type KnownOperation, readEventOperation } from '../contract/operation-facts.js';
import { Failure } from '../runtime/failure.js';

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
    const members = isObject(event) ? event : {};
    const { id, type } = members;
    if (typeof id !== 'string' || typeof type !== 'string')
      throw unreadable(`${at + 1} of a page`, 'has no type');
    const operation = readEventOperation(id, members);
    if (typeof operation === 'string') throw unreadable(id, operation);
    return operation ?? [];
  });
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

function unreadable(which: string, how: string): Failure {
  const text = `The service broke its contract: event ${which} ${how}. The copy of the events ends before this page.`;
  return new Failure('defect', text, { code: 'feed_unreadable', outcome: 'sent' });
}
