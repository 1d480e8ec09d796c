import { describe, expect, it } from 'vitest';
import type { Story } from '../../../scripts/safety/cuts.js';
import { SCENARIOS } from '../../../scripts/safety/scenarios.js';
import { canRecord } from '../../../scripts/safety/trace.js';
import { recordFigures } from '../figures.js';
import { blindly, cut, type Cut, hasFault, inLanes, inWords, recorded, type Size, summed } from './bench.js';

const SOAK = process.env['SOAK'] === '1';
/** `POWER_SHARE=0.2` examines a fifth of all states. */
const SHARE = Number(process.env['POWER_SHARE'] ?? '1');

const SEEDS = [1, 2, 3, 4];
const SIZE: Size = { cheap: 260, dear: 38 };
const AFTER_A_KILL = ['create', 'batch', 'two at once', 'profile'];
const AFTER_A_CUT = ['create', 'batch', 'two at once'];

const cutsOf = (story: Story, scenarios: readonly string[]): Cut[] =>
  SEEDS.flatMap((seed) =>
    scenarios.map((scenario) => ({
      ...{ scenario, story, seed },
      ...{ cheap: Math.ceil(SIZE.cheap * SHARE), dear: Math.ceil(SIZE.dear * SHARE) },
    })),
  );

describe.skipIf(!canRecord())('a power cut', () => {
  it.skipIf(SOAK)('of a batch leaves nothing that svc does not recover from, and would show it', async () => {
    const whole = { scenario: 'batch', seed: 7 };
    const { counts, findings } = await cut({ ...whole, cheap: 150, dear: 4 });
    expect(findings).toEqual([]);
    expect(counts).toMatchObject({ cheap: 150, dear: 4 });
    const size = { cheap: 100, dear: 0 };
    await recorded({ ...whole, ...size }, async (stage, recording) => {
      const ignored = (site: string): boolean => site.startsWith('file batches.db-wal before a sending');
      expect(hasFault(await blindly(stage, recording, size))).toBe(false);
      expect(hasFault(await blindly(stage, recording, size, { ignored }))).toBe(true);
    });
  });

  it.runIf(SOAK)(
    'leaves nothing behind that svc does not recover from, whatever it does',
    { timeout: 3_600_000 },
    async () => {
      const cuts = [
        ...cutsOf('cut', Object.keys(SCENARIOS)),
        ...cutsOf('killed before', AFTER_A_KILL),
        ...cutsOf('cut before', AFTER_A_CUT),
      ];
      const examined = await inLanes(cuts, cut);
      expect(examined.flatMap(({ findings }) => findings)).toEqual([]);
      const counts = summed(examined.map((one) => one.counts));
      recordFigures({
        suite: 'Power cut on paper at moments of recorded runs',
        run: `seeds ${String(SEEDS[0])} to ${String(SEEDS.at(-1))}`,
        counts: {
          scenarios: Object.keys(SCENARIOS).length,
          recordings: cuts.length,
          'states asked cheaply': counts.cheap,
          'states recovered by svc': counts.dear,
          'of both with strict names': counts.strict,
          ...(counts.stopped > 0 && {
            'stopped because a store was gone, with the line that skips what was paid': counts.stopped,
          }),
          ...inWords(counts),
        },
      });
    },
  );
});
