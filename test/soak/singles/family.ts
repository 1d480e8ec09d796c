/** Plays one family of histories of single creates, and writes down what was counted. */
import { expect } from 'vitest';
import type { Family } from '../../batches/simulation/singles/history.js';
import { sumOf } from '../../batches/simulation/singles/tally.js';
import { recordFigures } from '../figures.js';

const COUNT = process.env['SOAK'] === undefined ? 1 : Number(process.env['COUNT'] ?? 10_000);
/** Behind the ones that every run plays; a range of its own for each core that plays some of them. */
const FIRST = Number(process.env['FIRST'] ?? 100_000);
/** One history of a thousand may end with something that nobody could lead to an end. */
const STUCK_SHARE = 1_000;
type Open = 'twice' | 'lost';
/**
 * Of ten thousand: what no rule closes. With a store for each of two machines a key that was refused a day ago is just forgotten, and what the
 * other one paid is in no event yet; an open payment of October that is sent again in November counts as November's.
 */
const OPEN: Partial<Record<Family, Partial<Record<Open, number>>>> = {
  months: { lost: 2 },
  two: { twice: 1, lost: 1 },
  used: { lost: 2 },
  'used on two': { twice: 5, lost: 1 },
  lost: { lost: 2 },
};
/** What alone is wrong in a history, where it is one of these. */
const openOf = (fault: string): Open | undefined =>
  /^SEED=\d+ [^:]+: \[\["(twice|lost)",\d+\]\]/.exec(fault)?.[1] as Open | undefined;

export const SUITE = 'Single creates beside batches, simulated';
export const TITLE = `pays nobody twice in ${String(COUNT)} more histories`;

const NAMES: Readonly<Record<Family, string>> = {
  one: 'one machine, nothing lost',
  clocks: 'clocks and caches',
  forged: 'a forged mirror',
  months: 'months on one machine',
  two: 'months on two machines',
  used: 'months, refused keys remembered',
  'used on two': 'the same on two machines',
  lost: 'months, a store lost',
};

export async function playFamily(family: Family): Promise<void> {
  const range = { first: FIRST, count: COUNT };
  // A run of ten thousand ends much later.
  const { counts, faults, stuck } = await sumOf(family, range, (fault) =>
    process.stderr.write(`${fault}\n\n`),
  );
  for (const one of stuck) process.stderr.write(`stuck: ${one}\n\n`);
  recordFigures({ suite: SUITE, run: NAMES[family], counts });
  const kinds = Map.groupBy(faults, openOf);
  expect(kinds.get(undefined) ?? []).toEqual([]);
  for (const kind of ['twice', 'lost'] as const)
    expect(kinds.get(kind)?.length ?? 0, kind).toBeLessThanOrEqual(
      ((OPEN[family]?.[kind] ?? 0) * COUNT) / 10_000,
    );
  expect(stuck.length).toBeLessThanOrEqual(COUNT / STUCK_SHARE);
}
