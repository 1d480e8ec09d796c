import { expect, it } from 'vitest';
import { ACTS, actsOf, pairsIn, storyOf, type Chapter } from './generator.js';

const PLAN = { seed: 7, payrolls: 50, kills: 333, acts: 14 };
const killsOf = (story: readonly Chapter[]): number =>
  story.flatMap(({ during }) => during).filter(({ kind }) => kind === 'kill').length;

it('a seed draws its story again, and another seed another', () => {
  expect(storyOf(PLAN)).toEqual(storyOf(PLAN));
  expect(actsOf(storyOf(PLAN))).not.toEqual(actsOf(storyOf({ ...PLAN, seed: 8 })));
});

it('a story has its payrolls, its kills and its acts', () => {
  const story = storyOf(PLAN);
  expect([story.length, killsOf(story)]).toEqual([50, 333]);
  expect(actsOf(story).length).toBeGreaterThanOrEqual(50 * 14);
  expect(new Set(actsOf(story))).toEqual(new Set(ACTS));
});

it('rare orders come as often as others', () => {
  expect(pairsIn(actsOf(storyOf(PLAN)))).toBeGreaterThan(0.95 * ACTS.length ** 2);
});

it('nothing befalls but what may', () => {
  const story = storyOf({ ...PLAN, among: ['dumped', 'answers cut'] });
  expect(new Set(actsOf(story))).toEqual(new Set(['dumped', 'answers cut']));
  expect(actsOf(storyOf({ ...PLAN, among: [] }))).toEqual([]);
});
