import { expect, it } from 'vitest';
import { PlacementState } from '../../../src/reconcile/match/placement.js';

it('says how everything stands and how much is open', () => {
  const standing = new PlacementState(3, 2);
  standing.pair(3, 1);
  standing.place('here', 1);
  expect([1, 2, 3].map((row) => standing.partner('here', row))).toEqual([-1, 0, 1]);
  expect([1, 2].map((row) => standing.partner('there', row))).toEqual([3, 0]);
  expect([standing.openCount('here'), standing.openCount('there')]).toEqual([1, 1]);
});

it('places everything once', () => {
  const standing = new PlacementState(2, 2);
  standing.pair(1, 1);
  for (const again of [
    () => standing.pair(1, 2),
    () => standing.pair(2, 1),
    () => standing.place('here', 1),
    () => standing.place('there', 1),
  ])
    expect(again).toThrow('in two findings');
});
