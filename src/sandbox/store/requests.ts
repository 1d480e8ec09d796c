import type { Database } from '../../runtime/database.js';
import type { LogRow } from '../log/logged.js';
import { conditionsOf, insertInto, pageClause, type Filter, type PageStart } from './rows.js';

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

type StoredRow<T> = Omit<T, 'replayed'> & { readonly replayed: number };

const LIST_COLUMNS =
  'id, at, wall_at, method, path, endpoint, company, status, ms, idempotency_key, replayed, fault, refused';
const CONDITIONS = {
  statusFrom: 'coalesce(status, 0) >= ?',
  statusTo: 'coalesce(status, 0) <= ?',
  method: 'method = ?',
  path: 'instr(path, ?) > 0',
  search:
    "instr(lower(path || ' ' || coalesce(refused, '') || ' ' || coalesce(idempotency_key, '')), lower(?)) > 0",
  company: 'company = ?',
  environment: "iif(path LIKE '/sandbox/%', 'sandbox', 'live') = ?",
  operation: 'operation = ?',
};
const NEWEST_CONDITION = `id > (SELECT coalesce(max(id), 0) - ${REQUESTS_KEPT} FROM requests)`;

export function requestsIn(db: Database) {
  const lastId = (): number =>
    db.query<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'requests'").get()?.seq ?? 0;
  return {
    lastId,
    add(requests: readonly NewRequest[], droppedCount: number): void {
      const firstId = lastId() + droppedCount + 1;
      for (const [index, request] of requests.entries())
        insertInto(db, 'requests', { id: firstId + index, ...request, replayed: request.replayed ? 1 : 0 });
      const newestId = firstId + requests.length - 1;
      const isDropDue = Math.floor(newestId / DROP_GROUP) !== Math.floor((firstId - 1) / DROP_GROUP);
      if (isDropDue) db.run('DELETE FROM requests WHERE id <= ?', newestId - REQUESTS_KEPT);
    },
    page(from: PageStart, filter: Filter<keyof typeof CONDITIONS>, limit: number): RequestRow[] {
      const conditions = [[NEWEST_CONDITION] as const, ...conditionsOf(CONDITIONS, filter)];
      const [clause, ...values] = pageClause('id', from, conditions, limit);
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
