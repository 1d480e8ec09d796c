import { expect, it } from 'vitest';
import { Notifier, supervisionIn } from '../../../src/events/service/notify.js';
import { settled } from '../../feed/manual-clock.js';

function told(watchdogMs: number | null = 60_000) {
  let nowMs = 0;
  const said: string[] = [];
  const waiting: (() => void)[] = [];
  let isSlow = false;
  const notifier = new Notifier({
    watchdogMs,
    status: () => `at ${String(nowMs)}`,
    monotonic: () => nowMs,
    send: (words) => {
      said.push(words.join(' '));
      return isSlow ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve();
    },
  });
  return {
    notifier,
    said,
    waiting,
    slow: () => (isSlow = true),
    async at(ms: number, what: 'progress' | 'change') {
      nowMs = ms;
      notifier.onChange(what);
      await settled();
    },
  };
}

it('is ready with the first progress, and not before', async () => {
  const { at, said } = told();
  await at(0, 'change');
  await at(1, 'progress');
  expect(said).toEqual(['STATUS=at 0', 'READY=1 WATCHDOG=1 STATUS=at 1']);
});

it('feeds the watchdog with progress, a few times in its time, and with nothing else', async () => {
  const { at, said } = told(20_000);
  await at(0, 'progress');
  for (let ms = 1000; ms <= 20_000; ms += 1000) await at(ms, 'progress');
  expect(said).toHaveLength(5);
  expect(said.every((words) => words.includes('WATCHDOG=1'))).toBe(true);
  for (let ms = 21_000; ms <= 60_000; ms += 1000) await at(ms, 'change');
  const later = said.slice(5);
  expect(later.length).toBeGreaterThan(3);
  expect(later.join()).not.toContain('WATCHDOG');
});

it('tells of progress between two words with the next one', async () => {
  const { at, said } = told(40_000);
  await at(0, 'progress');
  await at(5000, 'progress');
  await at(12_000, 'change');
  expect(said.at(-1)).toBe('WATCHDOG=1 STATUS=at 12000');
});

it('says one thing at a time, and nothing behind the end', async () => {
  const { at, said, notifier, slow, waiting } = told();
  slow();
  await at(0, 'progress');
  await at(30_000, 'progress');
  expect(said).toHaveLength(1);
  const ended = notifier.end();
  await settled();
  expect(said).toHaveLength(1);
  waiting.shift()?.();
  await settled();
  expect(said.at(-1)).toMatch(/^STOPPING=1 /);
  await at(60_000, 'progress');
  waiting.shift()?.();
  await ended;
  await notifier.end();
  expect(said).toHaveLength(2);
});

it.each([
  [{}, null],
  [{ NOTIFY_SOCKET: '' }, null],
  [{ NOTIFY_SOCKET: '/run/n' }, { watchdogMs: null }],
  [{ NOTIFY_SOCKET: '@n', WATCHDOG_USEC: '30000000' }, { watchdogMs: 30_000 }],
  [{ NOTIFY_SOCKET: '@n', WATCHDOG_USEC: '30000000', WATCHDOG_PID: '7' }, { watchdogMs: 30_000 }],
  [{ NOTIFY_SOCKET: '@n', WATCHDOG_USEC: '30000000', WATCHDOG_PID: '8' }, { watchdogMs: null }],
  [{ NOTIFY_SOCKET: '@n', WATCHDOG_USEC: 'soon' }, { watchdogMs: null }],
  [{ NOTIFY_SOCKET: '@n', WATCHDOG_USEC: '0' }, { watchdogMs: null }],
])('%j is %j', (env, supervision) => expect(supervisionIn(env, 7)).toEqual(supervision));
