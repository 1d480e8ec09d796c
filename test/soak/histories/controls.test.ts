import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startPostgres } from '../../support/postgres.js';
import { addTo, recordFigures } from '../figures.js';
import { countsOf, linesOf, NAMES } from './judge.js';
import { live, SUITE } from './story.js';

const SOAK = process.env['SOAK'] !== undefined;
/** Acts at the same moment meet by chance, so one seed may miss what another seed shows. */
const SEEDS_MAX = 5;
const LIMIT = { timeout: 600_000 };

const BROKEN = 'a key for every sending';
const PLAN = { among: [], payrolls: 1, rows: 400, kills: 20, acts: 0, machines: 3, concurrency: 8 };

const server = SOAK ? await startPostgres() : null;

it.skipIf(server === null)(`a story shows ${BROKEN}`, LIMIT, async () => {
  const whole = await live(server!, { seed: 1, ...PLAN, broken: null });
  expect(linesOf(whole.findings)).toEqual([]);
  const sum: Record<string, number> = { stories: 0 };
  for (let seed = 1; seed <= SEEDS_MAX && !(sum[NAMES.twice]! > 0); seed += 1) {
    const { findings, kills, rows, kept } = await live(server!, { seed, ...PLAN, broken: BROKEN });
    expect(kept === null).toBe(linesOf(findings).length === 0);
    if (kept !== null) rmSync(kept, { recursive: true });
    addTo(sum, { stories: 1, kills, rows, ...countsOf(findings) });
  }
  expect(sum[NAMES.twice]).toBeGreaterThan(0);
  recordFigures({ suite: SUITE, run: `control: ${BROKEN}`, counts: sum });
});
