/** `npm run test:soak` makes 300 kills with each of two seeds, and `SEED=n` chooses another seed. Every other run makes 12. */
import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../../support/program.js';
import { recordFigures, under } from '../figures.js';
import { programOf } from '../requests/program.js';
import type { Variant } from '../../support/variant.js';
import { killBatches } from './kills.js';
import { FAULTS, POINTS, type Point } from './points.js';
import { MARKS_EARLY, NEW_KEYS } from './program.js';

const SOAK = process.env['SOAK'] !== undefined;
/** Faults are dealt from a deck of 25, so 12 kills are the fewest that surely meet every fault. */
const KILLS = SOAK ? 300 : 12;
const CONTROL_KILLS = SOAK ? 30 : 1;
const { SEED } = process.env;
const SEEDS = SEED === undefined ? (SOAK ? [1, 7] : [1]) : [Number(SEED)];
const LIMIT = { timeout: 1_200_000 };

function record(
  run: string,
  { hits, met, rows, doubled, missing, invented }: Awaited<ReturnType<typeof killBatches>>,
): void {
  const counts = {
    kills: POINTS.reduce((sum, point) => sum + hits[point], 0),
    ...under('killed', hits),
    rows,
    ...under('requests met', met),
    'rows paid twice': doubled.length,
    'rows lost': missing.length,
    'payments nobody asked for': invented.length,
  };
  recordFigures({ suite: 'Batches, killed', run, counts });
}

it.each(SEEDS)(
  `${String(KILLS)} times, at every point: every row is paid once (SEED=%i)`,
  LIMIT,
  async (seed) => {
    const report = await killBatches(PROGRAM, KILLS, seed);
    const { hits, met, rows, ...faults } = report;
    expect(faults).toEqual({ doubled: [], missing: [], invented: [], unsettled: [], unbalanced: null });
    expect(rows).toBeGreaterThanOrEqual(KILLS * 4);
    for (const point of POINTS) expect(hits[point], point).toBe(KILLS / POINTS.length);
    for (const fault of FAULTS) expect(met[fault], fault).toBeGreaterThanOrEqual(SOAK ? 20 : 1);
    record(`seed ${String(seed)}`, report);
  },
);

const CONTROLS: readonly (readonly [string, Variant, Point, 'doubled' | 'missing', string[]])[] = [
  ['a new key for every sending', NEW_KEYS, 'carried out, not answered', 'doubled', ['--skip-feed-check']],
  ['a row that is taken for sent before it is', MARKS_EARLY, 'sent, not carried out', 'missing', []],
];

describe('the harness sees', () => {
  it.each(SOAK ? CONTROLS : CONTROLS.slice(0, 1))('%s', LIMIT, async (name, variant, point, sign, flags) => {
    const report = await killBatches(await programOf(variant), CONTROL_KILLS, 1, [point], flags);
    expect(report[sign].length).toBeGreaterThan(0);
    record(`control: ${name}`, report);
  });
});
