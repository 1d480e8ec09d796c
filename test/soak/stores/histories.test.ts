/**
 * Payrolls whose stores are lost, put back or copied, with real processes: every reference is paid once. One of the mishaps in every run;
 * `npm run test:soak` makes two hundred histories of all of them, `SEED=n` with another seed.
 */
import { variant } from '../broken.js';
import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../../support/program.js';
import { recordFigures, under } from '../figures.js';
import { programOf } from '../requests/program.js';
import { liveThrough, type Report } from './histories.js';
import { MISHAPS, type Mishap } from './mishaps.js';

const SOAK = process.env['SOAK'] !== undefined;
const AMONG: readonly Mishap[] = SOAK ? MISHAPS : ['another machine that knows nothing'];
const HISTORIES = SOAK ? 203 : AMONG.length;
const CONTROL_HISTORIES = SOAK ? 20 : 1;
const SEED = Number(process.env['SEED'] ?? 1);
const LIMIT = { timeout: 3_600_000 };

/** The key says which batch it is of: another name pays again. */
const KEY_OF_BATCH = variant(
  'stores-key-of-batch',
  'bulk',
  'addBlock',
  [
    'const key = deriveKey({ ...facts, reference: row.reference,',
    'const key = deriveKey({ ...facts, reference: row.reference + facts.createdAtMs,',
  ],
  ["if (finding.kind === 'paid') paid.add(", "if (finding.kind === 'paid' && facts.name === '') paid.add("],
);

function record(run: string, { mishaps, rows, doubled, lost, lied, stuck }: Report): void {
  const counts = {
    ...under('stores', mishaps),
    rows,
    'references paid twice': doubled.length,
    'references lost': lost.length,
    'rows called confirmed that nobody paid': lied.length,
    'payrolls that never came to their end': stuck.length,
  };
  recordFigures({ suite: 'Batches, their stores lost, restored or copied', run, counts });
}

it(`${String(HISTORIES)} histories: every reference is paid once (SEED=${String(SEED)})`, LIMIT, async () => {
  const report = await liveThrough(PROGRAM, HISTORIES, SEED, AMONG);
  const { mishaps, rows, ...faults } = report;
  expect(faults).toEqual({ doubled: [], lost: [], lied: [], stuck: [] });
  expect(rows).toBe(HISTORIES * 6);
  for (const mishap of AMONG) expect(mishaps[mishap], mishap).toBeGreaterThanOrEqual(1);
  record(`seed ${String(SEED)}`, report);
});

describe('the harness sees', () => {
  it('a key of the batch, and nobody asked', LIMIT, async () => {
    const report = await liveThrough(await programOf(KEY_OF_BATCH), CONTROL_HISTORIES, SEED, [
      'another machine that knows nothing',
      'everything lost',
    ]);
    expect(report.doubled.length).toBeGreaterThan(0);
    record('control: a key of the batch, and nobody asked', report);
  });
});
