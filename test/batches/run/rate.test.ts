import { expect, it } from 'vitest';
import type { BatchStore } from '../../../src/storage/batches/batch-store.js';
import type { ClaimedRow } from '../../../src/storage/batches/row.js';
import { openBatchStore } from '../../../src/storage/batches/sqlite-store.js';
import type { Attempt } from '../../../src/contract/attempt.js';
import { leaseLostFailure } from '../../../src/storage/postgres/failures.js';
import { manualClock, settled } from '../../feed/manual-clock.js';
import { busy, limited, made } from '../../storage/batches/attempts.js';
import { planned, plannedRow } from '../../storage/batches/given.js';
import { Lent, send } from './lent.js';
import { statesOf } from '../../storage/batches/opening.js';

const RATE = 20;
const GAP_MS = 1000 / RATE;
const ROWS = 100;
const EVEN = { fraction: () => 0.5 };

interface Machine {
  readonly attempt: (row: ClaimedRow) => Promise<Attempt>;
  readonly answerMs?: number;
}

interface Sending {
  readonly atMs: number;
  readonly machine: number;
}

async function sendingsOf(machines: readonly Machine[], sendings: Sending[] = []): Promise<Sending[]> {
  const clock = manualClock();
  let nextMs = 0;
  const takeSlots = (count: number): number => {
    const firstMs = Math.max(nextMs, clock.monotonic());
    nextMs = firstMs + count * GAP_MS;
    return firstMs;
  };
  const workers: Lent[] = [];
  const runs = machines.map(async ({ attempt, answerMs = 0 }, machine) => {
    const store = openBatchStore(':memory:');
    const rows = Array.from({ length: ROWS }, (_, number) => plannedRow(number, 100n));
    const batch = await planned(store, rows);
    const exchange: BatchStore['exchange'] = async (id, results, claim) => {
      const taken = [...(await store.exchange(id, results, claim))];
      const firstMs = takeSlots(taken.length);
      return taken.map((row, index) => ({ ...row, slotAtMs: firstMs + index * GAP_MS }));
    };
    const worker = Object.assign(new Lent(), { ratePerSecond: RATE });
    workers.push(worker);
    worker.pause = (pauseMs) => {
      for (const { onControl } of workers) onControl({ pauseMs, stopped: null, silentRows: 0 });
      return Promise.resolve();
    };
    worker.slot = () => Promise.resolve(takeSlots(1));
    const noted: Machine['attempt'] = async (row) => {
      sendings.push({ atMs: clock.monotonic(), machine });
      if (answerMs > 0) await clock.sleep(answerMs);
      return attempt(row);
    };
    const world = { store: { ...store, exchange }, worker, clock, random: EVEN, attempt: noted };
    expect(await send(batch, world, { ratePerSecond: RATE })).toBeNull();
    expect(new Set(await statesOf(store, batch))).toEqual(new Set(['confirmed']));
  });
  const all = Promise.all(runs);
  const over = Promise.allSettled([all]).then(() => true);
  const isOver = (): Promise<boolean> => Promise.race([over, settled().then(() => false)]);
  while (!(await isOver())) await clock.advance(5);
  await all;
  return sendings;
}

function mostInASecond(sendings: readonly Sending[]): number {
  const within = (fromMs: number): number =>
    sendings.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + 1000).length;
  return Math.max(...sendings.map(({ atMs }) => within(atMs)));
}

const confirmed = ({ key }: ClaimedRow): Promise<Attempt> => Promise.resolve(made('confirmed', { id: key }));
function atFirst(other: Attempt, isMeant = (number: number) => number % 3 === 0): Machine['attempt'] {
  const seen = new Set<number>();
  return (row) => {
    const isFirst = !seen.has(row.number);
    seen.add(row.number);
    return isFirst && isMeant(row.number) ? Promise.resolve(other) : confirmed(row);
  };
}
const MOST = RATE + 1;

it('is kept by three together, and used', async () => {
  const sendings = await sendingsOf([{ attempt: confirmed }, { attempt: confirmed }, { attempt: confirmed }]);
  expect(sendings).toHaveLength(3 * ROWS);
  expect(mostInASecond(sendings)).toBeLessThanOrEqual(MOST);
  expect(sendings.at(-1)!.atMs).toBeLessThanOrEqual((3 * ROWS + RATE) * GAP_MS);
});

it('counts what is sent again', async () => {
  const sendings = await sendingsOf([{ attempt: atFirst(busy) }, { attempt: atFirst(busy) }]);
  expect(sendings.length).toBeGreaterThan(2 * ROWS);
  expect(mostInASecond(sendings)).toBeLessThanOrEqual(MOST);
});

it('has no rush behind a pause that held everybody back', async () => {
  const one = { attempt: atFirst(limited, (number) => number === 9) };
  const sendings = await sendingsOf([one, { attempt: confirmed }, { attempt: confirmed }]);
  expect(mostInASecond(sendings)).toBeLessThanOrEqual(MOST);
});

it('is left to the others by one whose rows take long', async () => {
  const sendings = await sendingsOf([{ attempt: confirmed, answerMs: 1000 }, { attempt: confirmed }]);
  expect(mostInASecond(sendings)).toBeLessThanOrEqual(MOST);
  const slowBefore = sendings.findLastIndex(({ machine }) => machine === 1) - ROWS;
  expect(slowBefore).toBeLessThan(ROWS / 2);
  expect(sendings[ROWS]!.atMs).toBeLessThanOrEqual(2 * ROWS * GAP_MS);
});

it('stops whoever else sends where one is told to wait, and from the very next row on', async () => {
  const attempt = atFirst(limited, (number) => number === 9);
  const sendings: Sending[] = [];
  let toldAfter = 0;
  const one: Machine = {
    attempt: async (row) => {
      const made = await attempt(row);
      if (made === limited) toldAfter = sendings.length;
      return made;
    },
  };
  await sendingsOf([one, { attempt: confirmed }, { attempt: confirmed }], sendings);
  const [told, next] = sendings.slice(toldAfter - 1);
  expect(next!.atMs - told!.atMs).toBeGreaterThanOrEqual(250);
});

it('is not waited for by one that was away and has lost its rows', async () => {
  const clock = manualClock();
  const store = openBatchStore(':memory:');
  const batch = await planned(store, [plannedRow(0, 100n)]);
  let asked = 0;
  const worker = Object.assign(new Lent(), { ratePerSecond: RATE, isGood: false });
  worker.requireLease = () => Promise.reject(leaseLostFailure());
  worker.slot = () => {
    return (asked += 1) > 3 ? Promise.reject(new Error('asked for ever')) : Promise.resolve(-Infinity);
  };
  const exchange: BatchStore['exchange'] = async (id, results, claim) =>
    [...(await store.exchange(id, results, claim))].map((row) => ({ ...row, slotAtMs: -60_000 }));
  const attempt = (): Promise<never> => Promise.reject(new Error('it left'));
  const world = { store: { ...store, exchange }, worker, clock, random: EVEN, attempt };
  const run = send(batch, world, { concurrency: 1, ratePerSecond: RATE });
  await expect(run).rejects.toMatchObject({ exitCode: 15, facts: { code: 'lease_lost' } });
  expect(asked).toBe(0);
});
