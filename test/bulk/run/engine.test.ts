/** The end of a run that something broke: what is known is recorded, what broke is said, and the store's word comes first. */
import { expect, it } from 'vitest';
import { runBatch } from '../../../src/bulk/run/engine.js';
import type { Delivery } from '../../../src/bulk/run/delivery.js';
import type { BatchStore, ClaimedRow } from '../../../src/bulk/store/batch-store.js';
import { DatabaseUnusable } from '../../../src/runtime/database-unusable.js';
import { fakeClock } from '../../support/fake-clock.js';
import { FACTS, planned, plannedRow } from '../given.js';
import { MemoryStore } from '../memory-store.js';

const ROWS = Array.from({ length: 40 }, (_, number) => plannedRow(number, 100n));
type Deliver = (row: ClaimedRow) => Promise<Delivery>;

const confirmed: Deliver = ({ key }) =>
  Promise.resolve({ kind: 'operation', operation: { id: key, status: 'confirmed', code: null } });

async function run(
  store: MemoryStore,
  deliver: Deliver,
  exchange?: BatchStore['exchange'],
  signal = new AbortController().signal,
) {
  const batch = await planned(store, ROWS);
  const used = exchange === undefined ? store : { tally: store.tally.bind(store), exchange };
  const world = { store: used, deliver, clock: fakeClock(FACTS.createdAtMs), random: { fraction: () => 0 } };
  const options = { concurrency: 4, ratePerSecond: null, signal };
  const end = runBatch(batch, options, { ...world, backoffMs: () => 1, isRepeatable: () => true });
  const [settled] = await Promise.allSettled([end]);
  return { settled, states: (await store.rows(batch.id, -1, 99)).map(({ state }) => state) };
}

it('records what the other rows came to where a defect breaks one', async () => {
  const { settled, states } = await run(new MemoryStore(), (row) =>
    row.number === 6 ? Promise.reject(new TypeError('a defect')) : confirmed(row),
  );
  expect(settled).toMatchObject({ status: 'rejected', reason: new TypeError('a defect') });
  expect(states.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => 'confirmed'));
  // The broken row may have left; the rows behind it are as they were.
  expect(states[6]).toBe('intent');
  expect(states.slice(12)).not.toContain('intent');
});

it('says that the store failed even where it failed while the run was ending', async () => {
  const store = new MemoryStore();
  const stopping = new AbortController();
  let exchanges = 0;
  const exchange: BatchStore['exchange'] = (batch, results, claim) => {
    exchanges += 1;
    if (exchanges === 1) return store.exchange(batch, results, claim);
    stopping.abort(new Error('stopped'));
    return Promise.reject(new DatabaseUnusable('full', 'store of batches', 'batches.db'));
  };
  const { settled } = await run(store, confirmed, exchange, stopping.signal);
  expect(settled).toMatchObject({ status: 'rejected', reason: { exitCode: 16 } });
});
