/** The store of batches in PostgreSQL: several machines at one batch, each a worker of its own. What it does stands in the files beside it. */
import { leaseLost } from '../../../state/failures.js';
import { openState, type StateOptions } from '../../../state/opening.js';
import type { Ask } from '../../../state/dialect.js';
import type { BatchStore } from '../batch-store.js';
import { readsOver } from '../reads.js';
import { whole } from '../records.js';
import type { BatchSharing, WorkerStanding } from '../worker.js';
import { decide, removeBodies, startAnew } from './beside-rows.js';
import { exchange } from './exchange.js';
import { serversOf, takeoversOver } from './home.js';
import { ownLeases } from './joining.js';
import { addRows, announceChange, beginPlan, dropPlansBefore, dropUnsent, finishPlan } from './plans.js';
import { keptSeals } from './sealing.js';
import { othersOf } from './searches.js';
import { sharedRowsOver } from './shown-rows.js';
import { SHARING, WORKERS } from './worker-statements.js';
import type { LeaseWorld } from './worker-world.js';

export interface PostgresStoreOptions extends StateOptions, Omit<LeaseWorld, 'connection' | 'servers'> {
  /** Another one each time: says which of two workers of one name is which. */
  readonly newToken: () => string;
  /** Who it is that confirms here, as people know them. */
  readonly confirmer: string;
}

/** The first word stays. $1 batch, $2 when, $3 who, $4 totals */
const CONFIRM = `
UPDATE svc.batches SET confirmed_at = $2, confirmed_by = $3, confirmed_totals = $4 WHERE batch = $1 AND confirmed_at IS NULL`;

/** @throws Failure `local_state` where it can't be reached, or holds no tables that this program knows */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<BatchStore> {
  const { connection } = await openState(options);
  const servers = serversOf(connection);
  const world = { ...options, connection, servers };
  const { doubt, trust } = takeoversOver(connection, servers);
  const leases = ownLeases(world, options.newToken);
  const seals = keptSeals(connection, options.key);
  const ask: Ask = async (text, values, read) => read((await connection.run<never>(text, values)).rows);
  const set = async (batch: number, column: 'company' | 'swept_at', value: unknown): Promise<void> => {
    await connection.run(`UPDATE svc.batches SET ${column} = $2 WHERE batch = $1`, [batch, value]);
  };
  // One after the other: each has the number behind the one before.
  let turn: Promise<unknown> = Promise.resolve();
  return {
    ...readsOver(ask),
    ...sharedRowsOver(connection, seals),
    doubt,
    trust,
    own: (batch, company) => set(batch, 'company', company),
    swept: (batch, nowMs) => set(batch, 'swept_at', whole(nowMs)),
    confirm: async (batch, nowMs, totals) => {
      const values = [batch, whole(nowMs), options.confirmer, JSON.stringify([...totals])];
      await connection.run(CONFIRM, values);
    },
    begin: async (facts) => {
      const lease = await beginPlan(facts, leases.all(), options.newToken(), world);
      leases.begun(lease);
      seals.begun(lease.batch, facts);
      await trust(lease.batch, lease.home);
      return lease.batch;
    },
    add: async (batch, rows) => addRows(connection, batch, rows, await seals.of(batch)),
    others: (batch, marks) => othersOf(connection, batch, marks),
    finish: async (batch, totals, seen) => {
      const isFirst = await finishPlan(connection, batch, totals, seen);
      // A planner that was away for longer than its lease: another one has begun anew.
      if (isFirst === null && leases.of(batch) !== null) throw leaseLost();
      if (isFirst === true) await leases.end(batch);
      return isFirst !== false;
    },
    announce: (seen) => announceChange(connection, seen, options.newToken()),
    discard: async (batch) => {
      // Everything of it goes with it.
      await connection.run('DELETE FROM svc.batches WHERE batch = $1', [batch]);
      await leases.end(batch);
    },
    dropUnsent: (batch) => dropUnsent(connection, batch),
    dropPlans: async (beforeMs) => {
      for (const batch of await dropPlansBefore(connection, beforeMs)) await leases.end(batch);
    },
    join: (batch, mode, terms) => leases.join(batch, mode, terms),
    workers: async (batch) => [...(await connection.run<WorkerStanding>(WORKERS, [batch])).rows],
    sharing: async (batch) => (await connection.run<BatchSharing>(SHARING, [batch])).rows[0] ?? null,
    exchange: (batch, results, claim) => {
      const mine = turn.then(async () => {
        // One that was fenced does not come in again by the way: whoever runs it has to stop first.
        const lease = leases.of(batch) ?? (claim === null ? null : await leases.join(batch, 'send'));
        return exchange(batch, { results, claim }, lease, { ...world, seals: await seals.of(batch) });
      });
      turn = mine.catch(() => undefined);
      return mine;
    },
    renew: async (batch, rows) => startAnew(connection, batch, rows, await seals.of(batch)),
    decide: (...decision) => decide(connection, decision, options.newToken()),
    dropBodies: (batch, states, after, count) => removeBodies(connection, batch, { states, after, count }),
    close: async () => {
      for (const lease of leases.all()) await lease.end();
      await connection.close();
    },
  };
}
