/** The log of requests: the last thousand, each with its answer, both masked. */
import type { SqlValue } from '../../runtime/database-file.js';
import type { Database } from '../../runtime/database.js';
import type { LogRow } from '../log/logged.js';
import { insertInto, pageBounds, type From } from './rows.js';

/** How many are kept. */
export const REQUESTS_KEPT = 1000;
/** How many more there may be before the oldest are dropped: dropping one with every request would cost as much as writing it. */
const SLACK = 100;

/** What a list shows of one, with its times in ms. */
export interface RequestRow extends Omit<LogRow, 'at' | 'wall_at'> {
  readonly at: number;
  readonly wall_at: number;
}

/** One to be kept: `request` and `answer` are JSON. */
export interface NewRequest extends Omit<RequestRow, 'id'> {
  /** The uuid of the operation that it was about. */
  readonly operation: string | null;
  readonly request: string;
  readonly answer: string;
}

type WholeRequest = RequestRow & Pick<NewRequest, 'operation' | 'request' | 'answer'>;

/** What a list is narrowed down to; null: anything. */
export interface RequestFilter {
  /** From the first to the second, or `cut`. */
  readonly status: readonly [from: number, to: number] | 'cut' | null;
  readonly method: string | null;
  /** A part of it. */
  readonly path: string | null;
}

type Stored<T> = Omit<T, 'replayed'> & { readonly replayed: number };

const LISTED =
  'id, at, wall_at, method, path, endpoint, company, status, ms, idempotency_key, replayed, fault, refused';
const KEPT = `id > (SELECT coalesce(max(id), 0) - ${REQUESTS_KEPT} FROM requests)`;

/** @param db the database in a transaction */
export function requestsIn(db: Database) {
  /** The number of the newest there ever was; 0 where there was none. */
  const lastId = (): number =>
    db.query<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'requests'").get()?.seq ?? 0;
  return {
    lastId,
    /** @param missed how many there were before them that were dropped unwritten: they have numbers all the same */
    add(requests: readonly NewRequest[], missed: number): void {
      const first = lastId() + missed + 1;
      for (const [index, request] of requests.entries())
        insertInto(db, 'requests', { id: first + index, ...request, replayed: request.replayed ? 1 : 0 });
      const last = first + requests.length - 1;
      const isRound = Math.floor(last / SLACK) !== Math.floor((first - 1) / SLACK);
      if (isRound) db.run('DELETE FROM requests WHERE id <= ?', last - REQUESTS_KEPT);
    },
    /** Those behind an id, oldest first, or those before one, newest first. */
    page(from: From, { status, method, path }: RequestFilter, limit: number): RequestRow[] {
      const [condition, id, order] = pageBounds('id', from);
      const conditions = [KEPT, condition];
      const values: SqlValue[] = [id];
      const narrow = (one: string, ...its: SqlValue[]): void => {
        conditions.push(one);
        values.push(...its);
      };
      if (status === 'cut') narrow('status IS NULL');
      else if (status !== null) narrow('status BETWEEN ? AND ?', ...status);
      if (method !== null) narrow('method = ?', method);
      if (path !== null) narrow('instr(path, ?) > 0', path);
      return db
        .query<Stored<RequestRow>>(
          `SELECT ${LISTED} FROM requests WHERE ${conditions.join(' AND ')} ${order}`,
        )
        .all(...values, limit)
        .map(fromRow);
    },
    find: (id: number): WholeRequest | undefined =>
      db
        .query<Stored<WholeRequest>>(
          `SELECT ${LISTED}, operation, request, answer FROM requests
           WHERE id = ? AND ${KEPT}`,
        )
        .all(id)
        .map(fromRow)[0],
    /** The ids of those that were about an operation, oldest first. */
    ofOperation: (id: string) =>
      db
        .query<{ id: number }>('SELECT id FROM requests WHERE operation = ? ORDER BY id')
        .all(id)
        .map((row) => row.id),
  };
}

export type Requests = ReturnType<typeof requestsIn>;

function fromRow<T extends RequestRow>(row: Stored<T>): T {
  return { ...row, replayed: row.replayed === 1 } as unknown as T;
}
