/** The store of batches in PostgreSQL: several machines at one batch, each a worker of its own. What it does stands in the files beside it. */
import { leaseLost } from '../../../state/failures.js';
import { openState, type StateOptions } from '../../../state/opening.js';
import type { BatchStore } from '../batch-store.js';
import type { BatchSharing, WorkerStanding } from '../worker.js';
import { batchesOver } from './batches.js';
import { decide, decisionsOf, lacksBodies, removeBodies, startAnew } from './beside-rows.js';
import { discardSharedBatch, dropPlansBefore, dropUnsent } from './dropping.js';
import { exchange } from './exchange.js';
import { serversOf } from './home.js';
import { ownLeases } from './own-leases.js';
import { addRows, announceChange, beginPlan, changesIn, finishPlan } from './plans.js';
import { keptSeals } from './sealing.js';
import { holdersOf, othersOf, rowPairs } from './searches.js';
import { shownRowsOver } from './shown-rows.js';
import { hasConfirmed, paidBefore, pendingMoney, tally } from './sums.js';
import { takeoversOver } from './takeovers.js';
import { SHARING, WORKERS } from './worker-statements.js';
import type { LeaseWorld } from './worker-world.js';

export interface PostgresStoreOptions extends StateOptions, Omit<LeaseWorld, 'connection' | 'servers'> {
  /** Another one each time: says which of two workers of one name is which. */
  readonly newToken: () => string;
  /** Who it is that confirms here, as people know them. */
  readonly confirmer: string;
}

/** @throws Failure `local_state` where it can't be reached, or holds no tables that this program knows */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<BatchStore> {
  const { connection } = await openState(options);
  const servers = serversOf(connection);
  const world = { ...options, connection, servers };
  const { doubt, trust } = takeoversOver(connection, servers);
  const leases = ownLeases(world, options.newToken);
  const seals = keptSeals(connection, options.key);
  // One after the other: each has the number behind the one before.
  let turn: Promise<unknown> = Promise.resolve();
  return {
    ...batchesOver(connection, options.confirmer),
    ...shownRowsOver(connection, seals),
    doubt,
    trust,
    begin: async (facts) => {
      const lease = await beginPlan(facts, leases.all(), options.newToken(), world);
      leases.begun(lease);
      seals.begun(lease.batch, facts);
      await trust(lease.batch, lease.home);
      return lease.batch;
    },
    add: async (batch, rows) => addRows(connection, batch, rows, await seals.of(batch)),
    pairs: (batch, mark, limit) => rowPairs(connection, batch, mark, limit),
    others: (batch, marks) => othersOf(connection, batch, marks),
    changes: () => changesIn(connection),
    finish: async (batch, totals, seen) => {
      const isFirst = await finishPlan(connection, batch, totals, seen);
      // A planner that was away for longer than its lease: another one has begun anew.
      if (isFirst === null && leases.of(batch) !== null) throw leaseLost();
      if (isFirst === true) await leases.end(batch);
      return isFirst !== false;
    },
    announce: (seen) => announceChange(connection, seen, options.newToken()),
    discard: async (batch) => {
      await discardSharedBatch(connection, batch);
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
    decisions: (batch) => decisionsOf(connection, batch),
    holders: (operation) => holdersOf(connection, operation),
    paidBefore: (environment, company, beforeMs) => paidBefore(connection, environment, company, beforeMs),
    hasConfirmed: (environment, company) => hasConfirmed(connection, environment, company),
    pendingMoney: (environment, direction, company) =>
      pendingMoney(connection, environment, direction, company),
    tally: (batch) => tally(connection, batch),
    dropBodies: (batch, states, after, count) => removeBodies(connection, batch, { states, after, count }),
    lacksBodies: (batch, states) => lacksBodies(connection, batch, states),
    close: async () => {
      for (const lease of leases.all()) await lease.end();
      await connection.close();
    },
  };
}
