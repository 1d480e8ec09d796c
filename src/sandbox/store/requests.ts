/** The table of the request log: the last thousand requests with their answers, both masked. */
import type { Database } from '../../runtime/database.js';
import type { LogRow } from '../log/logged.js';
import { insertInto, pageClause, type Condition, type PageStart } from './rows.js';

/** How many requests the log keeps. */
export const REQUESTS_KEPT = 1000;
/** Old requests are deleted in groups of this size: deleting one with each request would cost as much as writing it. */
const DROP_GROUP = 100;

/** A request in a list, with times in ms. */
export interface RequestRow extends Omit<LogRow, 'at' | 'wall_at'> {
  readonly at: number;
  readonly wall_at: number;
}

/** A request to be logged; `request` and `answer` are JSON. */
export interface NewRequest extends Omit<RequestRow, 'id'> {
  /** The UUID of the operation that the request concerned. */
  readonly operation: string | null;
  readonly request: string;
  readonly answer: string;
}

type FullRequest = RequestRow & Pick<NewRequest, 'operation' | 'request' | 'answer'>;

/** The conditions of a list of requests. A null member is no condition. */
export interface RequestFilter {
  /** The first and the last status of a range, or `cut` for requests whose connection was cut. */
  readonly status: readonly [from: number, to: number] | 'cut' | null;
  readonly method: string | null;
  /** Part of the path. */
  readonly path: string | null;
}

type StoredRow<T> = Omit<T, 'replayed'> & { readonly replayed: number };

const LIST_COLUMNS =
  'id, at, wall_at, method, path, endpoint, company, status, ms, idempotency_key, replayed, fault, refused';
const NEWEST_CONDITION = `id > (SELECT coalesce(max(id), 0) - ${REQUESTS_KEPT} FROM requests)`;

/** @param db the database in a transaction */
export function requestsIn(db: Database) {
  /** The largest request id ever used; 0 before the first request. */
  const lastId = (): number =>
    db.query<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'requests'").get()?.seq ?? 0;
  return {
    lastId,
    /** @param droppedCount how many requests before these were never written; their ids are skipped */
    add(requests: readonly NewRequest[], droppedCount: number): void {
      const first = lastId() + droppedCount + 1;
      for (const [index, request] of requests.entries())
        insertInto(db, 'requests', { id: first + index, ...request, replayed: request.replayed ? 1 : 0 });
      const newestId = first + requests.length - 1;
      const isDropDue = Math.floor(newestId / DROP_GROUP) !== Math.floor((first - 1) / DROP_GROUP);
      if (isDropDue) db.run('DELETE FROM requests WHERE id <= ?', newestId - REQUESTS_KEPT);
    },
    page(from: PageStart, { status, method, path }: RequestFilter, limit: number): RequestRow[] {
      const filters: (Condition | null)[] = [
        [NEWEST_CONDITION],
        status === null
          ? null
          : status === 'cut'
            ? ['status IS NULL']
            : ['status BETWEEN ? AND ?', ...status],
        method === null ? null : ['method = ?', method],
        path === null ? null : ['instr(path, ?) > 0', path],
      ];
      const [clause, ...values] = pageClause('id', from, filters, limit);
      return db
        .query<StoredRow<RequestRow>>(`SELECT ${LIST_COLUMNS} FROM requests ${clause}`)
        .all(...values)
        .map(fromRow);
    },
    find: (id: number): FullRequest | undefined =>
      db
        .query<StoredRow<FullRequest>>(
          `SELECT ${LIST_COLUMNS}, operation, request, answer FROM requests
           WHERE id = ? AND ${NEWEST_CONDITION}`,
        )
        .all(id)
        .map(fromRow)[0],
    /** The ids of the requests that concerned an operation, oldest first. */
    ofOperation: (id: string) =>
      db
        .query<{ id: number }>('SELECT id FROM requests WHERE operation = ? ORDER BY id')
        .all(id)
        .map((row) => row.id),
  };
}

export type Requests = ReturnType<typeof requestsIn>;

function fromRow<T extends RequestRow>(row: StoredRow<T>): T {
  return { ...row, replayed: row.replayed === 1 } as unknown as T;
}
