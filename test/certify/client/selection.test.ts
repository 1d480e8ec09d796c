import { expect, it } from 'vitest';
import { requireKnownCases, selectionOfCases } from '../../../src/certify/client/selection.js';

const IDS = ['twice.row', 'twice.cut', 'ping'];

it.each([
  [[], [], []],
  [['twice'], [], ['ping']],
  [[], ['twice'], ['twice.row', 'twice.cut']],
  [['twice', 'ping'], ['twice.c'], ['twice.cut']],
])('only %j without %j leaves out %j', (only, skip, leftOut) => {
  expect(selectionOfCases(only, skip).leftOutOf(IDS)).toEqual(leftOut);
});

it('refuses what no id begins with', () => {
  const check = (only: string[], skip: string[]) => () => requireKnownCases('receiver', IDS, { only, skip });
  expect(check(['twice.', 'p'], ['ping'])).not.toThrow();
  expect(check(['row'], [])).toThrow('--only: no case begins with "row". Nothing was sent.');
  expect(check([], [''])).toThrow('--skip: no case begins with "". Nothing was sent.');
});
