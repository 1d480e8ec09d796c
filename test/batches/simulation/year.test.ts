import { describe, expect, it } from 'vitest';
import { Seeded } from '../../support/seeded.js';
import { batchesOf } from './books.js';
import type { Row } from './catalog.js';
import { wordsOf } from './machine.js';
import { verdictOf } from './verdict.js';
import { CALM, SimulatedWorld, type Setting } from './world.js';

const SEEDS = [1, 2];
const MONTHS = 12;
const ANOTHER = /^If you mean another payment: (svc .*)$/m;
const ORDINARY: Setting = { ...CALM, pendingHours: [0, 1], killRate: 0.02, faultRate: 0.05 };
const LIMIT_MS = 60_000;

async function year(seed: number, referenceOf: (month: number, person: number) => string) {
  const world = new SimulatedWorld(ORDINARY, seed);
  const [machine] = world.machines;
  world.chance(new Seeded(seed));
  const refusals: string[] = [];
  let linesThatPaid = 0;
  try {
    for (let month = 1; month <= MONTHS; month += 1) {
      const rows = [0, 1].map((person): Row => ({
        ...{ reference: referenceOf(month, person), amount: 100, person, account: 'good' },
      }));
      world.mean('payout', ...rows.map(({ reference }) => reference));
      const name = `month${String(month)}`;
      const { exitCode, error } = await world.batch(machine, name, 'payout', rows, month);
      if (exitCode === 13 && error !== null) {
        refusals.push(error.code);
        const [, printed = ''] = ANOTHER.exec(error.message) ?? [];
        const paid = world.service.ledger.length;
        await world.type(machine, wordsOf(printed), month);
        if (world.service.ledger.length > paid) linesThatPaid += 1;
      }
      world.hours(5);
      for (let turn = 0; turn < 3; turn += 1) {
        const resume = ['batches', 'resume', '--live', '--json', '--concurrency', '1', name];
        const { exitCode: end, error: why } = await world.type(machine, resume, month);
        if (end === 13) refusals.push(`resume: ${why?.code ?? ''}`);
      }
      world.hours(720);
    }
    await world.check();
    for (const { rows } of await batchesOf(machine))
      for (const { state } of rows) if (state === 'needs_review') refusals.push(state);
    return { refusals, linesThatPaid, verdicts: await verdictOf(world) };
  } finally {
    world.end();
  }
}

describe.each(SEEDS)('a year of monthly payrolls (%i)', (seed) => {
  it(
    'with fresh references meets no refusal',
    async () => {
      const { refusals, verdicts } = await year(
        seed,
        (month, person) => `m${String(month)}-${String(person)}`,
      );
      expect(refusals).toEqual([]);
      expect(verdicts).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'with the same references takes the line that is printed for another payment, each month',
    async () => {
      const { refusals, linesThatPaid, verdicts } = await year(
        seed,
        (_month, person) => `emp-${String(person)}`,
      );
      expect(refusals).toEqual(Array.from({ length: MONTHS - 1 }, () => 'references_paid'));
      expect(linesThatPaid).toBe(MONTHS - 1);
      expect(verdicts).toEqual([]);
    },
    LIMIT_MS,
  );
});
