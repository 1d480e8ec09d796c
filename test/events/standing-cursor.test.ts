import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Stopped } from '../../src/runtime/ports.js';
import { pageBody, scripted, type Scripted } from '../feed/feed.js';
import { paid, feed } from '../reconcile/given-lines.js';
import { FEED_ENV, feedLine, ok, served, standStill } from '../support/feed-line.js';
import { sqliteTables } from '../support/into-tables.js';
import { eachWorld } from '../support/svc.js';

const home = eachWorld();

type Pages = Readonly<Record<string, Scripted | readonly Scripted[]>>;
const STUCK: Pages = { start: ['e1 e2', 'a'], a: ['e3 e4', 'a'] };
const INCLUSIVE: Pages = { start: ['e1 e2', 'a'], a: ['e2 e3', 'b'], b: ['e3', 'b'] };

const lineOf = (pages: Pages) => feedLine(served(scripted(pages)), () => 200);
const run = (words: string, pages: Pages) => home.svc(words, { env: FEED_ENV, transport: lineOf(pages) });
const idsIn = (text: string): string[] => [...text.matchAll(/"id":"(e[0-9]+)"/g)].map(([, id]) => id!);

const into = (): string => `sqlite:${join(home.home, 'events.db')}`;
const WALKS: readonly [name: string, words: () => string][] = [
  ['events list --all', () => 'events list --all'],
  ['events list --all --json', () => 'events list --all --json'],
  ['events tail --from now', () => 'events tail --no-follow --from now'],
  ['a checkpoint', () => 'events tail --no-follow --checkpoint shop'],
  ['tables', () => `events tail --no-follow --into ${into()} --create`],
  ['a receiver', () => 'events forward --to http://localhost:9/hook --no-follow'],
  ['both', () => 'events forward --to http://localhost:9/hook --no-follow --checkpoint f'],
];

describe.each(WALKS)('%s', (name, words) => {
  it('ends with 1 where the cursor stands still under new events, each time it is run', async () => {
    for (let time = 0; time < 3; time += 1) {
      const result = await run(words(), STUCK);
      expect(result.error()).toMatchObject({ code: 'feed_unreadable', exit_code: 1, retryable: true });
      expect(result.stderr).toContain('next_cursor leads no further');
    }
  });

  it('ends with 0 where all of the page was read before, and hands nothing over again', async () => {
    for (let time = 0; time < 3; time += 1) {
      const result = await run(words(), INCLUSIVE);
      expect(result.exitCode, result.stderr).toBe(0);
      if (time > 0 && name === 'a checkpoint') expect(result.stdout).toBe('');
    }
  });
});

it('tables hold what was read, and go on once the cursor moves', async () => {
  const tail = `events tail --no-follow --into ${into()} --create`;
  const held = async (): Promise<unknown> =>
    (await sqliteTables(home.home).query('SELECT id FROM svc_events ORDER BY number')).map(({ id }) => id);
  expect((await run(tail, STUCK)).exitCode).toBe(1);
  expect(await held()).toEqual(['e1', 'e2', 'e3', 'e4']);
  const mended = await run(tail, { a: ['e3 e4 e5', 'b'], b: ['', 'b'] });
  expect([mended.exitCode, await held()]).toEqual([0, ['e1', 'e2', 'e3', 'e4', 'e5']]);
});

describe('a follower', () => {
  const follow = async (words: string, pages: Pages, requests: number) => {
    const controller = new AbortController();
    const serve = served(scripted(pages));
    const transport = feedLine(
      (cursor, count) => {
        if (count >= requests) controller.abort(new Stopped('SIGTERM', 143));
        return serve(cursor, count);
      },
      () => 200,
    );
    const result = await home.svc(words, { env: FEED_ENV, transport, signal: controller.signal });
    return { ...result, delivered: transport.delivered };
  };
  const COMES_BACK: Pages = {
    ...STUCK,
    a: [...Array<Scripted>(6).fill(['e3 e4', 'a']), ['e3 e4 e5', 'b']],
    b: ['', 'b'],
  };

  it.each(['events tail', 'events tail --checkpoint shop', 'events tail --from now'])(
    '%s says so once, asks again, and goes on when the cursor moves',
    async (words) => {
      const { exitCode, stdout, stderr } = await follow(words, COMES_BACK, 10);
      expect(exitCode).toBe(143);
      expect(idsIn(stdout)).toEqual(words.includes('now') ? [] : ['e1', 'e2', 'e3', 'e4', 'e5']);
      expect(stderr.match(/next_cursor leads no further.*svc asks again\./g)).toHaveLength(1);
      expect(home.clock.sleeps.filter((ms) => ms === 2000).length).toBeGreaterThanOrEqual(5);
    },
  );
});

describe('the copy of the events', () => {
  const events = [1, 2, 3].map((number) => paid({ number }));
  const line = (serve: (at: number, cursor: string | null) => ReturnType<typeof ok>) =>
    feed(events, (_count, { pathname, searchParams }) => {
      if (!pathname.endsWith('/events')) return undefined;
      const cursor = searchParams.get('cursor');
      return serve(Number(cursor ?? 0), cursor);
    });
  const pageAt = (from: number, at: number): ReturnType<typeof ok> =>
    ok(pageBody(events.slice(from, at + 1), String(Math.min(at + 1, events.length))));
  const own = (at: number): ReturnType<typeof ok> => pageAt(at, at);
  const svc = (words: string, transport: ReturnType<typeof line>) =>
    home.svc(words, { env: FEED_ENV, transport });

  it.each([
    ['events sync', 0],
    ['operations list', 0],
    [`reconcile ledger.csv`, 18],
  ])('%s ends with 1 until the cursor moves, however often it is run', async (words, exit) => {
    const ledger = join(home.home, 'ledger.csv');
    writeFileSync(ledger, 'reference,amount,currency,date\npay-1,1.50,VES,2026-09-01\n');
    const typed = words.replace('ledger.csv', ledger);
    const stands = line((at, cursor) => standStill(own(at), cursor));
    for (let time = 0; time < 3; time += 1) {
      const stuck = await svc(typed, stands);
      expect(stuck.error(), stuck.stderr).toMatchObject({ code: 'feed_unreadable', exit_code: 1 });
    }
    expect((await svc(typed, line(own))).exitCode).toBe(exit);
    if (words.startsWith('operations')) return;
    const standsLater = line((at, cursor) => (at === 0 ? own(at) : standStill(own(at), cursor)));
    expect((await svc(typed, standsLater)).error()).toMatchObject({ code: 'feed_unreadable' });
  });

  it('is read to its end where a page begins with the last event again, weeks later too', async () => {
    const inclusive = line((at) => pageAt(Math.max(0, at - 1), at));
    for (let time = 0; time < 3; time += 1) {
      expect(await svc('events sync --json', inclusive)).toMatchObject({ exitCode: 0 });
      expect(await svc('operations list --json', inclusive)).toMatchObject({ exitCode: 0 });
    }
  });
});
