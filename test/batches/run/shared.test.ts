import { describe, expect, it } from 'vitest';
import type { BatchStore } from '../../../src/storage/batches/batch-store.js';
import type { ClaimedRow } from '../../../src/storage/batches/row.js';
import { openBatchStore } from '../../../src/storage/batches/sqlite-store.js';
import type { Attempt } from '../../../src/contract/attempt.js';
import { Failure } from '../../../src/runtime/failure.js';
import { fakeClock } from '../../support/fake-clock.js';
import { limited, lost as silent, made, strange } from '../../storage/batches/attempts.js';
import { FACTS, planned, plannedRow } from '../../storage/batches/given.js';
import { Lent, send } from './lent.js';
import { statesOf } from '../../storage/batches/opening.js';
import type { Stop } from '../../../src/storage/batches/worker.js';

const ROWS = Array.from({ length: 12 }, (_, number) => plannedRow(number, 100n));
const confirmed = ({ key }: ClaimedRow): Promise<Attempt> => Promise.resolve(made('confirmed', { id: key }));

async function run(
  worker: Lent,
  attempt: (row: ClaimedRow, sent: number) => Promise<Attempt>,
  around: (store: BatchStore) => BatchStore['exchange'] = (store) => store.exchange,
) {
  const store = openBatchStore(':memory:');
  const batch = await planned(store, ROWS);
  const used = { ...store, exchange: around(store) };
  const clock = fakeClock(FACTS.createdAtMs);
  let sent = 0;
  const counted = (row: ClaimedRow) => attempt(row, (sent += 1));
  const world = { store: used, worker, attempt: counted, clock, serviceMs: () => clock.now() };
  const end = send(batch, world, { concurrency: 2 });
  const [settled] = await Promise.allSettled([end]);
  return { settled, states: await statesOf(store, batch), sent };
}

it('sends nothing once its rows are others', async () => {
  const worker = new Lent();
  let sent = 0;
  const lost = new Failure('locked', 'Others have its rows.', { code: 'lease_lost' });
  worker.requireLease = () => (sent < 4 ? Promise.resolve() : Promise.reject(lost));
  const { settled, states } = await run(worker, (row, at) => ((sent = at), confirmed(row)));
  expect(settled).toMatchObject({ status: 'rejected', reason: { exitCode: 15 } });
  expect(sent).toBeLessThanOrEqual(5);
  expect(states.filter((state) => state === 'confirmed')).toHaveLength(sent);
});

it('asks before each sending of a row, and not only before the first', async () => {
  const worker = new Lent();
  let asked = 0;
  worker.requireLease = () => Promise.resolve(void (asked += 1));
  const { sent } = await run(worker, (row, at) => (at % 3 > 0 ? Promise.resolve(limited) : confirmed(row)));
  expect(asked).toBe(sent);
  expect(worker.pauses.length).toBeGreaterThan(0);
});

it('waits for what others hold, its own results recorded, and takes what they leave', async () => {
  let looks = 0;
  const recorded: number[] = [];
  const { settled, states } = await run(new Lent(), confirmed, (store) => async (batch, results, claim) => {
    recorded.push(results.length);
    if (claim === null || looks >= 3) return store.exchange(batch, results, claim);
    looks += 1;
    await store.exchange(batch, results, null);
    return Object.assign([], { othersHaveRows: true });
  });
  expect(settled).toEqual({ status: 'fulfilled', value: null });
  expect(looks).toBe(3);
  expect(new Set(states)).toEqual(new Set(['confirmed']));
});

it('takes rows behind those that it took last: a run that died had them', async () => {
  const { settled, states } = await run(new Lent(), confirmed, (store) => {
    let hasTaken = false;
    return async (batch, results, claim) => {
      const isFirst = claim !== null && !hasTaken;
      hasTaken ||= claim !== null;
      if (isFirst) return store.exchange(batch, results, { ...claim, after: 5 });
      const rows = await store.exchange(batch, results, claim);
      if (claim === null || rows.length > 0) return rows;
      return store.exchange(batch, [], { ...claim, after: -1, states: ['planned'] });
    };
  });
  expect(settled).toEqual({ status: 'fulfilled', value: null });
  expect(new Set(states)).toEqual(new Set(['confirmed']));
});

it('stops everybody for what is wrong with the batch, and stops where another one did', async () => {
  const first = new Lent();
  await run(first, () => Promise.resolve(strange));
  expect(first.stops).toMatchObject([{ kind: 'refusals' }]);
  const second = new Lent();
  const stop: Stop = { kind: 'refusals', code: 'x', detail: '', by: 'pod-1' };
  const { settled, sent } = await run(second, (row, at) => {
    if (at === 3) second.onControl({ pauseMs: 0, stopped: stop, silentRows: 0 });
    return confirmed(row);
  });
  expect(settled).toEqual({ status: 'fulfilled', value: stop });
  expect(sent).toBeLessThanOrEqual(4);
  expect(second.stops).toEqual([]);
});

it('sends nothing while the clocks of store and service are apart, and puts back what it has in hand', async () => {
  const worker = new Lent();
  const apartMs = 5 * 60_000 + 1;
  const apart = { status: 'rejected', reason: { exitCode: 16, facts: { code: 'clocks_differ' } } };
  for (const ms of [-apartMs, apartMs]) {
    worker.databaseMs = FACTS.createdAtMs + ms;
    const { settled, states } = await run(worker, () => Promise.reject(new Error('it left')));
    expect(settled).toMatchObject(apart);
    expect(new Set(states)).toEqual(new Set(['planned']));
  }
  worker.databaseMs = FACTS.createdAtMs + apartMs - 1;
  const { settled, states, sent } = await run(worker, (row, at) => {
    if (at === 4) worker.databaseMs = FACTS.createdAtMs + apartMs;
    return confirmed(row);
  });
  expect(settled).toMatchObject(apart);
  expect(states.filter((state) => state === 'confirmed')).toHaveLength(sent);
  expect(states.filter((state) => state === 'planned')).toHaveLength(ROWS.length - sent);
});

describe('rows that nobody answers', () => {
  const silence: Stop = { kind: 'silence', code: 'no_answer' };
  const among = (worker: Lent, others: number | null, attempt: Attempt) =>
    run(worker, () => {
      const silentRows = others === null || worker.silentRows === 0 ? 0 : others + worker.silentRows;
      worker.onControl({ pauseMs: 0, stopped: null, silentRows });
      return Promise.resolve(attempt);
    });

  it('stop all where none of them has an answer', async () => {
    const worker = new Lent();
    const { settled } = await among(worker, 46, silent);
    expect(settled).toEqual({ status: 'fulfilled', value: silence });
    expect(worker.silentRows).toBeGreaterThanOrEqual(4);
    expect(worker.stops).toEqual([silence]);
  });

  it('stop nobody where one of them has an answer', async () => {
    const [one, all] = [new Lent(), new Lent()];
    expect((await among(one, null, silent)).settled).toEqual({ status: 'fulfilled', value: null });
    expect(one.silentRows).toBe(ROWS.length);
    const answered = await among(all, 1000, made('confirmed', { id: 'op' }));
    expect(answered.settled).toEqual({ status: 'fulfilled', value: null });
    expect([one.stops, all.stops]).toEqual([[], []]);
  });
});
