import { isOneOf, RETRIABLE } from '../row-state.js';
import { type RowRecord, takenRowOf, NOT_LEAVING } from '../records.js';
import type { Claim, ClaimedRow, RowResult, TakenRows } from '../row.js';
import { clocksText, sentMomentOf } from '../row-clocks.js';
import { convertReplicaError } from '../../postgres/cluster.js';
import type { Connection } from '../../postgres/connection.js';
import { isLost, leaseLostFailure, schemaNewerFailure } from '../../postgres/failures.js';
import { endDeadWorkers } from './join.js';
import { SCHEMA_VERSION } from '../../postgres/schema.js';
import { storableText } from '../../postgres/sql.js';
import { wholeMs } from '../../tables/column-tables.js';
import { exchangeOn, GIVE_BACK_ROWS, workerProgressOn, TAKEN_BY } from './exchange-statements.js';
import type { LeavingStamps, RowSeals } from './seal.js';
import { type ControlRecord, type Lease, type LeaseWorld, momentNow } from './lease.js';

export interface TakenRecord extends Omit<RowRecord, 'body'> {
  readonly body: Buffer | null;
  readonly left_at: number | null;
  readonly left_seal: Buffer | null;
}

interface SealedWorld {
  readonly connection: Connection;
  readonly seals: RowSeals;
}

interface ExchangeStatus extends Omit<ControlRecord, 'now_ms'> {
  readonly number: -1;
  readonly left_at: number;
  readonly recorded: number;
  readonly alive: boolean;
  readonly others: boolean;
  readonly least_writer: number;
  readonly home: boolean;
  readonly slots_end_ms: number | null;
}

interface ExchangeAnswer {
  readonly records: readonly TakenRecord[];
  readonly status: ExchangeStatus | null;
  readonly nowMs: number;
}

const NUMBER_MAX = 2 ** 31 - 1;
const NO_WORKER = -1;

export async function exchange(
  batch: number,
  { results, claim }: { readonly results: readonly RowResult[]; readonly claim: Claim | null },
  lease: Lease | null,
  world: LeaseWorld & SealedWorld,
): Promise<TakenRows> {
  const { ages } = world;
  if (lease !== null) lease.seq += 1;
  const startMoment = momentNow(world);
  const numbers = results.map(({ number }) => number);
  const claimNowMs = claim === null ? null : Math.round(claim.nowMs);
  const clocks = claim === null ? null : clocksText(claim.moment);
  const { stamps } = world.seals;
  const stampKey =
    lease === null || claimNowMs === null ? null : stamps.keyOf(lease.worker, lease.seq, claimNowMs, clocks);
  const { records, status, nowMs } = await runExchange(world, lease, [
    ...[lease?.worker ?? NO_WORKER, lease?.seq ?? 0, world.leaseMs],
    ...[packedResults(results, lease, stamps), batch],
    ...[claim?.after ?? -1, claim?.count ?? 0, claim?.states ?? []],
    ...[claimNowMs, claim !== null, numbers],
    ...[Math.min(NUMBER_MAX, ...numbers), Math.max(-1, ...numbers), SCHEMA_VERSION, lease?.silentRows ?? 0],
    ...[lease?.home.cluster ?? null, lease?.home.timeline ?? null, stampKey, clocks],
    claim?.rowNumbers ?? null,
  ]);
  for (const number of numbers) lease?.inHand.delete(number);
  if (status !== null) {
    if (lease !== null) lease.lateResults += results.length - status.recorded;
    if (status.least_writer > SCHEMA_VERSION) throw schemaNewerFailure();
    lease?.noteAnswer(startMoment, status.alive, { ...status, now_ms: status.left_at });
  }
  if (claim === null) return [];
  if (lease === null || lease.isGone) throw lease?.lossFailure ?? leaseLostFailure();
  if (status?.others === true) await endDeadWorkers(batch, lease.worker, world);
  const serviceAheadMs = ages === 'caller' ? null : claim.nowMs - nowMs;
  const endMs = status?.slots_end_ms ?? null;
  const takenRows = await decryptRows(records, serviceAheadMs, { ...world, lease, nowMs: claim.nowMs });
  const slotAt = (index: number): number | null => lease.slotMomentOf(endMs, takenRows.length, index);
  const rows = takenRows.map((row, index) => ({ ...row, slotAtMs: slotAt(index) }));
  for (const { number, generation } of rows) lease.inHand.set(number, generation);
  return Object.assign(rows, { othersHaveRows: status === null || status.others });
}

async function runExchange(
  { connection, servers }: LeaseWorld,
  lease: Lease | null,
  values: readonly unknown[],
): Promise<ExchangeAnswer> {
  const exchangeSql = await servers.text(exchangeOn);
  const progressSql = await servers.text(workerProgressOn);
  return connection.runPatiently(async (lastError) => {
    if (lastError !== null && isLost(lastError) && lease !== null) {
      const committedAnswer = await findCommitted(connection, lease, progressSql);
      if (committedAnswer !== null) return committedAnswer;
    }
    const { rows } = await connection.runOnce<TakenRecord | ExchangeStatus>(exchangeSql, values);
    const status = rows[0] as ExchangeStatus;
    if (!status.home && lease !== null) throw lease.loseCommits();
    // A commit whose answer was lost may have become visible only after the first `findCommitted`.
    const committedAnswer =
      status.alive || lease === null ? null : await findCommitted(connection, lease, progressSql);
    return committedAnswer ?? { status, records: rows.slice(1) as TakenRecord[], nowMs: status.left_at };
  });
}

async function findCommitted(
  connection: Connection,
  lease: Lease,
  progressSql: string,
): Promise<ExchangeAnswer | null> {
  const { batch, worker, seq, home } = lease;
  const values = [worker, home.cluster, home.timeline];
  const query = connection.runOnce<{ seq: number; alive: boolean; now_ms: number }>(progressSql, values);
  const answer = await query.catch((error: unknown) => {
    throw convertReplicaError(error);
  });
  const [record] = answer.rows;
  if (record === undefined || (record.alive && record.seq < seq - 1)) throw lease.loseCommits();
  if (record.seq < seq || !record.alive) return null;
  const { rows } = await connection.runOnce<TakenRecord>(TAKEN_BY, [batch, worker, seq]);
  return { records: rows, status: null, nowMs: record.now_ms };
}

function packedResults(results: readonly RowResult[], lease: Lease | null, stamps: LeavingStamps): string {
  return JSON.stringify(
    results.map((result) => {
      const generation = lease?.inHand.get(result.number);
      const isInHand = generation !== undefined;
      return {
        number: result.number,
        generation: generation ?? 0,
        mine: isInHand,
        before: result.stateBefore ?? null,
        ...resultCells(result),
        stamp: isInHand ? null : stamps.keyOfResult(wholeMs(result.sentAtMs)),
      };
    }),
  );
}

export function resultCells(result: RowResult) {
  const { state, sentAtMs, operation, status, operationAtMs, code, detail } = result;
  return {
    state,
    sent_at: wholeMs(sentAtMs),
    operation: storableText(operation),
    status: storableText(status),
    operation_at: wholeMs(operationAtMs),
    code: storableText(code),
    detail: storableText(detail),
  };
}

export async function decryptRows(
  records: readonly TakenRecord[],
  aheadMs: number | null,
  world: SealedWorld & { readonly lease: Pick<Lease, 'batch' | 'worker' | 'seq'>; readonly nowMs: number },
): Promise<ClaimedRow[]> {
  const { connection, seals, lease, nowMs } = world;
  try {
    return records.map((record) => decryptRow(record, aheadMs, seals));
  } catch {
    // The rows are read again, because a row that another process is renewing may come with its old body.
    const { batch, worker, seq } = lease;
    const reread = await connection.run<TakenRecord>(TAKEN_BY, [batch, worker, seq]);
    try {
      return reread.rows.map((record) => decryptRow(record, aheadMs, seals));
    } catch (error) {
      const neverSentNumbers = records.filter(({ state }) => state === 'planned').map(({ number }) => number);
      await connection.run(GIVE_BACK_ROWS, [batch, worker, seq, neverSentNumbers, Math.round(nowMs)]);
      throw error;
    }
  }
}

export function decryptRow(record: TakenRecord, aheadMs: number | null, seals: RowSeals): ClaimedRow {
  const { left_at: leftAtMs } = record;
  const body = seals.unseal(record);
  const row = takenRowOf({ ...record, body: '' }, NOT_LEAVING);
  if (!isOneOf(RETRIABLE, row.stateBefore)) seals.requireStamp(record);
  const databaseSentMs = aheadMs === null || leftAtMs === null ? Infinity : leftAtMs + aheadMs;
  const sentMoment = sentMomentOf(row.sentAtMs, record.sent_clocks, leftAtMs ?? undefined);
  // `Math.min` takes the earlier time, because an old idempotency key must not look new.
  return { ...row, sentAtMs: Math.min(row.sentAtMs, databaseSentMs), sentMoment, body };
}
