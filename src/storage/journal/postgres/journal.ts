import { clusterOf, clusterSqlOf } from '../../postgres/cluster.js';
import { openState, type StateOptions } from '../../postgres/open.js';
import { isAmongTexts } from '../../postgres/sql.js';
import { wholeMs } from '../../tables/column-tables.js';
import { bodyMark } from '../../../contract/marks.js';
import type { KeyNote } from '../../../contract/key-use.js';
import { GONE } from '../../../contract/operation.js';
import type { Journal, NotedKey } from '../journal.js';
import { BODY_KEPT_MS, MARKS_KEPT_MS, UNREFERENCED_KEPT_MS } from '../request.js';
import * as sql from './changes.js';
import { anchorIn, type TimeRecord } from '../records.js';
import {
  HAS_LEFT,
  encryptBody,
  type JournalWorld,
  KEY_HAS_LEFT,
  NEWEST_TIME,
  REQUEST_EXISTS,
  requestReads,
} from './reads.js';
import { anchorParameters, clearShared, reinsert, recordShared } from './record.js';

function contextOf({ environment, idempotencyKey }: NotedKey, kind: KeyNote['kind']): string {
  return ['svc key note', environment, idempotencyKey, kind].join('\0');
}

export interface PostgresJournalOptions extends StateOptions, Omit<JournalWorld, 'connection'> {}

export async function openPostgresJournal(options: PostgresJournalOptions): Promise<Journal> {
  const { connection, tables } = await openState(options);
  const { key: stateKey } = options;
  const world = { ...options, connection };
  const { find, findShown, findLiving, open, openForDisplay } = requestReads(world);
  const change = async (text: string, ...values: readonly unknown[]): Promise<number> =>
    (await connection.run(text, values)).count;
  // A token identifies a request, because a server that took over may give the same row number to
  // another request.
  const tokens = new Map<number, string>();
  const sendings = new Map<number, string[]>();
  const noteSending = (row: number, token: string): void =>
    void sendings.set(row, [...(sendings.get(row) ?? []), token]);
  return {
    keySalt: tables.key_salt,
    record: async (unsent, precedenceOptions) => {
      const { outcome, token } = await recordShared(unsent, precedenceOptions, world);
      if (!('kind' in outcome) && outcome.isNew) tokens.set(outcome.request.row, token);
      return outcome;
    },
    recordAndClear: () => Promise.resolve(null),
    clear: async (request, departure) => {
      const token =
        (request.state === 'recorded' ? tokens.get(request.row) : undefined) ?? options.newToken();
      const openRequest = await clearShared(request, departure, token, world);
      if (openRequest === null) return null;
      tokens.delete(request.row);
      noteSending(request.row, token);
      return openRequest;
    },
    release: async ({ row }) => {
      const token = tokens.get(row);
      if (token !== undefined) await change(sql.RELEASE_REQUEST, row, token);
      tokens.delete(row);
    },
    settle: async ({ row }, { operation, status, createdAtMs }, { leftServiceMs, anchor } = {}) => {
      const facts = [row, operation, status, wholeMs(createdAtMs), wholeMs(leftServiceMs)];
      await change(sql.SETTLE_REQUEST, ...facts, sendings.get(row) ?? [], ...anchorParameters(anchor));
    },
    keepOpen: async (request, { leftServiceMs, anchor } = {}) => {
      const { row, body } = request;
      const hiddenBody = body === null ? null : encryptBody(body, request, stateKey);
      const ownSendings = sendings.get(row) ?? [];
      const facts = [row, hiddenBody, wholeMs(leftServiceMs), ownSendings];
      const changedCount = await change(sql.KEEP_OPEN, ...facts, ...anchorParameters(anchor));
      if (changedCount > 0 || body === null || ownSendings.length === 0) return;
      // The request is inserted again, because a server that took over may have forgotten it.
      const { rows } = await connection.run(REQUEST_EXISTS, [row, request.idempotencyKey]);
      if (rows.length === 0) await reinsert({ ...request, body }, options.newToken(), world);
    },
    withdraw: async ({ row }) => {
      const token = sendings.get(row)?.pop();
      if (token !== undefined) await change(sql.WITHDRAW_REQUEST, row, token);
    },
    refute: async ({ row }) => {
      await change(sql.REFUTE_REQUEST, row, sendings.get(row) ?? []);
      sendings.delete(row);
    },
    remove: async ({ row, sendings: count }) => (await change(sql.REMOVE_REQUEST, row, count)) === 1,
    noteStatus: async (operation, status) => {
      if (status === GONE) await change(sql.REOPEN_REQUEST, operation);
      else await change(sql.NOTE_STATUS, operation, status);
    },
    setStatus: async (operation, status) => {
      await change(sql.SET_STATUS, operation, status);
    },
    hasLeft: async (key) =>
      (await connection.run<{ known: boolean }>(KEY_HAS_LEFT, [key])).rows[0]?.known === true,
    open,
    openForDisplay,
    withKey: (key) => find(`r.idempotency_key = $1 AND ${HAS_LEFT} ORDER BY r.request`, key),
    ofReferences: ({ environment, direction, referenceMarks }) =>
      findLiving(
        'r.reference_mark = ANY ($1::bytea[]) AND r.environment = $2 AND r.direction = $3 ORDER BY r.request',
        ...[referenceMarks, environment, direction],
      ),
    ofTwins: ({ environment, direction, twinMark, metadataMark }) =>
      findLiving(
        'r.twin_mark = $1 AND r.reference_mark IS NULL AND r.metadata_mark = $2 AND r.environment = $3 AND r.direction = $4 ORDER BY r.request',
        ...[twinMark, metadataMark, environment, direction],
      ),
    afterRow: (row) => findLiving('r.request > $1 AND r.reference_mark IS NOT NULL ORDER BY r.request', row),
    lastRow: async () =>
      (await connection.run<{ requests: number }>('SELECT requests FROM svc.changes')).rows[0]?.requests ?? 0,
    withOperations: (operations) => {
      const ids = operations.map((id) => id.toLowerCase());
      return findShown(`r.operation IS NOT NULL AND ${isAmongTexts('lower(r.operation)')}`, ids);
    },
    ofOperations: (environment, beginning, after, count) =>
      findShown(
        'r.operation IS NOT NULL AND r.environment = $1 AND starts_with(lower(r.operation), $2) AND r.request > $3 ORDER BY r.request LIMIT $4',
        ...[environment, beginning, after, count],
      ),
    newestOf: async (keyPrint, environment) => {
      const [newest] = await find(
        'r.operation IS NOT NULL AND r.key_print = $1 AND r.environment = $2 AND r.status <> $3 ORDER BY r.request DESC LIMIT 1',
        ...[keyPrint, environment, GONE],
      );
      return newest ?? null;
    },
    newestTime: async ({ environment, origin }, bootId) => {
      const values = [environment, origin, bootId];
      return anchorIn((await connection.run<TimeRecord>(NEWEST_TIME, values)).rows[0]);
    },
    noteTime: async ({ environment, origin }, anchor) => {
      await change(sql.SET_TIME, environment, origin, ...anchorParameters(anchor));
    },
    takenOverAtMs: async () => {
      const { cluster, timeline } = await clusterOf(connection, await clusterSqlOf(connection));
      const answer = await connection.run<{ at: number | null; now: number }>(sql.TAKEN_OVER_AT, [
        cluster,
        timeline,
      ]);
      const [look] = answer.rows;
      return look === undefined || look.at === null || look.now - look.at > MARKS_KEPT_MS ? null : look.at;
    },
    noteKey: async (notedKey, { kind, body, notedAtMs }) => {
      const { idempotencyKey, environment, origin, keyPrint } = notedKey;
      const hiddenBody = stateKey === null ? body : stateKey.hide(body, contextOf(notedKey, kind));
      const values = [idempotencyKey, environment, origin, keyPrint, kind, bodyMark(body)];
      await change(sql.NOTE_KEY, ...values, Buffer.from(hiddenBody), Math.round(notedAtMs));
    },
    keyNotes: async (notedKey) => {
      const values = [notedKey.idempotencyKey, notedKey.environment, notedKey.keyPrint];
      const { rows } = await connection.run<KeyNote>(sql.KEY_NOTES, values);
      return rows.flatMap((note) => {
        const body =
          stateKey === null ? note.body : stateKey.reveal(note.body, contextOf(notedKey, note.kind));
        return body === null ? [] : [{ ...note, body }];
      });
    },
    sweep: async (nowMs) => {
      const ages = [BODY_KEPT_MS, MARKS_KEPT_MS, UNREFERENCED_KEPT_MS].map((ms) => Math.round(nowMs - ms));
      await change(sql.SWEEP_REQUESTS, ...ages);
    },
    forget: async (key) => {
      const values = [key ?? null, options.newToken()];
      const { rows } = await connection.run<{ forgotten: number }>(sql.FORGET_REQUESTS, values);
      return rows[0]?.forgotten ?? 0;
    },
    drop: (environment, origin) => change(sql.DROP_PLACE, environment, origin),
    close: () => connection.close(),
  };
}
