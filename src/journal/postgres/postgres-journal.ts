/** The journal in PostgreSQL: the creates of several machines in one book. */
import { bodyMark } from '../../contract/marks.js';
import { clusterOf, clusterSqlOf } from '../../state/cluster.js';
import { openState, type StateOptions } from '../../state/opening.js';
import type { Journal } from '../journal.js';
import { BODY_KEPT_MS, MARKS_KEPT_MS } from '../request.js';
import {
  hidden,
  type JournalWorld,
  listedRequestsIn,
  openRequestsIn,
  requestsWhere,
  shownWhere,
} from './records.js';
import { againShared, recordShared } from './recording.js';
import {
  CLEAR_REQUESTS,
  FORGET_REQUESTS,
  KEEP_REQUEST,
  KNOWS_REQUEST,
  REQUEST_IS_THERE,
  SETTLE_REQUEST,
  TAKEN_OVER_AT,
  WITHDRAW_REQUEST,
} from './statements.js';

interface TakeoverRecord {
  readonly at: number | null;
  readonly now: number;
}

export interface PostgresJournalOptions extends StateOptions, Omit<JournalWorld, 'connection'> {}

/** @throws Failure `local_state` where it can't be reached, or holds no tables that this program knows: then nothing may be sent */
export async function openPostgresJournal(options: PostgresJournalOptions): Promise<Journal> {
  const { connection, tables } = await openState(options);
  const { key: stateKey } = options;
  const world = { ...options, connection };
  const find = requestsWhere.bind(null, world);
  // A server that took over may have given the number to another one: only what this process has sent is changed.
  const change = async (sql: string, ...values: readonly unknown[]): Promise<number> =>
    (await connection.run(sql, values)).count;
  // The sendings of this process whose end it has not heard of yet, by request: each takes away its own.
  const sendings = new Map<number, string[]>();
  const sent = (row: number, token: string): void =>
    void sendings.set(row, [...(sendings.get(row) ?? []), token]);
  return {
    keySalt: tables.key_salt,
    record: async (leaving, how) => {
      const { outcome, token } = await recordShared(leaving, how, world);
      if (!('kind' in outcome)) sent(outcome.request.row, token);
      return outcome;
    },
    again: async (request, sender) => {
      const { request: there, token } = await againShared({ ...request, ...sender }, world);
      sent(there.row, token);
      return there;
    },
    settle: async ({ row }, { operation, status }, firstLeftMs) => {
      await change(SETTLE_REQUEST, row, operation, status, whole(firstLeftMs), sendings.get(row) ?? []);
    },
    keep: async (request, firstLeftMs) => {
      const { row, body } = request;
      const kept = body === null ? null : hidden(body, request, stateKey);
      const mine = sendings.get(row) ?? [];
      const changed = await change(KEEP_REQUEST, row, kept, whole(firstLeftMs), mine);
      if (changed > 0 || body === null || mine.length === 0) return;
      // A server that took over has forgotten it: whoever repeats it has to find it.
      const { rows } = await connection.run(REQUEST_IS_THERE, [row, request.idempotencyKey]);
      if (rows.length === 0) await againShared({ ...request, state: 'open', body }, world);
    },
    withdraw: async ({ row }) => {
      const token = sendings.get(row)?.pop();
      if (token !== undefined) await change(WITHDRAW_REQUEST, row, token);
    },
    update: async ({ row }, status) => {
      await change('UPDATE svc.requests SET status = $2 WHERE request = $1', row, status);
    },
    knows: async ({ idempotencyKey, body }) => {
      const values = [idempotencyKey, Buffer.from(bodyMark(body))];
      return (await connection.run<{ known: boolean }>(KNOWS_REQUEST, values)).rows[0]?.known === true;
    },
    open: (key) => openRequestsIn(world, key),
    listed: () => listedRequestsIn(world),
    ofReferences: ({ environment, direction, referenceMarks }) =>
      shownWhere(
        world,
        'r.reference_mark = ANY ($1::bytea[]) AND r.environment = $2 AND r.direction = $3 ORDER BY r.request',
        ...[referenceMarks.map((mark) => Buffer.from(mark)), environment, direction],
      ),
    behind: (row) => find('r.request > $1 AND r.reference_mark IS NOT NULL ORDER BY r.request', row),
    lastRow: async () =>
      (await connection.run<{ requests: number }>('SELECT requests FROM svc.changes')).rows[0]?.requests ?? 0,
    ofOperations: (environment, beginning, after, count) =>
      shownWhere(
        world,
        'r.operation IS NOT NULL AND r.environment = $1 AND starts_with(lower(r.operation), $2) AND r.request > $3 ORDER BY r.request LIMIT $4',
        ...[environment, beginning, after, count],
      ),
    newestOf: async (keyPrint, environment) => {
      const [newest] = await find(
        'r.operation IS NOT NULL AND r.key_print = $1 AND r.environment = $2 ORDER BY r.request DESC LIMIT 1',
        ...[keyPrint, environment],
      );
      return newest?.settled?.operation ?? null;
    },
    takenOverAtMs: async () => {
      const { cluster, timeline } = await clusterOf(connection, await clusterSqlOf(connection));
      const [look] = (await connection.run<TakeoverRecord>(TAKEN_OVER_AT, [cluster, timeline])).rows;
      return look === undefined || look.at === null || look.now - look.at > MARKS_KEPT_MS ? null : look.at;
    },
    clear: async (nowMs) => {
      await change(CLEAR_REQUESTS, Math.round(nowMs - BODY_KEPT_MS), Math.round(nowMs - MARKS_KEPT_MS));
    },
    forget: async (key) => {
      const values = [key ?? null, options.newToken()];
      return (await connection.run<{ forgotten: number }>(FORGET_REQUESTS, values)).rows[0]?.forgotten ?? 0;
    },
    drop: (environment, origin) =>
      change('DELETE FROM svc.requests WHERE environment = $1 AND origin = $2', environment, origin),
    close: () => connection.close(),
  };
}

function whole(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms);
}
