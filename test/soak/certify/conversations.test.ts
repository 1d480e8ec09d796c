import { expect, it } from 'vitest';
import type { Mistake } from '../../certify/commands.js';
import { mistakeFound, rightConversation, TELLING } from '../../certify/conversations.js';

const isSoak = process.env['SOAK'] !== undefined;
const RIGHT = 20_000;
const MISTAKEN = 20_000;

it.runIf(isSoak)('right commands', { timeout: 3_600_000 }, () => {
  let runs = 0;
  for (let seed = 10_000; runs < RIGHT; seed += 1) {
    const { runs: own, broken } = rightConversation(seed);
    expect(broken).toEqual([]);
    runs += own;
  }
});

it.runIf(isSoak)('mistaken commands', { timeout: 3_600_000 }, () => {
  const mistakes = Object.keys(TELLING) as Mistake[];
  for (let n = 0; n < MISTAKEN; n += 1)
    expect(mistakeFound(mistakes[n % mistakes.length]!, 10_000 + n)).toEqual([]);
});
