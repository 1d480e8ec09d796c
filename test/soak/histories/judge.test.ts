import { expect, it } from 'vitest';
import { addTo, recordFigures } from '../figures.js';
import { countsOf, judge, linesOf, NAMES, type Findings } from './judge.js';
import { SUITE } from './story.js';
import { ASKED, GOOD_HISTORIES, WRONG_HISTORIES } from './wrong-histories.js';

it.each(Object.entries(GOOD_HISTORIES))('%s: nothing is found', (_name, history) => {
  expect(linesOf(judge(history, ASKED))).toEqual([]);
});

const sum: Record<string, number> = {};

it.each(WRONG_HISTORIES)('%s: that is "%s"', (_name, finding, history) => {
  const found = judge(history, ASKED);
  for (const name of Object.keys(NAMES) as (keyof Findings)[])
    expect(found[name], name).toHaveLength(name === finding ? 1 : 0);
  expect(linesOf(found)).toHaveLength(1);
  addTo(sum, countsOf(found));
});

it('each promise has a history in which it is broken', () => {
  expect(new Set(WRONG_HISTORIES.map(([, finding]) => finding))).toEqual(new Set(Object.keys(NAMES)));
  const counts = { 'histories judged': WRONG_HISTORIES.length, ...sum };
  recordFigures({ suite: SUITE, run: 'control: histories by hand', counts });
});
