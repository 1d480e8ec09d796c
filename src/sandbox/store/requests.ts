import type { Database } from '../../runtime/database.js';
import type { Environment } from '../../contract/access.js';
import type { LogRow } from '../log/logged.js';
import { insertInto, pageClause, toLowerAscii, type Condition, type PageStart } from './rows.js';

export const REQUESTS_KEPT = 1000;
const DROP_GROUP = 100;

export interface RequestRow extends Omit<LogRow, 'at' | 'wall_at'> {
  readonly at: number;
  readonly wall_at: number;
}

export interface NewRequest extends Omit<RequestRow, 'id'> {
  readonly operation: string | null;
  readonly request: string;
  readonly answer: string;
}

type FullRequest = RequestRow & Pick<NewRequest, 'operation' | 'request' | 'answer'>;

export interface RequestFilter {
  readonly status: readonly [from: number, to: number] | 'cut' | null;
  readonly method: string | null;
  readonly path: string | null;
  readonly search: string | null;
  readonly company: string | null;
  readonly environment: Environment | null;
  readonly operation: string | null;
}

type StoredRow<T> = Omit<T, 'replayed'> & { readonly replayed: number };

const LIST_COLUMNS =
  'id, at, wall_at, method, path, endpoint, company, status, ms, idempotency_key, replayed, fault, refused';
const SEARCH_CONDITION =
  "instr(lower(path || ' ' || coalesce(refused, '') || ' ' || coalesce(idempotency_key, '')), ?) > 0";
const NEWEST_CONDITION = `id > (SELECT coalesce(max(id), 0) - ${REQUESTS_KEPT} FROM requests)`;

export function requestsIn(db: Database) {
  const lastId = (): number =>
    db.query<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'requests'").get()?.seq ?? 0;
  return {
    lastId,
    add(requests: readonly NewRequest[], droppedCount: number): void {
      const first = lastId() + droppedCount + 1;
      for (const [index, request] of requests.entries())
        insertInto(db, 'requests', { id: first + index, ...request, replayed: request.replayed ? 1 : 0 });
      const newestId = first + requests.length - 1;
      const isDropDue = Math.floor(newestId / DROP_GROUP) !== Math.floor((first - 1) / DROP_GROUP);
      if (isDropDue) db.run('DELETE FROM requests WHERE id <= ?', newestId - REQUESTS_KEPT);
    },
    page(from: PageStart, filter: RequestFilter, limit: number): RequestRow[] {
      const { status, method, path, search, company, environment, operation } = filter;
      const filters: (Condition | null)[] = [
        [NEWEST_CONDITION],
        status === null
          ? null
          : status === 'cut'
            ? ['status IS NULL']
            : ['status BETWEEN ? AND ?', ...status],
        method === null ? null : ['method = ?', method],
        path === null ? null : ['instr(path, ?) > 0', path],
        search === null ? null : [SEARCH_CONDITION, toLowerAscii(search)],
        company === null ? null : ['company = ?', company],
        environment === null ? null : ["(path LIKE '/sandbox/%') = ?", environment === 'sandbox' ? 1 : 0],
        operation === null ? null : ['operation = ?', operation],
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
