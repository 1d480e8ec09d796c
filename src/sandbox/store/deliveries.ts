/** The deliveries of events to registered URLs: when each is sent, and the result of each attempt (section 6). */
import type { BodyView } from '../log/sides.js';
import type { EventType } from '../../contract/events.js';
import type { SqlValue } from '../../runtime/database-file.js';
import type { Database } from '../../runtime/database.js';
import type { NotAnsweredReason } from '../../runtime/transport.js';
import type { DeliveryFault } from './faults.js';
import { insertInto, lowered, pageBounds, type From } from './rows.js';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'exhausted'] as const;
type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * The delivery fault that a delivery met, until its end: `hold` and `reorder` keep it back until its next attempt is due, `free` was let
 * go, `duplicate` goes once more when it is accepted, and `again` is that.
 */
export const DELIVERY_MARKS = ['hold', 'reorder', 'free', 'duplicate', 'again', 'bad-signature'] as const;
export type DeliveryMark = (typeof DELIVERY_MARKS)[number];

/** One attempt: when, the receiver's status, or why there is none. */
export interface StoredAttempt {
  readonly at: string;
  readonly status: number | null;
  readonly error: string | null;
  /** Of what kind the error is. */
  readonly reason?: NotAnsweredReason;
  /** The delivery fault that it was sent with. */
  readonly fault?: DeliveryFault;
  /** What was sent beside the body, by name as sent; absent where it was made before that was kept, as the others. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What came back, the beginning of its body; null where nothing did. */
  readonly answer?: ReceivedAnswer | null;
  /** How long it took. */
  readonly ms?: number;
}

interface ReceivedAnswer extends BodyView {
  readonly headers: Readonly<Record<string, string>>;
}

export interface StoredDelivery {
  readonly row: number;
  readonly id: string;
  readonly company: number;
  readonly event_id: string;
  readonly type: EventType;
  /** The bytes to send, as text. */
  readonly body: string;
  /** Where it was sent last, or will be sent first. */
  readonly url: string;
  readonly status: DeliveryStatus;
  readonly attempts: readonly StoredAttempt[];
  /** How many waits of the schedule are behind it; a resend starts at 0. */
  readonly wait: number;
  /** Sandbox time in ms; null: no more. */
  readonly next_attempt_at: number | null;
  readonly fault: DeliveryMark | null;
  /** The id of the delivery that passes this one, where it waits for that and it is known. */
  readonly behind: string | null;
}

type NewDelivery = Pick<StoredDelivery, 'id' | 'company' | 'event_id' | 'type' | 'body' | 'url'>;
export type DeliveryChange = Pick<
  StoredDelivery,
  'url' | 'status' | 'attempts' | 'wait' | 'next_attempt_at' | 'fault'
>;

/** What a list is narrowed down to; null: anything. */
export interface DeliveryFilter {
  readonly status: DeliveryStatus | null;
  /** The id of the operation. */
  readonly operation: string | null;
  /** A part of an id, of its operation's id or reference, of the type or of the url. */
  readonly search: string | null;
}

/** A delivery that has an attempt before it. */
export type DueDelivery = StoredDelivery & { readonly next_attempt_at: number };

export interface CompanyQueue {
  readonly company: number;
  readonly next_attempt_at: number;
}

interface Row extends Omit<StoredDelivery, 'attempts'> {
  readonly attempts: string;
}

const COLUMNS =
  'row, id, company, event_id, type, body, url, status, attempts, wait, next_attempt_at, fault, behind';

const OF_OPERATION = `event_id IN (
  SELECT events.id FROM events JOIN operations ON operations.row = events.operation WHERE operations.id = ?)`;
const FOUND = `(instr(id, ?) > 0 OR instr(event_id, ?) > 0 OR instr(type, ?) > 0 OR instr(lower(url), ?) > 0 OR event_id IN (
  SELECT events.id FROM events JOIN operations ON operations.row = events.operation
  WHERE instr(operations.id, ?) > 0 OR instr(lower(coalesce(reference, '')), ?) > 0))`;

/** Steps from company to company in the index, whatever the number of deliveries: DISTINCT would read all of them. */
const LANES = `
WITH RECURSIVE owed (company) AS (
  SELECT min(company) FROM deliveries WHERE next_attempt_at IS NOT NULL
  UNION ALL
  SELECT (SELECT min(company) FROM deliveries WHERE company > owed.company AND next_attempt_at IS NOT NULL)
  FROM owed WHERE company IS NOT NULL
)
SELECT company, (
  SELECT min(next_attempt_at) FROM deliveries
  WHERE deliveries.company = owed.company AND next_attempt_at IS NOT NULL
) AS next_attempt_at
FROM owed WHERE company IS NOT NULL`;

/** @param db the database in a transaction */
export function deliveriesIn(db: Database) {
  const select = (rest: string, ...values: SqlValue[]): StoredDelivery[] =>
    db
      .query<Row>(`SELECT ${COLUMNS} FROM deliveries ${rest}`)
      .all(...values)
      .map(fromRow);
  return {
    /** Pending, its first attempt due at that moment. */
    enqueue: ({ id, company, event_id, type, body, url }: NewDelivery, nowMs: number) => {
      const first = { status: 'pending', attempts: '[]', wait: 0, next_attempt_at: nowMs };
      insertInto(db, 'deliveries', { id, company, event_id, type, body, url, ...first });
    },
    update(delivery: StoredDelivery, change: DeliveryChange): StoredDelivery {
      db.run(
        'UPDATE deliveries SET url = ?, status = ?, attempts = ?, wait = ?, next_attempt_at = ?, fault = ?, behind = NULL WHERE row = ?',
        change.url,
        change.status,
        JSON.stringify(change.attempts),
        change.wait,
        change.next_attempt_at,
        change.fault,
        delivery.row,
      );
      return { ...delivery, ...change, behind: null };
    },
    find: (id: string) => select('WHERE id = ?', id)[0],
    /** Every one, oldest first. */
    all: () => select('ORDER BY row'),
    /** Those behind a row, oldest first, or those before one, newest first. */
    page: (from: From, { status, operation, search }: DeliveryFilter, limit: number) => {
      const [condition, row, order] = pageBounds('row', from);
      const conditions = [condition];
      const values: SqlValue[] = [row];
      const narrow = (one: string, ...its: SqlValue[]): void => {
        conditions.push(one);
        values.push(...its);
      };
      if (status !== null) narrow('status = ?', status);
      if (operation !== null) narrow(OF_OPERATION, operation);
      if (search !== null) narrow(FOUND, ...Array<string>(6).fill(lowered(search)));
      return select(`WHERE ${conditions.join(' AND ')} ${order}`, ...values, limit);
    },
    /** The one whose next attempt comes first of all. */
    nextOwed: () => select('WHERE next_attempt_at IS NOT NULL ORDER BY next_attempt_at, row LIMIT 1')[0],
    /** The companies that are owed attempts, and the moment of each one's first. */
    queues: () => db.query<CompanyQueue>(LANES).all(),
    /** The next attempts owed to a company, in the order of their moments. */
    owed: (company: number, limit: number) =>
      select(
        'WHERE company = ? AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at, row LIMIT ?',
        company,
        limit,
      ) as DueDelivery[],
    /** Whether one of the company waits to be passed by the next. */
    isPassed: (company: number) =>
      select("WHERE company = ? AND fault = 'reorder' AND behind IS NULL LIMIT 1", company).length > 0,
    /** Lets the company's one delivery that waits to be passed wait for this one. */
    letPass: (company: number, id: string) => {
      db.run(
        "UPDATE deliveries SET behind = ? WHERE company = ? AND fault = 'reorder' AND behind IS NULL AND id <> ?",
        ...[id, company, id],
      );
    },
    /** Lets go what this one has passed: due at that moment. */
    letGoBehind: ({ company, id }: StoredDelivery, atMs: number) => {
      db.run(
        `UPDATE deliveries SET next_attempt_at = ?, fault = 'free', behind = NULL
         WHERE company = ? AND fault = 'reorder' AND behind = ?`,
        ...[atMs, company, id],
      );
    },
    /** Lets go everything that a fault keeps back at that moment, and forgets the faults that were met; says how many it let go. */
    letGo: (nowMs: number) => {
      db.run("UPDATE deliveries SET fault = NULL WHERE fault IN ('duplicate', 'bad-signature')");
      return db.run(
        `UPDATE deliveries SET next_attempt_at = ?, fault = 'free', behind = NULL
         WHERE fault IN ('hold', 'reorder') AND (next_attempt_at IS NULL OR next_attempt_at > ?)`,
        ...[nowMs, nowMs],
      );
    },
  };
}

function fromRow(row: Row): StoredDelivery {
  return { ...row, attempts: JSON.parse(row.attempts) as StoredAttempt[] };
}
