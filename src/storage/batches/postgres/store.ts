import { leaseLostFailure } from '../../postgres/failures.js';
import { openState, type StateOptions } from '../../postgres/open.js';
import type { Ask } from '../../tables/dialect.js';
import type { BatchStore, DroppedBodies } from '../batch-store.js';
import { readsOver, type RowSource, shownRowsOver, type Window, IS_PENDING } from '../reads.js';
import { SHOWN_COLUMNS, shownRowOf, totalsText, type ShownRecord, damagedStore } from '../records.js';
import type { BatchSharing, WorkerState } from '../worker.js';
import { decryptRow, exchange, resultCells, type TakenRecord } from './exchange.js';
import { serversOf, takeoverChecks } from './home.js';
import { ownLeases, endDeadWorkers } from './join.js';
import { addRows, addSignatures, announceChange, beginPlan, dropUnsent, FINISH_PLAN } from './plans.js';
import { sealsByBatch, type SealsByBatch, type RowSeals, type StampedRow } from './seal.js';
import { holdersOf, othersOf } from './rows-by-reference.js';
import { SELECT_SHARING, SELECT_WORKERS } from './worker-statements.js';
import type { LeaseWorld } from './lease.js';
import type { Connection } from '../../postgres/connection.js';
import { OUTCOME_COLUMNS } from '../tables.js';
import { columnList, wholeMs } from '../../tables/column-tables.js';
import { NEVER_SENT, RETRIABLE } from '../row-state.js';
import type { Claim, RenewedRow } from '../row.js';

export interface PostgresStoreOptions extends StateOptions, Omit<LeaseWorld, 'connection' | 'servers'> {
  readonly newToken: () => string;
  readonly confirmer: string;
}

const CONFIRM = `
UPDATE svc.batches SET confirmed_at = $2, confirmed_by = $3, confirmed_totals = $4 WHERE batch = $1 AND confirmed_at IS NULL`;

export async function openPostgresStore(options: PostgresStoreOptions): Promise<BatchStore> {
  const { connection } = await openState(options);
  const servers = serversOf(connection);
  const world = { ...options, connection, servers };
  const { findChangedServer, trustServer } = takeoverChecks(connection, servers);
  const leases = ownLeases(world, options.newToken);
  const seals = sealsByBatch(connection, options.key);
  const ask: Ask = async (text, values, read) => read((await connection.run<never>(text, values)).rows);
  const setColumn = async (batch: number, column: 'company' | 'swept_at', value: unknown): Promise<void> => {
    await connection.run(`UPDATE svc.batches SET ${column} = $2 WHERE batch = $1`, [batch, value]);
  };
  let lastExchange: Promise<unknown> = Promise.resolve();
  return {
    ...readsOver(ask),
    holders: (operations) => holdersOf(connection, operations),
    ...sharedRowsOver(connection, seals),
    findChangedServer,
    endDeadWorkers: (batch) => endDeadWorkers(batch, null, world),
    trustServer,
    setCompany: (batch, company) => setColumn(batch, 'company', company),
    noteSwept: (batch, nowMs) => setColumn(batch, 'swept_at', wholeMs(nowMs)),
    confirm: async (batch, nowMs, totals) => {
      const values = [batch, wholeMs(nowMs), options.confirmer, JSON.stringify([...totals])];
      await connection.run(CONFIRM, values);
    },
    begin: async (facts) => {
      const lease = await beginPlan(facts, leases.all(), options.newToken(), world);
      leases.add(lease);
      seals.add(lease.batch, facts);
      await trustServer(lease.batch, lease.home);
      return lease.batch;
    },
    add: async (batch, rows) => addRows(connection, batch, rows, await seals.of(batch)),
    others: (batch, marks) => othersOf(connection, batch, marks),
    finish: async (batch, totals, seenChanges) => {
      const values = [batch, seenChanges, totals.fileHash, totals.rows, totalsText(totals)];
      const [record] = (await connection.run<{ done: boolean }>(FINISH_PLAN, values)).rows;
      const isDone = record?.done ?? null;
      if (isDone === null && leases.of(batch) !== null) throw leaseLostFailure();
      if (isDone === true) await leases.end(batch);
      return isDone !== false;
    },
    sign: (batch, signatures) => addSignatures(connection, batch, signatures),
    announce: (seenChanges) => announceChange(connection, seenChanges, options.newToken()),
    discard: async (batch) => {
      await connection.run('DELETE FROM svc.batches WHERE batch = $1', [batch]);
      await leases.end(batch);
    },
    dropUnsent: (batch) => dropUnsent(connection, batch),
    dropPlans: async (beforeMs) => {
      const sql = 'DELETE FROM svc.batches WHERE NOT ready AND created_at < $1 RETURNING batch';
      const { rows } = await connection.run<{ batch: number }>(sql, [wholeMs(beforeMs)]);
      for (const { batch } of rows) await leases.end(batch);
    },
    join: (batch, mode, terms) => leases.join(batch, mode, terms),
    workers: async (batch) => [...(await connection.run<WorkerState>(SELECT_WORKERS, [batch])).rows],
    sharing: async (batch) => (await connection.run<BatchSharing>(SELECT_SHARING, [batch])).rows[0] ?? null,
    exchange: (batch, results, claim) => {
      const ownExchange = lastExchange.then(async () => {
        const lease = leases.of(batch) ?? (claim === null ? null : await leases.join(batch, 'send'));
        return exchange(batch, { results, claim }, lease, { ...world, seals: await seals.of(batch) });
      });
      lastExchange = ownExchange.catch(() => undefined);
      return ownExchange;
    },
    renew: async (batch, rows) => renewInDatabase(connection, batch, rows, await seals.of(batch)),
    decide: (...decision) => decide(connection, decision, options.newToken()),
    dropBodies: (batch, rows) => removeBodies(connection, batch, rows),
    close: async () => {
      for (const lease of leases.all()) await lease.end();
      await connection.close();
    },
  };
}

const SELECT_SHOWN = `SELECT ${columnList(SHOWN_COLUMNS)}, sent_clocks, left_seal, encode(twin_mark, 'hex') AS "twinMark" FROM svc.rows`;
const SELECT_BODIES =
  'SELECT r.*, (SELECT b.body FROM svc.bodies b WHERE b.batch = $1 AND b.number = r.number) AS body FROM svc.rows r ' +
  'WHERE r.batch = $1 AND r.number > $2 AND r.number <= $3 AND r.state = ANY ($5) ORDER BY r.number LIMIT $4';

function sharedRowsOver(connection: Connection, seals: SealsByBatch) {
  const selectShown: RowSource['selectShown'] = async (clauses, batch, ...values) => {
    const sql = `${SELECT_SHOWN} WHERE batch = $1 ${clauses}`;
    const { rows } = await connection.run<ShownRecord & StampedRow>(sql, [batch, ...values]);
    if (rows.length === 0) return [];
    const { stamps } = await seals.of(batch);
    return rows.map(({ left_seal: stamp, sent_clocks: clocks, ...record }) => {
      const isStampValid = stamps.isUnaltered({ ...record, sent_clocks: clocks, left_seal: stamp });
      return shownRowOf(isStampValid ? record : { ...record, sent_at: null });
    });
  };
  return {
    ...shownRowsOver({
      selectShown,
      readInWindows: (batch, block, read) => rowsInWindows(connection, batch, block, read),
      markCondition: 'reference_mark = $2',
    }),
    peek: async (batch, { after, count, states }) => {
      const records = await rowsInWindows(connection, batch, { after, count }, async (window) => {
        const values = [batch, window.after, window.upTo, window.count, states];
        return (await connection.run<TakenRecord>(SELECT_BODIES, values)).rows;
      });
      const batchSeals = await seals.of(batch);
      return records.map((record) => decryptRow(record, null, batchSeals));
    },
  } satisfies Partial<BatchStore>;
}

const LAST_NUMBER = 'SELECT max(number) AS last FROM svc.rows WHERE batch = $1';

export async function rowsInWindows<Row>(
  connection: Connection,
  batch: number,
  { after: start, count }: Omit<Window, 'upTo'>,
  read: (window: Window) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const results: Row[] = [];
  let last = null as number | null;
  for (let [after, width] = [start, count]; ; [after, width] = [after + width, 2 * width]) {
    results.push(...(await read({ after, upTo: after + width, count: count - results.length })));
    if (results.length >= count) return results;
    last ??= (await connection.run<{ last: number | null }>(LAST_NUMBER, [batch])).rows[0]?.last ?? -1;
    if (after + width >= last) return results;
  }
}

const LOOK_AT_BODIES = `
SELECT b.number, (SELECT r.state = ANY ($2) AND NOT ${IS_PENDING} FROM svc.rows r WHERE r.batch = $1 AND r.number = b.number) AS goes
FROM svc.bodies b WHERE b.batch = $1 AND b.number > $3 ORDER BY b.number LIMIT $4`;

const DELETE_BODIES = `
DELETE FROM svc.bodies b WHERE b.batch = $1 AND b.number BETWEEN $4 AND $5 AND b.number = ANY (ARRAY (
  SELECT r.number FROM svc.rows r WHERE r.batch = $1 AND r.number BETWEEN $4 AND $5 AND r.number = ANY ($3) AND r.state = ANY ($2) AND NOT ${IS_PENDING}))`;

async function removeBodies(
  connection: Connection,
  batch: number,
  { states, after, count }: Pick<Claim, 'states' | 'after' | 'count'>,
): Promise<DroppedBodies> {
  const values = [batch, states, after, count];
  const { rows } = await connection.run<{ number: number; goes: boolean }>(LOOK_AT_BODIES, values);
  const removableNumbers = rows.filter(({ goes }) => goes).map(({ number }) => number);
  const [firstNumber] = removableNumbers;
  if (firstNumber !== undefined)
    await connection.run(DELETE_BODIES, [
      batch,
      states,
      removableNumbers,
      firstNumber,
      removableNumbers.at(-1),
    ]);
  return { dropped: removableNumbers.length, last: rows.at(-1)?.number ?? null };
}

const RENEW_ROWS = `
WITH given AS (
  SELECT * FROM unnest($2::int[], $3::text[], $4::int[], $5::text[], $6::bytea[], $9::bytea[], $10::text[])
    x(number, follows, generation, key, seal, body, before)
),
renewed AS (
  UPDATE svc.rows r SET state = 'planned', worker = NULL, seq = NULL, wave = -1, sent_at = NULL, sent_clocks = NULL, left_at = NULL, left_seal = NULL, operation = NULL, status = NULL,
    operation_at = NULL, code = NULL, detail = NULL, follows = x.follows, generation = x.generation, key = x.key, seal = x.seal
  FROM given x WHERE r.batch = $1 AND r.number BETWEEN $11 AND $12 AND r.number = x.number AND r.state = x.before AND (r.state = ANY ($7) OR (r.state = ANY ($8) AND r.sent_at IS NULL))
  RETURNING r.number
),
gone AS (
  DELETE FROM svc.bodies b WHERE b.batch = $1 AND b.number BETWEEN $11 AND $12 AND b.number = ANY (ARRAY (SELECT number FROM renewed))
  RETURNING b.number
)
INSERT INTO svc.bodies (batch, number, body) SELECT $1, x.number, x.body FROM gone JOIN given x USING (number)`;

async function renewInDatabase(
  connection: Connection,
  batch: number,
  rows: readonly RenewedRow[],
  seals: RowSeals,
): Promise<void> {
  if (rows.length === 0) return;
  const sealedRows = rows.map((row) => seals.seal(row, row.body));
  const numbers = rows.map(({ number }) => number);
  const values = [
    ...[batch, numbers, rows.map((row) => row.follows)],
    ...[rows.map((row) => row.generation), rows.map((row) => row.key)],
    ...[sealedRows.map(({ seal }) => seal), RETRIABLE, NEVER_SENT, sealedRows.map(({ body }) => body)],
    rows.map(({ stateBefore }) => stateBefore),
    ...[Math.min(...numbers), Math.max(...numbers)],
  ];
  await connection.run(RENEW_ROWS, values);
}

const DECISION_OF_TOKEN = 'SELECT 1 FROM svc.decisions WHERE token = $1';

const DECIDED_COLUMNS = ['state', 'sent_at', ...OUTCOME_COLUMNS] as const;

const DECIDE = `
WITH decided AS (
  UPDATE svc.rows SET ${DECIDED_COLUMNS.map((name, index) => `${name} = $${String(index + 8)}`).join(', ')}
  WHERE batch = $2 AND number = $3 AND (state IN ('intent', 'unknown', 'needs_review') OR operation = $6) AND NOT EXISTS (${DECISION_OF_TOKEN}) RETURNING generation
)
INSERT INTO svc.decisions (token, batch, number, generation, decision, state, operation, decided_at)
SELECT $1, $2, $3, generation, $4, $5, $6, $7 FROM decided`;

async function decide(
  connection: Connection,
  [batch, result, personDecision]: Parameters<BatchStore['decide']>,
  token: string,
): Promise<void> {
  const { decision, state, operation, decidedAtMs } = personDecision;
  const facts = [token, batch, result.number, decision, state, operation, wholeMs(decidedAtMs)];
  const cells = resultCells(result);
  const { count } = await connection.run(DECIDE, [...facts, ...DECIDED_COLUMNS.map((name) => cells[name])]);
  if (count === 1 || (await connection.run(DECISION_OF_TOKEN, [token])).count === 1) return;
  throw damagedStore(`row ${String(result.number)} waits for nobody`);
}
