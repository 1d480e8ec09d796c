/**
 * Programs that break one promise are seen by the same stories (`npm run safety -- histories`), and the judge sees what is wrong in histories
 * by hand.
 */
import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../../support/postgres.js';
import { recordFigures } from '../figures.js';
import type { Broken } from '../state/program.js';
import { countsOf, judge, linesOf, NAMES, type Findings } from './judge.js';
import { live, SUITE } from './story.js';
import { ASKED, WRONG_HISTORIES } from './wrong-histories.js';

const SOAK = process.env['SOAK'] !== undefined;
const SIZE = { machines: 3, concurrency: 8 };
/** What is done at the same moment is chance: one story may miss what another shows. */
const SEEDS_MAX = 5;
const LIMIT = { timeout: 600_000 };

/** What each breaks shows among these acts. */
const CONTROLS: readonly (Pick<
  Parameters<typeof live>[1],
  'payrolls' | 'rows' | 'kills' | 'acts' | 'among'
> & {
  readonly broken: Broken;
})[] = [{ broken: 'a key for every sending', among: [], payrolls: 1, rows: 400, kills: 20, acts: 0 }];

const server = SOAK ? await startPostgres() : null;
afterAll(() => server?.stop());

describe.skipIf(server === null)('a story shows', () => {
  it.each(CONTROLS)('$broken', LIMIT, async ({ broken, ...plan }) => {
    const whole = await live(server!, { seed: 1, ...SIZE, ...plan, broken: null });
    expect(linesOf(whole.findings)).toEqual([]);
    const sum: Record<string, number> = { stories: 0 };
    for (let seed = 1; seed <= SEEDS_MAX && !(sum[NAMES.twice]! > 0); seed += 1) {
      const { findings, kills, rows, kept } = await live(server!, { seed, ...SIZE, ...plan, broken });
      expect(kept === null).toBe(linesOf(findings).length === 0);
      if (kept !== null) rmSync(kept, { recursive: true });
      for (const [name, count] of Object.entries({ stories: 1, kills, rows, ...countsOf(findings) }))
        sum[name] = (sum[name] ?? 0) + count;
    }
    expect(sum[NAMES.twice]).toBeGreaterThan(0);
    recordFigures({ suite: SUITE, run: `control: ${broken}`, counts: sum });
  });
});

it('the judge sees each wrong history by hand', () => {
  const sum = Object.fromEntries(Object.values(NAMES).map((name) => [name, 0]));
  for (const [name, finding, history] of WRONG_HISTORIES) {
    const found = judge(history, ASKED);
    expect(found[finding], name).toHaveLength(1);
    for (const one of Object.keys(NAMES) as (keyof Findings)[]) sum[NAMES[one]]! += found[one].length;
  }
  recordFigures({
    suite: SUITE,
    run: 'control: histories by hand',
    counts: { 'histories judged': WRONG_HISTORIES.length, ...sum },
  });
});
