/** `npm run test:soak` makes 200 kills, and every other run makes a few. */
import { describe, expect, it } from 'vitest';
import { recordFigures, under } from '../figures.js';
import { killClients } from './kills.js';
import { POINTS } from './points.js';
import { NEW_KEY, programOf, LEAVES_EARLY, SETTLES_EARLY } from './program.js';

const IS_SOAK = process.env['SOAK'] !== undefined;
const KILLS = IS_SOAK ? 25 * POINTS.length : POINTS.length;
const LIMIT = { timeout: 600_000 };

const CLEAN = {
  ...{ doubled: [], missing: [], untold: [], invented: [], refused: [], unsettled: [] },
  unbalanced: null,
};

function record(
  run: string,
  { hits, doubled, missing, untold, invented, refused }: Awaited<ReturnType<typeof killClients>>,
): void {
  const counts = {
    kills: POINTS.reduce((sum, point) => sum + hits[point], 0),
    ...under('killed', hits),
    'creates carried out twice': doubled.length,
    'creates lost': missing.length,
    'operations nobody was told of': untold.length,
    'operations nobody asked for': invented.length,
    'lines that were refused when typed again': refused.length,
  };
  recordFigures({ suite: 'Single creates, killed', run, counts });
}

describe('kill -9 of a client', () => {
  it(`${String(KILLS)} times, at every point: what is repeated exists once`, LIMIT, async () => {
    const all = await killClients(await programOf(), KILLS);
    const { hits, ...report } = all;
    expect(report).toEqual(CLEAN);
    expect(hits).toEqual(Object.fromEntries(POINTS.map((point) => [point, KILLS / POINTS.length])));
    record('kills', all);
  });
});

describe.concurrent('the harness sees', () => {
  it('a client that lets a request leave before it is cleared', LIMIT, async () => {
    const report = await killClients(await programOf(LEAVES_EARLY), 1, ['carried out, not answered']);
    expect(report.untold).toHaveLength(1);
    record('control: leaves before it is cleared', report);
  });

  it.runIf(IS_SOAK)('a repetition with a new key', LIMIT, async () => {
    const report = await killClients(await programOf(NEW_KEY), 1, ['carried out, not answered']);
    expect(report.doubled).toHaveLength(1);
    record('control: repeats with a new key', report);
  });

  it.runIf(IS_SOAK)('a client that forgets a request before its answer was handed over', LIMIT, async () => {
    const report = await killClients(await programOf(SETTLES_EARLY), 1, ['answered, not shown']);
    expect(report.untold).toHaveLength(1);
    record('control: settles before it shows', report);
  });
});
