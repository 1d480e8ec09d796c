/** The table of deliveries: when each is due, and the result of each attempt (contract section 6). */
import type { ExchangeSide } from '../log/logged.js';
import type { EventType } from '../../contract/events.js';
import type { SqlValue } from '../../runtime/database-file.js';
import type { Database } from '../../runtime/database.js';
import type { NotAnsweredReason } from '../../runtime/transport.js';
import type { DeliveryFault } from './faults.js';
import { conditionsOf, insertInto, pageClause, type Filter, type PageStart } from './rows.js';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'exhausted'] as const;
type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** `free` ends the delay of `hold` and `reorder`, and `again` marks the second sending of a `duplicate`. */
export const DELIVERY_MARKS = ['hold', 'reorder', 'free', 'duplicate', 'again', 'bad-signature'] as const;
export type DeliveryMark = (typeof DELIVERY_MARKS)[number];

export interface StoredAttempt {
  readonly at: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly reason?: NotAnsweredReason;
  readonly fault?: DeliveryFault;
  /** Older versions of svc stored attempts without `headers`, `answer` and `ms`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly answer?: ExchangeSide | null;
  readonly ms?: number;
}

export interface StoredDelivery extends Readonly<Record<'id' | 'event_id' | 'body' | 'url', string>> {
  readonly row: number;
  readonly company: number;
  readonly type: EventType;
  readonly status: DeliveryStatus;
  readonly attempts: readonly StoredAttempt[];
  readonly wait: number;
  readonly next_attempt_at: number | null;
  readonly fault: DeliveryMark | null;
  /** The id of the delivery that is sent before this `reorder` delivery. */
  readonly behind: string | null;
}

type NewDelivery = Pick<StoredDelivery, 'id' | 'company' | 'event_id' | 'type' | 'body' | 'url'>;
export type DeliveryChange = Pick<
  StoredDelivery,
  'url' | 'status' | 'attempts' | 'wait' | 'next_attempt_at' | 'fault'
>;

export type DueDelivery = StoredDelivery & { readonly next_attempt_at: number };

export type CompanyQueue = Pick<DueDelivery, 'company' | 'next_attempt_at'>;

const COLUMNS =
  'row, id, company, event_id, type, body, url, status, attempts, wait, next_attempt_at, fault, behind';

const CONDITIONS = {
  status: 'status = ?',
  operation: `event_id IN (
    SELECT events.id FROM events JOIN operations ON operations.row = events.operation WHERE operations.id = ?)`,
  company: 'company IN (SELECT id FROM companies WHERE name = ?)',
  environment: 'company IN (SELECT id FROM companies WHERE environment = ?)',
  search: `(instr(id, lower(?)) > 0 OR instr(event_id, lower(?)) > 0 OR instr(type, lower(?)) > 0
    OR instr(lower(url), lower(?)) > 0 OR event_id IN (
      SELECT events.id FROM events JOIN operations ON operations.row = events.operation
      WHERE instr(operations.id, lower(?)) > 0 OR instr(lower(coalesce(reference, '')), lower(?)) > 0))`,
};

/** Finds each company by an index lookup, because DISTINCT would read all deliveries. */
const QUEUES_QUERY = `
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

export function deliveriesIn(db: Database) {
  const select = (rest: string, ...values: SqlValue[]): StoredDelivery[] =>
    db
      .query<Omit<StoredDelivery, 'attempts'> & { readonly attempts: string }>(
        `SELECT ${COLUMNS} FROM deliveries ${rest}`,
      )
      .all(...values)
      .map((row) => ({ ...row, attempts: JSON.parse(row.attempts) as StoredAttempt[] }));
  return {
    enqueue: (delivery: NewDelivery, nowMs: number) => {
      const initialState = { status: 'pending', attempts: '[]', wait: 0, next_attempt_at: nowMs };
      insertInto(db, 'deliveries', { ...delivery, ...initialState });
    },
    update(delivery: StoredDelivery, change: DeliveryChange): StoredDelivery {
      const { url, status, attempts, wait, next_attempt_at: next, fault } = change;
      db.run(
        'UPDATE deliveries SET url = ?, status = ?, attempts = ?, wait = ?, next_attempt_at = ?, fault = ?, behind = NULL WHERE row = ?',
        ...[url, status, JSON.stringify(attempts), wait, next, fault, delivery.row],
      );
      return { ...delivery, ...change, behind: null };
    },
    find: (id: string) => select('WHERE id = ?', id)[0],
    all: () => select('ORDER BY row'),
    page: (from: PageStart, filter: Filter<keyof typeof CONDITIONS>, limit: number) =>
      select(...pageClause('row', from, conditionsOf(CONDITIONS, filter), limit)),
    nextScheduled: () => select('WHERE next_attempt_at IS NOT NULL ORDER BY next_attempt_at, row LIMIT 1')[0],
    countDue: (untilMs: number) =>
      db
        .query<{ count: number }>('SELECT count(*) AS count FROM deliveries WHERE next_attempt_at <= ?')
        .get(untilMs)?.count ?? 0,
    queues: () => db.query<CompanyQueue>(QUEUES_QUERY).all(),
    queueOf: (company: number, limit: number) =>
      select(
        'WHERE company = ? AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at, row LIMIT ?',
        company,
        limit,
      ) as DueDelivery[],
    hasReordered: (company: number) =>
      select("WHERE company = ? AND fault = 'reorder' AND behind IS NULL LIMIT 1", company).length > 0,
    putReorderedBehind: (company: number, id: string) =>
      db.run(
        "UPDATE deliveries SET behind = ? WHERE company = ? AND fault = 'reorder' AND behind IS NULL AND id <> ?",
        ...[id, company, id],
      ),
    releaseBehind: ({ company, id }: StoredDelivery, atMs: number) =>
      db.run(
        `UPDATE deliveries SET next_attempt_at = ?
         WHERE company = ? AND fault = 'reorder' AND behind = ?`,
        ...[atMs, company, id],
      ),
    releaseHeld: (nowMs: number) => {
      db.run("UPDATE deliveries SET fault = NULL WHERE fault IN ('duplicate', 'bad-signature')");
      return db.run(
        `UPDATE deliveries SET next_attempt_at = ?
         WHERE fault IN ('hold', 'reorder') AND (next_attempt_at IS NULL OR next_attempt_at > ?)`,
        ...[nowMs, nowMs],
      );
    },
  };
}
