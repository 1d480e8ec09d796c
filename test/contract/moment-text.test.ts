import { expect, it } from 'vitest';
import { unsureMembers, unsureText } from '../../src/contract/moment.js';

const AT_MS = Date.parse('2026-09-23T15:00:00.750Z');

it('names both clocks, then and now, to the second', () => {
  const back = { clock: 'boot', thenMs: 7_200_400, nowMs: 60_000 } as const;
  const ahead = { clock: 'service', thenMs: AT_MS, nowMs: AT_MS + 60_000 } as const;
  const age = { kind: 'clocks_disagree', back, ahead } as const;
  expect(unsureText(age)).toBe(
    'The clocks disagree on how long ago this left: what this machine has counted since its boot was 7200 s then and is 60 s now, and the ' +
      "service's time was 2026-09-23T15:00:00Z then and is 2026-09-23T15:01:00Z now. Correct the clock that is wrong.",
  );
  expect(unsureMembers(age)).toEqual([
    { clock: 'boot', then: 7200, now: 60 },
    { clock: 'service', then: '2026-09-23T15:00:00Z', now: '2026-09-23T15:01:00Z' },
  ]);
});

it('shows what is no moment as it is', () => {
  const reading = { clock: 'machine', thenMs: 9e15, nowMs: 0 } as const;
  expect(unsureMembers({ kind: 'clocks_disagree', back: reading, ahead: reading })[0]).toEqual({
    ...{ clock: 'machine', then: '9000000000000000', now: '1970-01-01T00:00:00Z' },
  });
});

it('has nothing to compare where the time is not known', () => {
  expect(unsureMembers({ kind: 'time_unknown' })).toEqual([]);
  expect(unsureText({ kind: 'time_unknown' })).toContain("service's time is not known");
});
