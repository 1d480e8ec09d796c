/** Runs a batch in a simulated world, killed and broken at random, until nothing is left to send, and says what came of it. */
import { runBatch } from '../../../src/bulk/run/engine.js';
import type { Batch, BatchStore, ClaimedRow, ShownRow } from '../../../src/bulk/store/batch-store.js';
import type { RowState } from '../../../src/bulk/row-state.js';
import { DatabaseUnusable } from '../../../src/runtime/database-unusable.js';
import { backoffMs } from '../../../src/client/retry.js';
import { isRepeatable } from '../../../src/journal/intent.js';
import { FACTS, planned, plannedRow } from '../given.js';
import { MemoryStore } from '../memory-store.js';
import { decideOpen, type Care } from './person.js';
import { Seeded } from './random.js';
import { SimulatedService, type Fault, type Payment } from './service.js';
import { SimulatedTime } from './time.js';

/** Where a process can die. */
export const KILL_POINTS = [
  'before_commit',
  'after_commit',
  'before_sending',
  'carried_out_unanswered',
  'answered',
] as const;
export type KillPoint = (typeof KILL_POINTS)[number];

/** A broken program, which the simulation has to catch. */
export type Variant =
  | 'none'
  | 'random_key'
  | 'marks_before_sending'
  | 'forgets_age'
  | 'believes_nobody_was_paid'
  | 'takes_any_operation';

export interface Outcome {
  readonly rows: readonly ShownRow[];
  readonly ledger: readonly Payment[];
  readonly kills: Readonly<Record<KillPoint, number>>;
  /** What requests met, by kind. */
  readonly met: Readonly<Record<Fault, number>>;
  readonly runs: number;
  /** Rows that a person decided about. */
  readonly decided: number;
  /** The time between all runs together. */
  readonly pausedMs: number;
}

const FAULTS: readonly Fault[] = [
  ...([
    'lost_before',
    'lost_after',
    'garbage',
    'unavailable',
    'unavailable',
    'limited',
    'limited',
    'not_sent',
  ] as const),
];
const HOUR_MS = 3_600_000;
const ROUNDS = 2;
const CARE: Partial<Record<Variant, Care>> = {
  believes_nobody_was_paid: 'credulous',
  takes_any_operation: 'hasty',
};

class MarkingStore extends MemoryStore {
  protected override readonly claimedState: RowState = 'accepted';
}

export async function simulate(seed: number, variant: Variant = 'none'): Promise<Outcome> {
  const random = new Seeded(seed);
  const time = new SimulatedTime(FACTS.createdAtMs);
  const service = new SimulatedService(random);
  const store: MemoryStore = variant === 'marks_before_sending' ? new MarkingStore() : new MemoryStore();
  const rows = Array.from({ length: 1 + random.below(40) }, (_, number) =>
    plannedRow(number, BigInt(100 + random.below(99_999))),
  );
  const batch = await planned(store, rows);
  const kills = Object.fromEntries(KILL_POINTS.map((point) => [point, 0])) as Record<KillPoint, number>;
  let [runs, pausedMs, decided] = [0, 0, 0];
  // What failed is sent anew after each round, into the same chaos.
  for (let round = 0; round < ROUNDS; round += 1) {
    const chaosRuns = 1 + random.below(6);
    for (let run = 0; run < 60; run += 1) {
      const isChaos = run < chaosRuns;
      if (!isChaos && (await isSettled(store, batch))) break;
      await runOnce({ random, time, service, store, batch, isChaos, variant, kills });
      const pauseMs = isChaos && random.chance(0.15) ? random.below(40 * HOUR_MS) : random.below(HOUR_MS);
      time.jumpMs += pauseMs;
      pausedMs += pauseMs;
      runs += 1;
    }
    decided += await decideOpen(store, service.ledger, batch, CARE[variant] ?? 'careful');
  }
  while (runs < 199 && !(await isSettled(store, batch))) {
    await runOnce({ random, time, service, store, batch, isChaos: false, variant, kills });
    runs += 1;
  }
  return {
    decided,
    rows: await store.rows(batch.id, -1, Infinity),
    ledger: service.ledger,
    kills,
    met: service.met,
    runs,
    pausedMs,
  };
}

interface Run {
  readonly random: Seeded;
  readonly time: SimulatedTime;
  readonly service: SimulatedService;
  readonly store: MemoryStore;
  readonly batch: Batch;
  readonly isChaos: boolean;
  readonly variant: Variant;
  readonly kills: Record<KillPoint, number>;
}

async function runOnce({ random, time, service, store, batch, isChaos, variant, kills }: Run): Promise<void> {
  let isDead = false;
  const killRate = isChaos && random.chance(0.7) ? 0.03 : 0;
  const faultRate = isChaos ? random.fraction() * 0.6 : 0;
  const isDiskBad = isChaos && random.chance(0.2);
  const isRevoked = isChaos && random.chance(0.1);
  const stop = new AbortController();
  const never = new Promise<never>(() => undefined);
  /** Where the process may die; what is dead never goes on. */
  const at = async (point: KillPoint): Promise<void> => {
    if (!isDead && random.chance(killRate)) {
      kills[point] += 1;
      isDead = true;
    }
    if (isDead) await never;
  };
  const disk: Pick<BatchStore, 'exchange' | 'tally'> = {
    tally: (id) => store.tally(id),
    exchange: async (id, results, claim) => {
      await at('before_commit');
      if (isDiskBad && random.chance(0.1)) throw new DatabaseUnusable('full', 'store of batches', 'memory');
      const taken = await store.exchange(id, results, claim);
      await at('after_commit');
      return taken;
    },
  };
  const deliver = async (row: ClaimedRow) => {
    await at('before_sending');
    await time.sleep(random.below(20));
    if (isDead) await never;
    const fault =
      isRevoked && random.chance(0.2) ? 'denied' : random.chance(faultRate) ? random.pick(FAULTS) : 'none';
    const key = variant === 'random_key' ? `key-${random.fraction()}` : row.key;
    const answer = service.receive({ ...row, key }, fault, time.now());
    await at('carried_out_unanswered');
    await time.sleep(random.below(200));
    await at('answered');
    if (isChaos && random.chance(0.005)) stop.abort();
    return answer();
  };
  const work = runBatch(
    batch,
    { concurrency: 1 + random.below(8), ratePerSecond: random.chance(0.2) ? 50 : null, signal: stop.signal },
    {
      store: disk,
      deliver,
      clock: time,
      random,
      backoffMs,
      isRepeatable: (sentAtMs, nowMs) =>
        variant === 'forgets_age' || isRepeatable({ createdAtMs: sentAtMs }, nowMs),
    },
  );
  const isDone = await time.run(work, () => isDead);
  if (isDone) await work.catch((error: unknown) => mustBeDisk(error));
  time.clear();
}

function mustBeDisk(error: unknown): void {
  if (!(error instanceof DatabaseUnusable)) throw error;
}

/** Nothing is left to send. */
async function isSettled(store: BatchStore, batch: Batch): Promise<boolean> {
  const left = await store.rows(batch.id, -1, 1, ['planned', 'intent', 'unavailable', 'unknown']);
  return left.length === 0;
}
