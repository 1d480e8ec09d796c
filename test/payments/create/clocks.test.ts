import { expect, it } from 'vitest';
import { fakeClock } from '../../support/fake-clock.js';
import { shop } from '../../support/open-request.js';
import { payout } from '../../support/requests.js';

const HOUR_MS = 3_600_000;
const OFF = [-30 * HOUR_MS, -5 * HOUR_MS, 0, 5 * HOUR_MS, 30 * HOUR_MS];

it.each(OFF)('a machine that is %i ms ahead pays, and its answer is no older payment', async (offMs) => {
  const { svc, open } = shop(({ clock }) => fakeClock(clock.now() - offMs));
  for (const reference of ['invoice-1', 'invoice-2']) {
    const paid = await svc([...payout(), '--reference', reference]);
    expect(paid.exitCode, paid.stderr).toBe(0);
    expect(paid.stderr).not.toMatch(/Nothing new/);
  }
  expect(await open()).toEqual([]);
});
