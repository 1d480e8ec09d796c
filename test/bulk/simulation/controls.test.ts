/** Each rule of money out alone: the stories and histories that it is for have to end badly then, or nothing of this proves anything. */
import { expect, it } from 'vitest';
import { harshHistoryOf, historyOf, type History } from './acts.js';
import { play } from './history.js';
import { programWithout, RULES, type Rule } from './rules.js';
import { STORIES, endOfStory } from './stories.js';
import type { Verdict } from './verdict.js';

it.each(STORIES.map((story) => [story.name, story] as const))('%s', async (_name, story) => {
  expect(await endOfStory(story)).toBe(story.ends);
  const broken = await programWithout(story.rule);
  expect(await endOfStory(story, broken), `without: ${story.rule}`).toBe(story.endsWithout);
});

/** Histories of chance that end badly without a rule: of thousands, the ones where it shows soonest. */
const HISTORIES: readonly [Rule, History, Verdict][] = [
  ['feed', historyOf(35), 'twice'],
  ['feed', historyOf(32), 'lost'],
  ['store', harshHistoryOf(212), 'twice'],
  ['singles', harshHistoryOf(14), 'twice'],
  ['reference in the key', historyOf(122), 'twice'],
  ['strict skip', historyOf(73), 'twice'],
  ['skipped is earlier', historyOf(141), 'lied'],
  ['first here', harshHistoryOf(1), 'twice'],
  ['earlier by status', harshHistoryOf(22), 'lost'],
];

it.each(HISTORIES)('without "%s" a history of chance ends badly', async (rule, history, verdict) => {
  // Who looks for himself needs no question.
  const isCareful = rule !== 'first here';
  expect((await play(history)).verdicts).toEqual([]);
  const program = await programWithout(rule);
  expect((await play(history, { isCareful, program })).verdicts).toContain(verdict);
});

it('puts every rule out somewhere', () => {
  const rules = [...STORIES.map(({ rule }) => rule), ...HISTORIES.map(([rule]) => rule)];
  expect(new Set(rules)).toEqual(new Set(RULES));
});
