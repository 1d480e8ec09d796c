import { expect, it } from 'vitest';
import { CLIENT_RULES } from '../../src/certify/client/judge.js';
import type { Mistake } from './commands.js';
import { mistakeFound, TELLING } from './conversations.js';

it('each rule but "ends", which the run itself says, has a mistake', () => {
  const rules = CLIENT_RULES.map(({ id }) => id).filter((id) => id !== 'ends');
  expect(Object.keys(TELLING).sort()).toEqual([...rules].sort());
});

it.each(Object.keys(TELLING) as Mistake[])('%s', (mistake) => {
  const seeds = Array.from({ length: 20 }, (_, seed) => seed);
  expect(seeds.flatMap((seed) => mistakeFound(mistake, seed))).toEqual([]);
});
