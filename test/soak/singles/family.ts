import { expect } from 'vitest';
import type { Family } from '../../batches/simulation/singles/history.js';
import { sumOf } from '../../batches/simulation/singles/tally.js';
import { recordFigures } from '../figures.js';

const COUNT = process.env['SOAK'] === undefined ? 1 : Number(process.env['COUNT'] ?? 10_000);
const FIRST = Number(process.env['FIRST'] ?? 100_000);
const STUCK_SHARE = 1_000;
type Open = 'twice' | 'lost';
/**
 * No rule prevents these faults. With a store on each of two machines, a refused key is forgotten after a
 * day, and a payment of the other machine is in no event yet.
 */
const OPEN: Partial<Record<Family, Partial<Record<Open, number>>>> = {
  months: { lost: 2 },
  two: { twice: 1, lost: 1 },
  used: { lost: 2 },
  'used on two': { twice: 5, lost: 1 },
  lost: { lost: 2 },
};
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
