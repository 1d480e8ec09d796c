/**
 * kill -9 of batches against a real server over a line that breaks: its ledger equals the files, row by row. A few kills in every
 * run; `npm run test:soak` makes three hundred.
 */
import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../../support/program.js';
import { programOf } from '../requests/program.js';
import { killBatches } from './kills.js';
import { POINTS } from './points.js';
import { MARKS_EARLY, NEW_KEYS } from './program.js';

const SOAK = process.env['SOAK'] !== undefined;
const KILLS = SOAK ? 300 : 12;
const SEED = Number(process.env['SEED'] ?? 1);
const LIMIT_MS = 1_200_000;

it(
  `${String(KILLS)} times, at every point: every row is paid once (SEED=${String(SEED)})`,
  async () => {
    const { hits, rows, ...faults } = await killBatches(PROGRAM, KILLS, SEED);
    expect(faults).toEqual({ doubled: [], missing: [], invented: [], unsettled: [], unbalanced: null });
    expect(rows).toBe(KILLS * 4);
    for (const point of POINTS) expect(hits[point], point).toBeGreaterThanOrEqual(SOAK ? 20 : 1);
  },
  LIMIT_MS,
);

describe('the harness sees', () => {
  it(
    'a new key for every sending',
    async () => {
      const { doubled } = await killBatches(await programOf(NEW_KEYS), 1, 1, ['carried out, not answered']);
      expect(doubled.length).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  it(
    'a row that is taken for sent before it is',
    async () => {
      const { missing } = await killBatches(await programOf(MARKS_EARLY), 1, 1, ['sent, not carried out']);
      expect(missing.length).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});
