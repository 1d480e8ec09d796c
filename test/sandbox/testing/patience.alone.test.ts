import { afterEach, expect, it, vi } from 'vitest';
import { startSandbox } from '../../../src/sandbox/testing/start-sandbox.js';
import '../../support/starting.js';

afterEach(() => void vi.useRealTimers());

it('five seconds, then it rejects, names what has no answer, and the clock has moved', async () => {
  await using sandbox = await startSandbox();
  const receiver = await sandbox.receiver({ answer: 'slow' });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const before = Date.now();
  await sandbox.fetch('/_control/ping', { method: 'POST', body: '{}' });
  const message = sandbox.advance('48h').then(
    () => 'resolved',
    (error: unknown) => String(error),
  );
  while (receiver.deliveries.length === 0) await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(4_999);
  let isOver = false;
  void message.then(() => (isOver = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  vi.advanceTimersByTime(1);
  const [{ id } = { id: '' }] = await sandbox.deliveries();
  expect(await message).toMatch(
    /^Error: The clock is at 2\d{3}-.*Z\. But after 5 s these deliveries have no answer: /,
  );
  expect(await message).toContain(
    `test.ping to ${receiver.url} (delivery ${id}). advance('48h', { deliveries: false }) does not wait for them.`,
  );
  const clock = await sandbox.fetch('/_control/clock');
  const { now } = (await clock.json()) as { now: string };
  expect(Date.parse(now) - before).toBeGreaterThan(47 * 3_600_000);
});
