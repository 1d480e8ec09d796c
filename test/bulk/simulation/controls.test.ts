/** Each rule of money out alone: the stories and histories that it is for have to end badly then, or nothing of this proves anything. */
import { expect, it } from 'vitest';
import { BAD_ENDS, isCarefulWithout } from './bad-ends.js';
import { play } from './history.js';
import { programWithout, RULES } from './rules.js';
import { STORIES, endOfStory } from './stories.js';

it.each(STORIES.map((story) => [story.name, story] as const))('%s', async (_name, story) => {
  expect(await endOfStory(story)).toBe(story.ends);
  const broken = await programWithout(story.rule);
  expect(await endOfStory(story, broken), `without: ${story.rule}`).toBe(story.endsWithout);
});

it.each(BAD_ENDS)('without "%s" a history of chance ends badly', async (rule, history, verdict) => {
  const isCareful = isCarefulWithout(rule);
  expect((await play(history)).verdicts).toEqual([]);
  const program = await programWithout(rule);
  expect((await play(history, { isCareful, program })).verdicts).toContain(verdict);
});

it('puts every rule out somewhere', () => {
  const rules = [...STORIES.map(({ rule }) => rule), ...BAD_ENDS.map(([rule]) => rule)];
  expect(new Set(rules)).toEqual(new Set(RULES));
});
