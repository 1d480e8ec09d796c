/** Every run puts out a few rules. `npm run safety -- bulk` puts out each of them. */
import { expect, it } from 'vitest';
import { BAD_ENDS, looksUnder } from './bad-ends.js';
import { play } from './history.js';
import { programWithout, type Rule, RULES } from './rules.js';
import { STORIES, endOfStory } from './stories.js';

const IN_EVERY_RUN: readonly Rule[] = ['store', 'generations', 'own key'];

it.each(STORIES)('$name', async (story) => expect(await endOfStory(story)).toBe(story.ends));

it.each(STORIES.filter(({ rule }) => IN_EVERY_RUN.includes(rule)))(
  'without "$rule" it ends badly: $name',
  async (story) => {
    expect(await endOfStory(story, await programWithout(story.rule))).toBe(story.endsWithout);
  },
);

it.each(BAD_ENDS)('"%s" is what lets this history of chance end well', async (rule, history) => {
  expect((await play(history, { looks: looksUnder(rule) })).verdicts).toEqual([]);
});

it.each(BAD_ENDS.filter(([rule]) => IN_EVERY_RUN.includes(rule)))(
  'without "%s" a history of chance ends badly',
  async (rule, history, verdict) => {
    const { verdicts } = await play(history, {
      looks: looksUnder(rule),
      program: await programWithout(rule),
    });
    expect(verdicts).toContain(verdict);
  },
);

it('puts every rule out somewhere', () => {
  const rules = [...STORIES.map(({ rule }) => rule), ...BAD_ENDS.map(([rule]) => rule)];
  expect(new Set(rules)).toEqual(new Set(RULES));
});
