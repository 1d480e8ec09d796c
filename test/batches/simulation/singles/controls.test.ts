import { expect, it } from 'vitest';
import { CONTROLS } from './controls.js';
import { playSingles } from './history.js';
import { programOf } from './programs.js';

it.each(CONTROLS)(
  '"$name" lets history $seed of "$family" end well',
  async ({ family, seed, ends, manners }) => {
    const { tally } = await playSingles(family, seed, await programOf(family), manners);
    expect([...tally.keys()]).not.toContain(ends);
  },
);

it.each(CONTROLS.slice(0, 2))('without "$name" history $seed of "$family" ends badly', async (control) => {
  const { family, seed, ends, manners } = control;
  const { tally } = await playSingles(family, seed, await programOf(family, control), manners);
  expect([...tally.keys()]).toContain(ends);
});
