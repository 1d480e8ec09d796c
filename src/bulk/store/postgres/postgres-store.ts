/** The store of batches in PostgreSQL: several machines at one batch, each a worker of its own. */
import type { BatchStore } from '../batch-store.js';
import { batchOf, shownOf, whole, type BatchRecord, type ShownRecord } from '../records.js';
import type { ShownRow } from '../row.js';
import { decide, decisionsOf, lacksBodies, removeBodies, startAnew } from './beside-rows.js';
import { openState, type StateOptions } from '../../../state/opening.js';
import { exchange } from './exchange.js';
import { leaseLost } from '../../../state/failures.js';
import { FREE, joinBatch } from './joining.js';
import type { Lease } from './lease.js';
import { addRows, announceChange, beginPlan, changesIn, dropUnsent, finishPlan } from './plans.js';
import { keptSeals } from './sealing.js';
import { claimed, type TakenRecord } from './taking.js';
import { holdersOf, othersOf, pairsOf } from './searches.js';
import { hasConfirmed, paidBefore, pendingMoney, tally } from './sums.js';
import type { BatchSharing, JoinMode, JoinTerms, WorkerStanding } from '../worker.js';
import { CONFIRM, SHARING, WORKERS } from './worker-statements.js';
import type { LeaseWorld } from './worker-world.js';
import { takeoversOver } from './takeovers.js';
import { rowsInWindows, type Window } from './windows.js';

export interface PostgresStoreOptions extends StateOptions, Omit<LeaseWorld, 'connection'> {
  /** Another one each time: says which of two workers of one name is which. */
  readonly newToken: () => string;
  /** Who it is that confirms here, as people know them. */
  readonly confirmer: string;
}

const SHOWN =
  'number, line, reference, currency, amount, ordinal, generation, key, state, sent_at, operation, status, operation_at, code, detail, ' +
  `encode(twin_mark, 'hex') AS "twinMark"`;

const PENDING = "state = 'accepted' OR (state = 'earlier' AND status NOT IN ('confirmed', 'failed'))";
/** $1 batch, $2 after, $3 up to, $4 count, $5 states */
const PEEK =
  'SELECT r.*, (SELECT b.body FROM svc.bodies b WHERE b.batch = $1 AND b.number = r.number) AS body FROM svc.rows r ' +
  'WHERE r.batch = $1 AND r.number > $2 AND r.number <= $3 AND r.state = ANY ($5) ORDER BY r.number LIMIT $4';

/** @throws Failure `local_state` where it can't be reached, or holds no tables that this program knows */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<BatchStore> {
  const { connection } = await openState(options);
  const world = { ...options, connection };
  const { server, doubt, trust } = takeoversOver(connection);
  const leases = new Map<number, Lease>();
  const seals = keptSeals(connection, options.key);
  const endOf = async (batch: number): Promise<void> => {
    await leases.get(batch)?.end();
    leases.delete(batch);
  };
  const batches = async (rest: string, ...values: readonly unknown[]) =>
    (await connection.run<BatchRecord>(`SELECT * FROM svc.batches WHERE ready ${rest}`, values)).rows.map(
      batchOf,
    );
  const shown = async (rest: string, ...values: readonly unknown[]): Promise<ShownRow[]> => {
    const sql = `SELECT ${SHOWN} FROM svc.rows WHERE batch = $1 ${rest}`;
    return (await connection.run<ShownRecord>(sql, values)).rows.map(shownOf);
  };
  const inWindows = (
    batch: number,
    block: Omit<Window, 'upTo'>,
    which: string,
    ...values: readonly unknown[]
  ): Promise<ShownRow[]> =>
    rowsInWindows(connection, batch, block, ({ after, upTo, count }) =>
      shown(
        `AND number > $2 AND number <= $3 AND (${which}) ORDER BY number LIMIT $4`,
        ...[batch, after, upTo, count, ...values],
      ),
    );
  const set = async (batch: number, what: string, value: unknown): Promise<void> => {
    await connection.run(`UPDATE svc.batches SET ${what} = $2 WHERE batch = $1`, [batch, value]);
  };
  const alone = new Set<Lease>();
  const join = async (batch: number, mode: JoinMode, terms: JoinTerms = FREE): Promise<Lease> => {
    const there = leases.get(batch);
    if (there !== undefined && !there.isGone) {
      // Whoever is alone may send as well, and says how fast.
      if (mode === 'send' && alone.has(there)) await there.limit(terms.ratePerSecond);
      return there;
    }
    const lease = await joinBatch(batch, { ...terms, mode, token: options.newToken() }, world);
    if (mode === 'alone') alone.add(lease);
    leases.set(batch, lease);
    return lease;
  };
  // One after the other: each has the number behind the one before.
  let turn: Promise<unknown> = Promise.resolve();
  return {
    begin: async (facts) => {
      const lease = await beginPlan(facts, [...leases.values()], options.newToken(), world);
      leases.set(lease.batch, lease);
      seals.begun(lease.batch, facts);
      await trust(lease.batch, await server());
      return lease.batch;
    },
    add: async (batch, rows) => addRows(connection, batch, rows, await seals.of(batch)),
    pairs: (batch, mark, limit) => pairsOf(connection, batch, mark, limit),
    others: (batch, marks) => othersOf(connection, batch, marks),
    changes: () => changesIn(connection),
    finish: async (batch, totals, seen) => {
      const isFirst = await finishPlan(connection, batch, totals, seen);
      // A planner that was away for longer than its lease: another one has begun anew.
      if (isFirst === null && leases.has(batch)) throw leaseLost();
      if (isFirst === true) await endOf(batch);
      return isFirst !== false;
    },
    announce: (seen) => announceChange(connection, seen, options.newToken()),
    discard: async (batch) => {
      await connection.run('DELETE FROM svc.batches WHERE batch = $1', [batch]);
      await endOf(batch);
    },
    dropUnsent: (batch) => dropUnsent(connection, batch),
    confirm: async (batch, nowMs, totals) => {
      const values = [batch, Math.round(nowMs), options.confirmer, JSON.stringify([...totals])];
      await connection.run(CONFIRM, values);
    },
    own: (batch, company) => set(batch, 'company', company),
    doubt,
    trust,
    find: async (name) => (await batches('AND name = $1', name))[0] ?? null,
    list: () => batches('ORDER BY batch'),
    join,
    workers: async (batch) => [...(await connection.run<WorkerStanding>(WORKERS, [batch])).rows],
    sharing: async (batch) => (await connection.run<BatchSharing>(SHARING, [batch])).rows[0] ?? null,
    exchange: (batch, results, claim) => {
      const mine = turn.then(async () => {
        // One that was fenced does not come in again by the way: whoever runs it has to stop first.
        const there = leases.get(batch) ?? null;
        const lease = there ?? (claim === null ? null : await join(batch, 'send'));
        return exchange(batch, { results, claim }, lease, { ...world, seals: await seals.of(batch) });
      });
      turn = mine.catch(() => undefined);
      return mine;
    },
    rows: (batch, after, count, states) =>
      inWindows(batch, { after, count }, '$5::text[] IS NULL OR state = ANY ($5)', states ?? null),
    pendingRows: (batch, after, count) => inWindows(batch, { after, count }, PENDING),
    rowOfMark: async (batch, mark) =>
      (await shown('AND reference_mark = $2 ORDER BY number LIMIT 1', batch, Buffer.from(mark)))[0] ?? null,
    rowOf: async (batch, reference) =>
      (await shown('AND reference = $2 ORDER BY number LIMIT 1', batch, reference))[0] ?? null,
    peek: async (batch, { after, count, states }) => {
      const records = await rowsInWindows(connection, batch, { after, count }, async (window) => {
        const values = [batch, window.after, window.upTo, window.count, states];
        return (await connection.run<TakenRecord>(PEEK, values)).rows;
      });
      const sealsHere = await seals.of(batch);
      return records.map((record) => claimed(record, null, sealsHere));
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
    largest: (batch, count, states) =>
      shown('AND state = ANY ($3) ORDER BY minor DESC, number LIMIT $2', batch, count, states),
    dropBodies: (batch, states, after, count) => removeBodies(connection, batch, { states, after, count }),
    unswept: async (plannedBeforeMs, sweptUntilMs) => {
      const rest = 'AND created_at < $1 AND (swept_at IS NULL OR swept_at <= $2) ORDER BY batch';
      return (await batches(rest, whole(plannedBeforeMs), whole(sweptUntilMs))).map(({ id }) => id);
    },
    swept: (batch, nowMs) => set(batch, 'swept_at', Math.round(nowMs)),
    dropPlans: async (beforeMs) => {
      const sql = 'DELETE FROM svc.batches WHERE NOT ready AND created_at < $1 RETURNING batch';
      const { rows } = await connection.run<{ batch: number }>(sql, [whole(beforeMs)]);
      for (const { batch } of rows) await endOf(batch);
    },
    lacksBodies: (batch, states) => lacksBodies(connection, batch, states),
    close: async () => {
      for (const lease of leases.values()) await lease.end();
      await connection.close();
    },
  };
}
