/** The deliveries of events to registered URLs: when each is sent, and the result of each attempt (section 6). */
import type { ShownBody } from '../log/sides.js';
import type { EventType } from '../../contract/events.js';
import type { SqlValue } from '../../runtime/database-file.js';
import type { Database } from '../../runtime/database.js';
import { insertInto, pageBounds, type From } from './rows.js';

type DeliveryStatus = 'pending' | 'delivered' | 'exhausted';

/** One attempt: when, the receiver's status, or why there is none. */
export interface StoredAttempt {
  readonly at: string;
  readonly status: number | null;
  readonly error: string | null;
  /** What was sent beside the body, by name in lower case; absent where it was made before that was kept, as the others. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What came back, the beginning of its body; null where nothing did. */
  readonly answer?: ReceivedAnswer | null;
  /** How long it took. */
  readonly ms?: number;
}

interface ReceivedAnswer extends ShownBody {
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
}

type NewDelivery = Pick<StoredDelivery, 'id' | 'company' | 'event_id' | 'type' | 'body' | 'url'>;
export type DeliveryChange = Pick<StoredDelivery, 'url' | 'status' | 'attempts' | 'wait' | 'next_attempt_at'>;

export interface Deliveries {
  /** Pending, its first attempt due at that moment. */
  enqueue(delivery: NewDelivery, nowMs: number): void;
  update(delivery: StoredDelivery, change: DeliveryChange): StoredDelivery;
  find(id: string): StoredDelivery | undefined;
  /** Every one, oldest first. */
  all(): StoredDelivery[];
  /** Those behind a row, oldest first, or those before one, newest first. */
  page(from: From, limit: number): StoredDelivery[];
  /** The one whose next attempt comes first of all. */
  nextOwed(): StoredDelivery | undefined;
  /** The companies that are owed attempts, and the moment of each one's first. */
  queues(): CompanyQueue[];
  /** The next attempts owed to a company, in the order of their moments. */
  owed(company: number, limit: number): DueDelivery[];
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

const COLUMNS = 'row, id, company, event_id, type, body, url, status, attempts, wait, next_attempt_at';

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
export function deliveriesIn(db: Database): Deliveries {
  const select = (rest: string, ...values: SqlValue[]): StoredDelivery[] =>
    db
      .query<Row>(`SELECT ${COLUMNS} FROM deliveries ${rest}`)
      .all(...values)
      .map(fromRow);
  return {
    enqueue: ({ id, company, event_id, type, body, url }, nowMs) => {
      const first = { status: 'pending', attempts: '[]', wait: 0, next_attempt_at: nowMs };
      insertInto(db, 'deliveries', { id, company, event_id, type, body, url, ...first });
    },
    update(delivery, change) {
      db.run(
        'UPDATE deliveries SET url = ?, status = ?, attempts = ?, wait = ?, next_attempt_at = ? WHERE row = ?',
        change.url,
        change.status,
        JSON.stringify(change.attempts),
        change.wait,
        change.next_attempt_at,
        delivery.row,
      );
      return { ...delivery, ...change };
    },
    find: (id) => select('WHERE id = ?', id)[0],
    all: () => select('ORDER BY row'),
    page: (from, limit) => {
      const [condition, row, order] = pageBounds('row', from);
      return select(`WHERE ${condition} ${order}`, row, limit);
    },
    nextOwed: () => select('WHERE next_attempt_at IS NOT NULL ORDER BY next_attempt_at, row LIMIT 1')[0],
    queues: () => db.query<CompanyQueue>(LANES).all(),
    owed: (company, limit) =>
      select(
        'WHERE company = ? AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at, row LIMIT ?',
        company,
        limit,
      ) as DueDelivery[],
  };
}

function fromRow(row: Row): StoredDelivery {
  return { ...row, attempts: JSON.parse(row.attempts) as StoredAttempt[] };
}
