/** Histories of single creates beside batches on every run; `npm run test:soak` plays ten thousand others of each family. */
import { expect, it } from 'vitest';
import { FAMILIES, playSingles } from './history.js';

const ONE = process.env['SEED'];
const FIRST = Number(ONE ?? 1);
const COUNT = ONE === undefined ? 60 : Number(process.env['COUNT'] ?? 1);
const LIMIT_MS = 120_000;
const FAULTS = ['twice', 'lost', 'lied', 'paid though nobody meant it'];

it.each(FAMILIES)(
  'family "%s": nobody is paid twice, nothing is lost, nothing is called what it is not',
  async (family) => {
    const faults: string[] = [];
    for (let seed = FIRST; seed < FIRST + COUNT; seed += 1) {
      const { tally, world } = await playSingles(family, seed);
      if (FAULTS.some((fault) => tally.has(fault)))
        faults.push([`SEED=${String(seed)} ${JSON.stringify([...tally])}`, ...world.log].join('\n'));
    }
    expect(faults.join('\n\n')).toBe('');
  },
  LIMIT_MS,
);
