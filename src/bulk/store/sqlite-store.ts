/** The store of batches in one SQLite file in the user's state folder: many processes at once, every commit synced. */
import { openDatabase, type Database } from '../../runtime/database.js';
import { listed } from '../../state/table.js';
import { databaseError } from '../../runtime/database-unusable.js';
import type { BatchStore } from './batch-store.js';
import { IS_PENDING } from './conditions.js';
import {
  addDecision,
  deleteBodies,
  emptyLog,
  isWithoutBodies,
  overwriteDeleted,
  selectDecisions,
  selectUnswept,
} from './beside-rows.js';
import { exchangeRows, quotedStates, recordResult, selectRows } from './exchange.js';
import {
  addRow,
  insertPlan,
  changesOf,
  countChange,
  discardBatch,
  deleteUnsent,
  markReady,
} from './plans.js';
import {
  batchOf,
  damagedStore,
  SHOWN,
  shownOf,
  storeError,
  type BatchRecord,
  type ShownRecord,
  type TakenRow,
} from './records.js';
import type { ClaimedRow, RenewedRow, RowResult, ShownRow } from './row.js';
import { NEVER_SENT, RETRIABLE } from '../row-state.js';
import { BATCHES_KIND } from './schema.js';
import { selectHolders, selectOthers, selectPairs } from './searches.js';
import { selectConfirmed, selectPaidBefore, sumPending, sumStates } from './sums.js';

const SELECT_SHOWN = `SELECT ${listed(SHOWN)}, lower(hex(twin_mark)) AS twinMark FROM rows`;

/** @throws DatabaseUnusable where the file can't be used */
export function openBatchStore(file: string): BatchStore {
  const db = openDatabase(file, BATCHES_KIND);
  overwriteDeleted(db);
  const turn = <T>(work: () => T): Promise<T> => {
    try {
      return Promise.resolve(db.transaction(work));
    } catch (error) {
      return Promise.reject<T>(storeError(error));
    }
  };
  const shown = (rest: string, ...values: (string | number | Uint8Array)[]): Promise<ShownRow[]> =>
    turn(() =>
      db
        .query<ShownRecord>(`${SELECT_SHOWN} WHERE batch = ? ${rest}`)
        .all(...values)
        .map(shownOf),
    );
  return {
    begin: (facts) => turn(() => insertPlan(db, facts)),
    add: (batch, rows) => turn(() => rows.forEach((row) => addRow(db, batch, row))),
    pairs: (batch, mark, limit) => turn(() => selectPairs(db, batch, mark, limit)),
    others: (batch, marks) => turn(() => selectOthers(db, batch, recordOf(db, batch), marks)),
    changes: () => turn(() => changesOf(db)),
    finish: (batch, totals, seen) =>
      turn(() => {
        const isFirst = countChange(db, seen);
        if (isFirst) markReady(db, batch, totals);
        return isFirst;
      }),
    announce: (seen) => turn(() => countChange(db, seen)),
    discard: (batch) => turn(() => discardBatch(db, batch)),
    dropUnsent: (batch) => turn(() => deleteUnsent(db, batch)),
    confirm: (batch, nowMs) =>
      turn(() => void db.run('UPDATE batches SET confirmed_at = ? WHERE batch = ?', nowMs, batch)),
    own: (batch, company) =>
      turn(() => void db.run('UPDATE batches SET company = ? WHERE batch = ?', company, batch)),
    doubt: () => Promise.resolve(null),
    trust: () => Promise.resolve(),
    find: (name) =>
      turn(() => {
        const [record] = db
          .query<BatchRecord>('SELECT * FROM batches WHERE ready = 1 AND name = ?')
          .all(name);
        return record === undefined ? null : batchOf(record);
      }),
    list: () =>
      turn(() =>
        db.query<BatchRecord>('SELECT * FROM batches WHERE ready = 1 ORDER BY batch').all().map(batchOf),
      ),
    join: () => Promise.resolve(null),
    workers: () => Promise.resolve([]),
    sharing: () => Promise.resolve(null),
    exchange: (batch, results, claim) =>
      turn(() => {
        const rows: ClaimedRow[] = [];
        exchangeRows(db, batch, { results, claim }, (row) => rows.push(bytesOf(row)));
        return rows;
      }),
    rows: (batch, after, count, states) =>
      shown(
        `AND number > ? ${states === undefined ? '' : `AND state IN (${quotedStates(states)})`} ORDER BY number LIMIT ?`,
        ...[batch, after, count],
      ),
    pendingRows: (batch, after, count) =>
      shown(`AND number > ? AND ${IS_PENDING} ORDER BY number LIMIT ?`, ...[batch, after, count]),
    operationRows: (batch, after, count, { beginning, sinceMs }) =>
      shown(
        'AND number > ? AND operation IS NOT NULL AND substr(lower(operation), 1, ?) = ? AND ' +
          "(coalesce(status, '') NOT IN ('confirmed', 'failed') OR coalesce(operation_at, sent_at, 0) >= ?) ORDER BY number LIMIT ?",
        ...[batch, after, beginning.length, beginning, sinceMs ?? Number.MIN_SAFE_INTEGER, count],
      ),
    rowOfMark: async (batch, mark) => {
      const number = 'SELECT k.number FROM known_references k WHERE k.mark = ? AND k.batch = rows.batch';
      return (await shown(`AND number IN (${number}) LIMIT 1`, batch, mark))[0] ?? null;
    },
    rowOf: async (batch, reference) =>
      (await shown('AND reference = ? LIMIT 1', batch, reference))[0] ?? null,
    peek: (batch, claim) => turn(() => [...selectRows(db, batch, claim)].map(bytesOf)),
    renew: (batch, rows) => turn(() => rows.forEach((row) => renew(db, batch, row))),
    decide: (batch, result, decided) => turn(() => decide(db, batch, result, decided)),
    decisions: (batch) => turn(() => selectDecisions(db, batch)),
    holders: (operation) => turn(() => selectHolders(db, operation)),
    paidBefore: (environment, company, beforeMs) =>
      turn(() => selectPaidBefore(db, environment, company, beforeMs)),
    hasConfirmed: (environment, company) => turn(() => selectConfirmed(db, environment, company)),
    pendingMoney: (environment, direction, company) =>
      turn(() => sumPending(db, environment, direction, company)),
    dropBodies: async (batch, states, after, count) => {
      const range = await turn(() => deleteBodies(db, batch, { states, after, count }));
      if (range.dropped > 0) clearLog(db, file);
      return range;
    },
    unswept: (plannedBeforeMs, sweptUntilMs) => turn(() => selectUnswept(db, plannedBeforeMs, sweptUntilMs)),
    swept: (batch, nowMs) =>
      turn(() => void db.run('UPDATE batches SET swept_at = ? WHERE batch = ?', nowMs, batch)),
    dropPlans: async (beforeMs) => {
      const sql = 'SELECT batch FROM batches WHERE ready = 0 AND created_at < ?';
      const plans = await turn(() => db.query<{ batch: number }>(sql).all(beforeMs));
      for (const { batch } of plans) await turn(() => discardBatch(db, batch));
      if (plans.length > 0) clearLog(db, file);
    },
    lacksBodies: (batch, states) => turn(() => isWithoutBodies(db, batch, states)),
    tally: (batch) => turn(() => sumStates(db, batch)),
    largest: (batch, count, states) =>
      shown(`AND state IN (${quotedStates(states)}) ORDER BY minor DESC, number LIMIT ?`, batch, count),
    close: () => {
      db.close();
      return Promise.resolve();
    },
  };
}

/** Outside of any transaction, and with the same errors as one. @throws DatabaseUnusable */
function clearLog(db: Database, file: string): void {
  try {
    emptyLog(db);
  } catch (error) {
    throw storeError(databaseError(error, BATCHES_KIND, file));
  }
}

function recordOf(db: Database, batch: number): BatchRecord {
  const [record] = db.query<BatchRecord>('SELECT * FROM batches WHERE batch = ?').all(batch);
  if (record === undefined) throw damagedStore('a batch is gone');
  return record;
}

function bytesOf({ body, ...row }: TakenRow): ClaimedRow {
  return { ...row, body: Buffer.from(body) };
}

function renew(db: Database, batch: number, row: RenewedRow): void {
  const changed = db.run(
    "UPDATE rows SET state = 'planned', sent_at = NULL, operation = NULL, status = NULL, operation_at = NULL, code = NULL, detail = NULL, " +
      'ordinal = ?, generation = ?, key = ?, seal = ? WHERE batch = ? AND number = ? AND ' +
      `(state IN (${quotedStates(RETRIABLE)}) OR (state IN (${quotedStates(NEVER_SENT)}) AND sent_at IS NULL))`,
    ...[row.ordinal, row.generation, row.key, row.seal, batch, row.number],
  );
  if (changed !== 1) throw damagedStore(`row ${String(row.number)} is gone`);
}

function decide(
  db: Database,
  batch: number,
  result: RowResult,
  decided: Parameters<BatchStore['decide']>[2],
): void {
  const sql =
    "SELECT generation FROM rows WHERE batch = ? AND number = ? AND state IN ('intent', 'unknown', 'needs_review')";
  const [row] = db.query<{ generation: number }>(sql).all(batch, result.number);
  if (row === undefined) throw damagedStore(`row ${String(result.number)} waits for nobody`);
  recordResult(db, batch, result);
  addDecision(db, batch, { ...decided, generation: row.generation });
}
