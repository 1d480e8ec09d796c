import { runBatch, type RunOptions } from '../../../src/batches/run/engine.js';
import type { Batch } from '../../../src/storage/batches/batch-store.js';
import type { Control, Worker, Stop } from '../../../src/storage/batches/worker.js';
import { fakeClock } from '../../support/fake-clock.js';
import { agesBy } from '../../support/moments.js';
import { FACTS } from '../../storage/batches/given.js';

type World = Parameters<typeof runBatch>[2];

export function send(
  batch: Batch,
  world: Pick<World, 'store' | 'attempt'> & Partial<World>,
  options: Partial<RunOptions> = {},
) {
  const { clock = fakeClock(FACTS.createdAtMs) } = world;
  const signal = new AbortController().signal;
  return runBatch(
    batch,
    { concurrency: 4, ratePerSecond: null, signal, ...options },
    {
      ...{ clock, random: { fraction: () => 0 }, ages: agesBy(clock), worker: null, serviceMs: () => null },
      findRefusal: () => Promise.resolve(null),
      handleUsedKey: () => Promise.resolve(null),
      onRejected: () => Promise.resolve(),
      holders: {
        findHeldRows: () => Promise.resolve([]),
        judgeAnswer: (_row, answer) => Promise.resolve(answer),
      },
      ...world,
    },
  );
}

export class Lent implements Worker {
  readonly lateResults = 0;
  ratePerSecond: number | null = null;
  databaseMs: number | null = null;
  isGood = true;
  silentRows = 0;
  readonly stops: Stop[] = [];
  readonly pauses: number[] = [];
  onControl: (control: Control) => void = () => undefined;
  requireLease = (): Promise<void> => Promise.resolve();
  listen = (onControl: (control: Control) => void): void => void (this.onControl = onControl);
  pause = (ms: number): Promise<void> => Promise.resolve(void this.pauses.push(ms));
  slot = (): Promise<number> => Promise.resolve(-Infinity);
  reportSilentRows = (rows: number): void => void (this.silentRows = rows);
  stop = (stop: Stop): Promise<void> => Promise.resolve(void this.stops.push(stop));
  end = (): Promise<void> => Promise.resolve();
}
