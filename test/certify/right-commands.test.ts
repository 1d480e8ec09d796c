import { expect, it } from 'vitest';
import { rightConversation } from './conversations.js';

it('right commands break no rule in any of their cases, nor with several faults in one run', () => {
  const all = Array.from({ length: 40 }, (_, seed) => rightConversation(seed));
  expect(all.flatMap(({ broken }) => broken)).toEqual([]);
  const sum = (of: 'runs' | 'hits'): number => all.reduce((total, one) => total + one[of], 0);
  expect(sum('runs')).toBeGreaterThan(1000);
  expect(sum('hits')).toBeGreaterThan(1000);
});
