import { describe, expect, it } from 'vitest';
import { isOwned, withoutOwner, withOwner } from '../../../src/storage/journal/sqlite-journal.js';
import { GivenProcesses, NOW_MS, processName } from './given.js';

const MINUTE_MS = 60_000;
const [FIRST, SECOND, FAR] = [processName(1), processName(2), processName(1, 'pod')];

describe('the owners of a recorded request', () => {
  it('are those who recorded it, each once, until the last is gone', () => {
    const owners = [FIRST, SECOND, FIRST].reduce((all, one) => withOwner(all, one, NOW_MS), '[]');
    expect(JSON.parse(owners)).toHaveLength(2);
    const left = withoutOwner(owners, SECOND);
    expect(JSON.parse(left ?? '')).toMatchObject([FIRST]);
    expect(withoutOwner(left ?? '', processName(3))).toBe(left);
    expect(withoutOwner(left ?? '', { ...FIRST, started: 'later' })).toBe(left);
    expect(withoutOwner(left ?? '', FIRST)).toBeNull();
  });

  it('own it while one of them lives, however long ago it was recorded', () => {
    const processes = new GivenProcesses();
    const owners = [FIRST, SECOND].reduce((all, one) => withOwner(all, one, NOW_MS), '[]');
    const isIt = (): boolean => isOwned(owners, processes.seenBy(3), NOW_MS + 1e9);
    expect(isIt()).toBe(true);
    processes.kill(1);
    expect(isIt()).toBe(true);
    processes.kill(2);
    expect(isIt()).toBe(false);
    expect(isOwned('[]', processes.seenBy(3), NOW_MS)).toBe(false);
  });

  it.each([
    [0, true],
    [10 * MINUTE_MS, true],
    [10 * MINUTE_MS + 1, false],
    [-10 * MINUTE_MS, true],
    [-10 * MINUTE_MS - 1, false],
  ])('of which nobody can say whether it lives: %i ms later it counts: %s', (laterMs, counts) => {
    const owners = withOwner('[]', FAR, NOW_MS);
    expect(isOwned(owners, new GivenProcesses().seenBy(3), NOW_MS + laterMs)).toBe(counts);
  });
});
