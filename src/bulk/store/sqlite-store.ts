/** The store of batches in one SQLite file in the user's state folder: many processes at once, every commit synced. */
import { openDatabase, type Database } from '../../runtime/database.js';
import { databaseError } from '../../runtime/database-unusable.js';
import type {
  BatchFacts,
  BatchStore,
  BatchTotals,
  ClaimedRow,
  Holder,
  Pair,
  PlannedRow,
  Renewed,
  RowResult,
} from './batch-store.js';
import { deleteBodies, emptyLog, lacksBodies, overwriteDeleted, selectUnswept } from './bodies.js';
import { addDecision, selectDecisions } from './decisions.js';
import { exchangeRows, quoted, recordResult, selectRows } from './exchange.js';
import {
  batchOf,
  damaged,
  shownOf,
  storeError,
  totalsText,
  type BatchRecord,
  type RowRecord,
  type TakenRow,
} from './records.js';
import { BATCHES_KIND } from './schema.js';
import { HOLDERS, PAIRS, REPEATS } from './searches.js';
import { tally } from './sums.js';

const SHOWN = 'number, line, reference, currency, amount, key, state, sent_at, operation, code, detail';

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
  return {
    begin: (facts) => turn(() => begin(db, facts)),
    add: (batch, rows) => turn(() => rows.forEach((row) => addRow(db, batch, row))),
    pairs: (batch, mark, limit) => turn(() => db.query<Pair>(PAIRS[mark]).all(batch, limit)),
    repeats: (batch, limit) => turn(() => db.query<Pair>(REPEATS).all(batch, limit)),
    finish: (batch, totals) => turn(() => finish(db, batch, totals)),
    discard: (batch) => turn(() => discard(db, batch)),
    confirm: (batch, nowMs) =>
      turn(() => void db.run('UPDATE batches SET confirmed_at = ? WHERE batch = ?', nowMs, batch)),
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
    exchange: (batch, results, claim) =>
      turn(() => {
        const rows: ClaimedRow[] = [];
        exchangeRows(db, batch, results, claim, (row) => rows.push(bytesOf(row)));
        return rows;
      }),
    rows: (batch, after, count, states) =>
      turn(() => {
        const filter = states === undefined ? '' : `AND state IN (${quoted(states)})`;
        const sql = `SELECT ${SHOWN} FROM rows WHERE batch = ? AND number > ? ${filter} ORDER BY number LIMIT ?`;
        return db.query<RowRecord>(sql).all(batch, after, count).map(shownOf);
      }),
    peek: (batch, claim) => turn(() => [...selectRows(db, batch, claim, 0)].map(bytesOf)),
    renew: (batch, rows) => turn(() => rows.forEach((row) => renew(db, batch, row))),
    decide: (batch, result, decided) => turn(() => decide(db, batch, result, decided)),
    decisions: (batch) => turn(() => selectDecisions(db, batch)),
    holders: (operation) => turn(() => db.query<Holder>(HOLDERS).all(operation)),
    dropBodies: async (batch, states, after, count) => {
      const range = await turn(() => deleteBodies(db, batch, states, after, count));
      if (range.dropped > 0) clearLog(db, file);
      return range;
    },
    unswept: (plannedBeforeMs, sweptUntilMs) => turn(() => selectUnswept(db, plannedBeforeMs, sweptUntilMs)),
    swept: (batch, nowMs) =>
      turn(() => void db.run('UPDATE batches SET swept_at = ? WHERE batch = ?', nowMs, batch)),
    dropPlans: async (beforeMs) => {
      const sql = 'SELECT batch FROM batches WHERE ready = 0 AND created_at < ?';
      const plans = await turn(() => db.query<{ batch: number }>(sql).all(beforeMs));
      for (const { batch } of plans) await turn(() => discard(db, batch));
      if (plans.length > 0) clearLog(db, file);
    },
    lacksBodies: (batch, states) => turn(() => lacksBodies(db, batch, states)),
    tally: (batch) => turn(() => tally(db, batch)),
    largest: (batch, count) =>
      turn(() => {
        const sql = `SELECT ${SHOWN} FROM rows WHERE batch = ? ORDER BY minor DESC, number LIMIT ?`;
        return db.query<RowRecord>(sql).all(batch, count).map(shownOf);
      }),
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
    throw storeError(databaseError(error, BATCHES_KIND.name, file));
  }
}

function bytesOf({ body, ...row }: TakenRow): ClaimedRow {
  return { ...row, body: Buffer.from(body) };
}

function begin(db: Database, facts: BatchFacts): number {
  const left = db
    .query<{ batch: number }>('SELECT batch FROM batches WHERE ready = 0 AND name = ?')
    .all(facts.name);
  for (const { batch } of left) discard(db, batch);
  return db.insert(
    'INSERT INTO batches (name, ready, direction, environment, address, origin, profile, key_mask, file, file_hash, row_count, totals, ' +
      "created_at) VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?, '', 0, '[]', ?)",
    ...[
      facts.name,
      facts.direction,
      facts.environment,
      facts.address,
      facts.origin,
      facts.profile,
      facts.keyMask,
    ],
    ...[facts.file, facts.createdAtMs],
  );
}

function addRow(db: Database, batch: number, row: PlannedRow): void {
  db.run(
    'INSERT INTO rows (batch, number, line, reference, currency, amount, minor, generation, key, seal, reference_mark, twin_mark, state) ' +
      "VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, 'planned')",
    ...[batch, row.number, row.line, row.reference, row.currency, row.amount, row.minor, row.key],
    ...[row.seal, row.referenceMark, row.twinMark],
  );
  db.run('INSERT INTO bodies (batch, number, body) VALUES (?, ?, ?)', batch, row.number, row.body);
}

function finish(db: Database, batch: number, totals: BatchTotals): void {
  db.run(
    'UPDATE batches SET ready = 1, file_hash = ?, row_count = ?, totals = ? WHERE batch = ?',
    ...[totals.fileHash, totals.rows, totalsText(totals), batch],
  );
}

function discard(db: Database, batch: number): void {
  for (const table of ['rows', 'bodies', 'decisions', 'batches'])
    db.run(`DELETE FROM ${table} WHERE batch = ?`, batch);
}

function renew(db: Database, batch: number, row: Renewed): void {
  const changed = db.run(
    "UPDATE rows SET state = 'planned', sent_at = NULL, operation = NULL, code = NULL, detail = NULL, generation = ?, key = ?, seal = ? " +
      `WHERE batch = ? AND number = ? AND state IN ('failed', 'rejected')`,
    ...[row.generation, row.key, row.seal, batch, row.number],
  );
  if (changed !== 1) throw damaged(`row ${String(row.number)} is gone`);
}

function decide(
  db: Database,
  batch: number,
  result: RowResult,
  decided: Parameters<BatchStore['decide']>[2],
): void {
  const sql = "SELECT generation FROM rows WHERE batch = ? AND number = ? AND state = 'needs_review'";
  const [row] = db.query<{ generation: number }>(sql).all(batch, result.number);
  if (row === undefined) throw damaged(`row ${String(result.number)} waits for nobody`);
  recordResult(db, batch, result);
  addDecision(db, batch, { ...decided, generation: row.generation });
}
