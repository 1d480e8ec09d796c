/** Each rule of single creates out alone: the history that is for it has to end badly then, or its zeros prove nothing. */
import { expect, it } from 'vitest';
import { CONTROLS } from './controls.js';
import { playSingles } from './history.js';
import { programOf } from './programs.js';

it.each(CONTROLS)('without "$name" history $seed of "$family" ends badly', async (control) => {
  const { family, seed, ends } = control;
  const whole = await playSingles(family, seed, await programOf(family));
  expect([...whole.tally.keys()]).not.toContain(ends);
  const broken = await playSingles(family, seed, await programOf(family, control));
  expect([...broken.tally.keys()]).toContain(ends);
});
