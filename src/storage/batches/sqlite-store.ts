import { openDatabase, type Database } from '../../runtime/database.js';
import { forSqlite } from '../tables/dialect.js';
import { insertSql, columnList, wholeMs } from '../tables/column-tables.js';
import { databaseError } from '../../runtime/database-unusable.js';
import type { BatchStore, DroppedBodies } from './batch-store.js';
import { exchangeRows, quotedStates, recordResult, selectRows } from './exchange.js';
import { IS_PENDING, readsOver, shownRowsOver, TALLY, tallyOf, type TallyRecord } from './reads.js';
import {
  type BatchRecord,
  claimedRowOf,
  damagedStore,
  SHOWN_COLUMNS,
  shownRowOf,
  type ShownRecord,
  storeError,
  batchOf,
  planCells,
  plannedCells,
  signatureCells,
  remainingTotals,
  totalsText,
} from './records.js';
import type { RenewedRow, RowResult } from './row.js';
import { NEVER_SENT, RETRIABLE } from './row-state.js';
import { BATCHES_KIND } from './schema.js';
import { askOf, toPromise, selectOthers } from './rows-by-reference.js';
import { PLAN_COLUMNS, PLANNED_COLUMNS, SIGNATURE_COLUMNS } from './tables.js';

const SELECT_SHOWN = `SELECT ${columnList(SHOWN_COLUMNS)}, encode(twin_mark, 'hex') AS "twinMark" FROM svc.rows`;

const INSERT_BATCH = insertSql('batches', [...PLAN_COLUMNS, 'ready', 'file_hash', 'row_count', 'totals']);
const ADD_ROW = insertSql('rows', PLANNED_COLUMNS);
const ADD_BODY = insertSql('bodies', ['batch', 'number', 'body']);
const ADD_SIGNATURE = `${insertSql('approvals', SIGNATURE_COLUMNS)} ON CONFLICT DO NOTHING`;
const MARK_READY = 'UPDATE batches SET ready = 1, file_hash = ?, row_count = ?, totals = ? WHERE batch = ?';
const INSERT_REFERENCES =
  'INSERT INTO known_references (mark, batch, number) SELECT reference_mark, batch, number FROM rows WHERE batch = ? ' +
  'ORDER BY reference_mark, number';
const SELECT_BATCH = 'SELECT * FROM batches WHERE batch = ?';
const LAST_BODY =
  'SELECT max(number) AS last FROM (SELECT number FROM bodies WHERE batch = ? AND number > ? ORDER BY number LIMIT ?)';
const CONFIRM =
  'UPDATE batches SET confirmed_at = ?, confirmed_totals = ? WHERE batch = ? AND confirmed_at IS NULL';

export function openBatchStore(file: string): BatchStore {
  const db = openDatabase(file, BATCHES_KIND);
  // Overwrites deleted rows, because bodies hold personal data.
  db.query('PRAGMA secure_delete = ON').get();
  const inTransaction = <T>(work: () => T): Promise<T> => toPromise(() => db.transaction(work));
  const ask = askOf(db);
  const setColumn = (batch: number, column: 'company' | 'swept_at', value: string | number) =>
    inTransaction(() => void db.run(`UPDATE batches SET ${column} = ? WHERE batch = ?`, value, batch));
  return {
    ...readsOver(ask),
    ...shownRowsOver({
      selectShown: (clauses, ...values) =>
        ask(`${SELECT_SHOWN} WHERE batch = $1 ${clauses}`, values, (records: readonly ShownRecord[]) =>
          records.map(shownRowOf),
        ),
      readInWindows: async (_batch, block, read) => [
        ...(await read({ ...block, upTo: Number.MAX_SAFE_INTEGER })),
      ],
      markCondition:
        'number IN (SELECT k.number FROM known_references k WHERE k.mark = $2 AND k.batch = rows.batch)',
    }),
    begin: (facts) =>
      inTransaction(() => {
        const unfinishedSql = 'SELECT batch FROM batches WHERE ready = 0 AND name = ?';
        for (const { batch } of db.query<{ batch: number }>(unfinishedSql).all(facts.name))
          discardBatch(db, batch);
        return db.insert(INSERT_BATCH, ...planCells(facts), 0, '', 0, '[]');
      }),
    add: (batch, rows) =>
      inTransaction(() => {
        for (const row of rows) {
          db.run(ADD_ROW, batch, ...plannedCells(row, row.seal));
          db.run(ADD_BODY, batch, row.number, row.body);
        }
      }),
    others: (batch, marks) =>
      inTransaction(() => {
        const record = db.query<BatchRecord>(SELECT_BATCH).get(batch);
        if (record === undefined) throw damagedStore('a batch is gone');
        return selectOthers(db, batch, record, marks);
      }),
    finish: (batch, totals, seenChanges) =>
      inTransaction(() => {
        if (!countChange(db, seenChanges)) return false;
        db.run(MARK_READY, totals.fileHash, totals.rows, totalsText(totals), batch);
        db.run(INSERT_REFERENCES, batch);
        return true;
      }),
    announce: (seenChanges) => inTransaction(() => countChange(db, seenChanges)),
    sign: (batch, signatures) =>
      inTransaction(() =>
        signatures.forEach((signature) => void db.run(ADD_SIGNATURE, batch, ...signatureCells(signature))),
      ),
    discard: (batch) => inTransaction(() => discardBatch(db, batch)),
    dropUnsent: (batch) => inTransaction(() => deleteUnsent(db, batch)),
    confirm: (batch, nowMs, totals) =>
      inTransaction(() => void db.run(CONFIRM, nowMs, JSON.stringify([...totals]), batch)),
    setCompany: (batch, company) => setColumn(batch, 'company', company),
    noteSwept: (batch, nowMs) => setColumn(batch, 'swept_at', nowMs),
    findChangedServer: () => Promise.resolve(null),
    endDeadWorkers: () => Promise.resolve(),
    trustServer: () => Promise.resolve(),
    join: () => Promise.resolve(null),
    workers: () => Promise.resolve([]),
    sharing: () => Promise.resolve(null),
    exchange: (batch, results, claim) =>
      inTransaction(() => exchangeRows(db, batch, results, claim).map(claimedRowOf)),
    peek: (batch, claim) => inTransaction(() => selectRows(db, batch, claim).map(claimedRowOf)),
    renew: (batch, rows) => inTransaction(() => rows.forEach((row) => renew(db, batch, row))),
    decide: (batch, result, decision) => inTransaction(() => decide(db, batch, result, decision)),
    dropBodies: async (batch, { states, after, count }) => {
      const droppedBodies = await inTransaction((): DroppedBodies => {
        const last = db.query<{ last: number | null }>(LAST_BODY).get(batch, after, count)?.last ?? null;
        if (last === null) return { dropped: 0, last };
        const removableSql =
          'SELECT number FROM rows WHERE batch = ? AND number > ? AND number <= ? ' +
          `AND state IN (${quotedStates(states)}) AND NOT ${IS_PENDING}`;
        const sql = `DELETE FROM bodies WHERE batch = ? AND number > ? AND number <= ? AND number IN (${removableSql})`;
        return { dropped: db.run(sql, batch, after, last, batch, after, last), last };
      });
      if (droppedBodies.dropped > 0) clearLog(db, file);
      return droppedBodies;
    },
    dropPlans: async (beforeMs) => {
      const sql = 'SELECT batch FROM batches WHERE ready = 0 AND created_at < ?';
      const plans = await inTransaction(() => db.query<{ batch: number }>(sql).all(beforeMs));
      for (const { batch } of plans) await inTransaction(() => discardBatch(db, batch));
      if (plans.length > 0) clearLog(db, file);
    },
    close: () => {
      db.close();
      return Promise.resolve();
    },
  };
}

/** Empties the write-ahead log, because it still contains deleted bodies. */
function clearLog(db: Database, file: string): void {
  try {
    db.query('PRAGMA wal_checkpoint(TRUNCATE)').get();
  } catch (error) {
    throw storeError(databaseError(error, BATCHES_KIND, file));
  }
}

function renew(db: Database, batch: number, row: RenewedRow): void {
  const changedCount = db.run(
    "UPDATE rows SET state = 'planned', sent_at = NULL, operation = NULL, status = NULL, operation_at = NULL, code = NULL, detail = NULL, " +
      'follows = ?, generation = ?, key = ?, seal = ? WHERE batch = ? AND number = ? AND ' +
      `(state IN (${quotedStates(RETRIABLE)}) OR (state IN (${quotedStates(NEVER_SENT)}) AND sent_at IS NULL))`,
    ...[row.follows, row.generation, row.key, row.seal, batch, row.number],
  );
  if (changedCount !== 1) throw damagedStore(`row ${String(row.number)} is gone`);
}

const ADD_DECISION = insertSql('decisions', [
  ...['batch', 'number', 'generation', 'decision', 'state', 'operation', 'decided_at'],
]);

function decide(
  db: Database,
  batch: number,
  result: RowResult,
  personDecision: Parameters<BatchStore['decide']>[2],
): void {
  const sql =
    "SELECT generation FROM rows WHERE batch = ? AND number = ? AND (state IN ('intent', 'unknown', 'needs_review') OR operation = ?)";
  const [row] = db.query<{ generation: number }>(sql).all(batch, result.number, personDecision.operation);
  if (row === undefined) throw damagedStore(`row ${String(result.number)} waits for nobody`);
  recordResult(db, batch, result);
  const { number, decision, state, operation, decidedAtMs } = personDecision;
  db.run(ADD_DECISION, ...[batch, number, row.generation, decision, state, operation, wholeMs(decidedAtMs)]);
}

function countChange(db: Database, seenChanges: number): boolean {
  return db.run('UPDATE changes SET count = count + 1 WHERE count = ?', seenChanges) === 1;
}

function discardBatch(db: Database, batch: number): void {
  forgetReferences(db, batch, '1');
  for (const table of ['rows', 'bodies', 'decisions', 'approvals', 'batches'])
    db.run(`DELETE FROM ${table} WHERE batch = ?`, batch);
}

function deleteUnsent(db: Database, batch: number): number {
  const unsentCondition = `state IN (${quotedStates(NEVER_SENT)}) AND sent_at IS NULL`;
  forgetReferences(db, batch, unsentCondition);
  db.run(
    `DELETE FROM bodies WHERE batch = ? AND number IN (SELECT number FROM rows WHERE batch = ? AND ${unsentCondition})`,
    ...[batch, batch],
  );
  const droppedCount = db.run(`DELETE FROM rows WHERE batch = ? AND ${unsentCondition}`, batch);
  const record = db.query<BatchRecord>(SELECT_BATCH).get(batch);
  if (record === undefined) return droppedCount;
  const { sql, parameters } = forSqlite(TALLY, [batch]);
  const totals = remainingTotals(batchOf(record), tallyOf(db.query<TallyRecord>(sql).all(...parameters)));
  const updateSql = 'UPDATE batches SET row_count = ?, totals = ? WHERE batch = ?';
  db.run(updateSql, totals.rows, totalsText(totals), batch);
  return droppedCount;
}

function forgetReferences(db: Database, batch: number, condition: string): void {
  const rowsSql = `SELECT reference_mark, batch, number FROM rows WHERE batch = ? AND ${condition}`;
  db.run(`DELETE FROM known_references WHERE (mark, batch, number) IN (${rowsSql})`, batch);
}
