/** What is ordinary and right is never refused, and each payment is made once. */
import { expect, it } from 'vitest';
import { playUse, USE_NAMES } from './uses.js';

const SEEDS = Number(process.env['COUNT'] ?? 3);

it.each(USE_NAMES)('%s', async (name) => {
  for (let seed = 1; seed <= SEEDS; seed += 1)
    expect(await playUse(name, seed), `seed ${String(seed)}`).toEqual({ refused: [], wrong: [] });
});
