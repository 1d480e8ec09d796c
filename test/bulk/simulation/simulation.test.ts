/** Thousands of simulated runs, killed and broken: every row is paid once or not at all. `SEED=n` repeats one, `SEEDS=n` says how many. */
import { describe, expect, it } from 'vitest';
import { KILL_POINTS, simulate, type Variant } from './simulation.js';
import { faultsOf } from './verdicts.js';

const SOAK = process.env['SOAK'] === '1';
const SEEDS = Number(process.env['SEEDS'] ?? (SOAK ? 10_000 : 2000));
const FIRST = Number(process.env['SEED'] ?? 1);
const COUNT = process.env['SEED'] === undefined ? SEEDS : 1;

it(`pays every row once over ${COUNT} seeds, whatever breaks`, { timeout: 600_000 }, async () => {
  const kills = Object.fromEntries(KILL_POINTS.map((point) => [point, 0]));
  let decided = 0;
  for (let seed = FIRST; seed < FIRST + COUNT; seed += 1) {
    const outcome = await simulate(seed);
    expect(faultsOf(outcome), `SEED=${seed}`).toEqual([]);
    decided += outcome.decided;
    for (const point of KILL_POINTS) kills[point] = (kills[point] ?? 0) + outcome.kills[point];
  }
  if (COUNT > 100) expect(decided).toBeGreaterThan(10);
  if (COUNT > 100) for (const point of KILL_POINTS) expect(kills[point], point).toBeGreaterThan(10);
});

describe('a broken program is caught', () => {
  it.each<[Variant, string]>([
    ['random_key', 'carried out 2 times'],
    ['marks_before_sending', 'lost'],
    ['forgets_age', 'carried out 2 times'],
    ['believes_nobody_was_paid', 'carried out 2 times'],
    ['takes_any_operation', 'carried out 2 times'],
  ])('%s', { timeout: 120_000 }, async (variant, message) => {
    const faults: string[] = [];
    for (let seed = 1; seed <= 300 && !faults.some((fault) => fault.includes(message)); seed += 1) {
      faults.push(...faultsOf(await simulate(seed, variant)));
    }
    expect(faults.join('\n')).toContain(message);
  });
});
