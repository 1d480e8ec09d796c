import { expect, it } from 'vitest';
import { withFreshEnd } from '../../../src/feed/open-mirror.js';
import type { Where } from '../../../src/session/place-flags.js';
import { ServiceClock } from '../../../src/client/service-clock.js';
import type { Page } from '../../../src/feed/walk.js';
import { fakeClock } from '../../support/fake-clock.js';
import type { SessionRun } from '../../../src/command/command.js';

const NOW_MS = Date.parse('2026-09-23T15:00:00Z');
const MINUTE_MS = 60_000;
const EVENT = { id: 'e', start: 0, end: 1 };

const page = (changes: Partial<Page>): Page => ({
  ...{ body: new Uint8Array(1), events: [EVENT], next: null, answeredAtMs: NOW_MS - 11 * MINUTE_MS },
  ...changes,
});

function ask(answer: Page): { asked: (number | undefined)[]; read: () => Promise<Page> } {
  const clock = new ServiceClock({ clock: fakeClock(0) });
  clock.hear({ headers: [['Date', new Date(NOW_MS).toUTCString()]] }, true);
  const ports = { random: { fraction: () => 0.5 } };
  const run = { session: { clock }, ports } as unknown as SessionRun<Where>;
  const asked: (number | undefined)[] = [];
  const source = withFreshEnd((_cursor, _signal, limit) => {
    asked.push(limit);
    return Promise.resolve(answer);
  }, run);
  return { asked, read: () => source('here', new AbortController().signal) };
}

it.each<[string, Partial<Page>]>([
  ['names no place to go on from', {}],
  ['leads to where it is', { next: 'here' }],
  ['is empty, and leads on', { events: [], next: 'there' }],
])('an old page that %s is asked for once more, and is no end then', async (_what, changes) => {
  const { asked, read } = ask(page(changes));
  await expect(read()).rejects.toMatchObject({ exitCode: 13, facts: { code: 'feed_unreadable' } });
  expect(asked).toEqual([undefined, 149]);
});

it.each<[string, Partial<Page>]>([
  ['that leads on', { next: 'there' }],
  ['that is young', { answeredAtMs: NOW_MS - 10 * MINUTE_MS }],
  ['that does not say when it was true', { answeredAtMs: null }],
])('a page %s is what it is', async (_what, changes) => {
  const { asked, read } = ask(page(changes));
  expect(await read()).toEqual(page(changes));
  expect(asked).toEqual([undefined]);
});
