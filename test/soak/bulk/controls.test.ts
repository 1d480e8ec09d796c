import { expect, it } from 'vitest';
import { harshHistoryOf } from '../../batches/simulation/acts.js';
import { looksUnder } from '../../batches/simulation/bad-ends.js';
import { play } from '../../batches/simulation/history.js';
import { programWithout, type Rule } from '../../batches/simulation/rules.js';
import { FAULTS, NAMES } from '../../batches/simulation/verdict.js';
import { recordFigures } from '../figures.js';

const SOAK = process.env['SOAK'] !== undefined;
const SEEDS = 300;
const LIMIT = { timeout: 900_000 };

const MET: readonly Rule[] = [
  ...(['feed', 'store', 'singles', 'reference in the key', 'strict skip', 'skipped is earlier'] as const),
  ...(['first here', 'earlier by status'] as const),
];

it.runIf(SOAK).each([true, false])(
  'sees nothing where every rule is in, and a person looks before paying: %s',
  LIMIT,
  async (looks) => {
    const bad: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { verdicts } = await play(harshHistoryOf(seed), { looks });
      if (verdicts.length > 0) bad.push(`SEED=${String(seed)} ${verdicts.join(', ')}`);
    }
    expect(bad).toEqual([]);
  },
);

it.runIf(SOAK).each(MET)('sees that "%s" is out', LIMIT, async (rule) => {
  const counts: Record<string, number> = { histories: SEEDS };
  for (const fault of FAULTS) counts[NAMES[fault]] = 0;
  const program = await programWithout(rule);
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { verdicts } = await play(harshHistoryOf(seed), { looks: looksUnder(rule), program });
    for (const fault of verdicts) counts[NAMES[fault]] = (counts[NAMES[fault]] ?? 0) + 1;
  }
  const { histories: _histories, ...faults } = counts;
  expect(Math.max(...Object.values(faults))).toBeGreaterThan(0);
  recordFigures({ suite: 'Batches, simulated', run: `control: without ${rule}`, counts });
});
