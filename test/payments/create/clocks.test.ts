import { describe, expect, it } from 'vitest';
import { fakeClock, type FakeClock } from '../../support/fake-clock.js';
import { shop, type Shop } from '../../support/open-request.js';
import { payout } from '../../support/requests.js';

const HOUR_MS = 3_600_000;
const OFF = [-30 * HOUR_MS, -5 * HOUR_MS, 0, 5 * HOUR_MS, 30 * HOUR_MS];

function apart(offMs: number): Shop & { pass(ms: number): void } {
  let serviceClock: FakeClock | null = null;
  const world = shop(({ clock }) => (serviceClock = fakeClock(clock.now() - offMs)));
  const there = serviceClock as FakeClock | null;
  if (there === null) throw new Error('a shop asks for the clock of its service');
  const pass = (ms: number): void => [world.home.clock, there].forEach((clock) => clock.advance(ms));
  return { ...world, pass };
}

describe.each(OFF)('a machine that is %i ms ahead', (offMs) => {
  it('pays, and its answer is not taken for an older payment', async () => {
    const { svc, open } = apart(offMs);
    for (const reference of ['invoice-1', 'invoice-2']) {
      const paid = await svc([...payout(), '--reference', reference]);
      expect(paid.exitCode, paid.stderr).toBe(0);
      expect(paid.stderr).not.toMatch(/Nothing new/);
    }
    expect(await open()).toEqual([]);
  });
});
