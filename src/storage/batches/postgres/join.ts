import { Failure } from '../../../runtime/failure.js';
import type { Cluster } from '../../postgres/cluster.js';
import { damagedStore } from '../records.js';
import type { JoinMode, JoinTerms } from '../worker.js';
import { JOIN_BATCH, LOOK_AT_BATCH, END_DEAD_WORKERS } from './worker-statements.js';
import { type JoinedRecord, Lease, type LeaseWorld, momentNow } from './lease.js';

interface WorkerRow extends Omit<JoinedRecord, 'worker'>, Cluster {
  readonly joins: number;
  readonly worker: number | null;
  readonly mode: JoinMode;
  readonly name: string;
  readonly token: string;
}

type DeadWorker = Readonly<{ name: string; away_s: number; rows: number }>;

const DEFAULT_TERMS: JoinTerms = { ratePerSecond: null, clearsStop: false };

export async function joinBatch(
  batch: number,
  joining: JoinTerms & { readonly mode: JoinMode; readonly token: string },
  world: LeaseWorld,
): Promise<Lease> {
  const { connection, servers, name, program, leaseMs } = world;
  const { mode, token, ratePerSecond, clearsStop } = joining;
  // With mode `send`, `home` is the server in `batchRow`, because the batch was checked on that server.
  const presentServer = mode === 'send' ? null : await servers.now();
  for (;;) {
    await endDeadWorkers(batch, null, world);
    const startMoment = momentNow(world);
    const { rows } = await connection.run<WorkerRow>(LOOK_AT_BATCH, [batch]);
    const [batchRow] = rows;
    if (batchRow === undefined) throw damagedStore('a batch is gone');
    const home = presentServer ?? { cluster: batchRow.cluster, timeline: batchRow.timeline };
    const ownRecord = rows.find((row) => row.token === token);
    if (typeof ownRecord?.worker === 'number')
      return new Lease(batch, { ...ownRecord, worker: ownRecord.worker, home }, startMoment, world);
    const otherWorkers = rows.filter(({ worker }) => worker !== null);
    const blockingWorker = otherWorkers.find((other) => mode !== 'send' || other.mode !== 'send');
    if (blockingWorker !== undefined) throw lockedFailure(blockingWorker.name);
    const [otherWorker] = otherWorkers;
    if (otherWorker !== undefined && ratePerSecond !== null && ratePerSecond !== batchRow.rate)
      throw rateFailure(otherWorker.name, batchRow.rate);
    const values = [
      ...[batch, batchRow.joins, mode, name, program, token, leaseMs, otherWorkers.length === 0],
      ...[ratePerSecond, clearsStop],
    ];
    const [joinedRecord] = (await connection.run<JoinedRecord>(JOIN_BATCH, values)).rows;
    if (joinedRecord !== undefined)
      return new Lease(batch, { ...joinedRecord, token, home }, startMoment, world);
  }
}

export function ownLeases(world: LeaseWorld, newToken: () => string) {
  const leases = new Map<number, Lease>();
  const exclusiveLeases = new Set<Lease>();
  return {
    of: (batch: number): Lease | null => leases.get(batch) ?? null,
    all: (): Lease[] => [...leases.values()],
    add: (lease: Lease): void => void leases.set(lease.batch, lease),
    join: async (batch: number, mode: JoinMode, terms = DEFAULT_TERMS): Promise<Lease> => {
      const existingLease = leases.get(batch);
      if (existingLease !== undefined && !existingLease.isGone) {
        if (mode === 'send' && exclusiveLeases.has(existingLease))
          await existingLease.setRate(terms.ratePerSecond);
        return existingLease;
      }
      const lease = await joinBatch(batch, { ...terms, mode, token: newToken() }, world);
      if (mode === 'alone') exclusiveLeases.add(lease);
      leases.set(batch, lease);
      return lease;
    },
    end: async (batch: number): Promise<void> => {
      await leases.get(batch)?.end();
      leases.delete(batch);
    },
  };
}

export async function endDeadWorkers(
  batch: number,
  worker: number | null,
  { connection, say }: Pick<LeaseWorld, 'connection' | 'say'>,
): Promise<void> {
  const { rows: endedWorkers } = await connection.run<DeadWorker>(END_DEAD_WORKERS, [worker, batch]);
  for (const { name, away_s: awayS, rows } of endedWorkers) {
    const rowsText =
      rows === 0 ? 'it had no row' : rows === 1 ? 'its row is taken over' : `its ${rows} rows are taken over`;
    say(`${name} was not seen for ${Math.round(awayS)} s: ${rowsText}.`);
  }
}

export function lockedFailure(name: string | null): Failure {
  const workerText = name === null ? '' : `: ${name} is at work on it`;
  const text = `Another run of this batch is under way${workerText}. Nothing was sent. Wait until it ends.`;
  return new Failure('locked', text, { code: 'locked', retryable: true });
}

function rateFailure(name: string, rate: number | null): Failure {
  const rateText = rate === null ? 'without --rate' : `at --rate ${String(rate)}/s, which is of all together`;
  const text = `${name} sends this batch ${rateText}. Nothing was sent from here. Leave --rate away to join.`;
  return new Failure('unsafe', text, { code: 'rate_differs', outcome: 'not_sent' });
}
