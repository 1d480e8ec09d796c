import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stopped } from '../../src/runtime/ports.js';
import { NotAnswered, type HttpAnswer, type Transport } from '../../src/runtime/transport.js';
import { pageBody } from '../feed/feed.js';
import { eventsOf, uuid } from '../feed/given.js';
import { FEED_ENV, ok, refused } from '../support/feed-line.js';
import { payout } from '../support/requests.js';
import { shakySandbox, type ShakySandbox } from '../support/shaky-sandbox.js';
import { eachWorld, type Result, type RunOptions } from '../support/svc.js';

const home = eachWorld('2027-01-01T00:00:00Z');

type Answer = HttpAnswer | NotAnswered | undefined;

function service(
  events: readonly string[],
  { page, read }: { page?: (cursor: string | null, count: number) => Answer; read?: () => Answer } = {},
) {
  const asked: (string | null)[] = [];
  let count = 0;
  const answer = ({ pathname, searchParams }: URL): HttpAnswer | NotAnswered => {
    const [, id] = /\/v2\/transactions\/(.+)$/.exec(pathname) ?? [];
    if (id !== undefined) {
      asked.push(id);
      const isThere = events.some((text) => text.includes(`"id":"${id}"`));
      const own = isThere ? ok(JSON.stringify({ id, status: 'confirmed' })) : refused(404, 'not_found');
      return read?.() ?? own;
    }
    const cursor = searchParams.get('cursor');
    asked.push(cursor);
    count += 1;
    const part = events.slice(Number(cursor ?? 0), Number(cursor ?? 0) + 3);
    const next = part.length === 0 ? cursor : String(Number(cursor ?? 0) + part.length);
    return page?.(cursor, count) ?? ok(pageBody(part, next));
  };
  const line: Transport = async ({ url }, { signal }) => {
    await Promise.resolve();
    if (signal?.aborted === true) throw new NotAnswered('aborted', false, 'stopped');
    const result = answer(new URL(url));
    if (result instanceof NotAnswered) throw result;
    return result;
  };
  return Object.assign(line, { asked });
}

function sync(transport: Transport, flags = '', options: RunOptions = {}): Promise<Result> {
  return home.svc(`events sync ${flags}`, { ...options, env: { ...FEED_ENV, ...options.env }, transport });
}

function twoSeconds(): undefined {
  home.clock.advance(2000);
  return undefined;
}

const store = (): string => join(home.home, '.local/state/svc/feed.db');

function countOf(table: string): number {
  const db = new DatabaseSync(store());
  const { n } = db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number };
  db.close();
  return n;
}

describe('what it says', () => {
  it('is one object: events read in this run, operations known, the newest cursor', async () => {
    const { exitCode, stdout, stderr } = await sync(service(eventsOf(8)), '--json');
    expect([exitCode, stdout, stderr]).toEqual([0, '{"events":8,"operations":8,"cursor":"8"}\n', '']);
    expect((await sync(service(eventsOf(8)), '--jq .operations')).stdout).toBe('8\n');
    const shown = await sync(service(eventsOf(8)), '--no-color', { tty: { stdout: true } });
    expect(shown.stdout).toMatch(/Operations +8/);
  });

  it('is on standard error while it goes on: a line every five seconds, none with --quiet', async () => {
    const { stderr } = await sync(service(eventsOf(30), { page: twoSeconds }));
    expect(stderr).toMatch(/^Reading events: 6 \(1\/s\), up to 2026-09-01T05:00:00Z\n/);
    expect(stderr.trimEnd().split('\n').length).toBeGreaterThan(2);
    expect((await sync(service(eventsOf(30), { page: twoSeconds }), '--quiet')).stderr).toBe('');
  });

  it('is one line at a terminal, written anew, and never wider than that', async () => {
    const slow = service(eventsOf(30), { page: twoSeconds });
    const { stderr: plain } = await sync(slow, '', { tty: { stderr: true }, env: { TERM: 'dumb' } });
    expect(plain).toContain('Reading events');
    expect(plain).not.toContain('\r');
    const { stderr } = await sync(slow, '', { tty: { stderr: true }, columns: 30 });
    expect(stderr.split('\n')).toHaveLength(2);
    const shown = stderr.trimEnd().split('\r').slice(1);
    expect(shown.length).toBeGreaterThan(5);
    for (const text of shown) expect(text.replace('\u001b[K', '').length).toBeLessThan(30);
  });

  it('leaves a private file, and nothing of people in it', async () => {
    await sync(service(eventsOf(8)));
    expect(statSync(store()).mode & 0o777).toBe(0o600);
    expect(readFileSync(store()).toString('latin1')).not.toMatch(/CANARY|svc_test_/);
  });
});

describe('with the embedded sandbox', () => {
  it('knows what was paid, and begins anew after a reset', async () => {
    for (const number of ['11111111', '22222222']) await home.svc(payout(number));
    expect((await home.svc('events sync --json')).json()).toMatchObject({ events: 2, operations: 2 });
    expect((await home.svc('events sync --json')).json()).toMatchObject({ events: 2, operations: 2 });
    await home.svc('sandbox reset');
    await home.svc(payout('33333333'));
    expect((await home.svc('events sync --json')).json()).toMatchObject({ events: 1, operations: 1 });
    expect(countOf('places')).toBe(1);
  });
});

describe('whose mirror it is', () => {
  let shaky: ShakySandbox;
  beforeEach(() => (shaky = shakySandbox(home.clock)));
  afterEach(() => shaky.sandbox.close());

  const at = (
    line: string | readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Result> => home.svc(line, { transport: shaky.transport, env: { ...shaky.env, ...env } });

  beforeEach(async () => {
    await at(payout());
    await at('events sync');
  });

  it('another address of the same service reads into the same one, once it is proved', async () => {
    const { exitCode } = await at('events sync', { SVC_BASE_URL: 'http://localhost:4011' });
    expect([exitCode, countOf('companies'), countOf('places')]).toEqual([0, 1, 2]);
  });
});

describe('the proof', () => {
  const rotated = { env: { SVC_API_KEY: 'svc_test_anotheranother' } };

  it('that fails with 404 makes another mirror, read from the start', async () => {
    await sync(service(eventsOf(60)));
    const other = service(eventsOf(5, 100));
    expect((await sync(other, '--json', rotated)).json()).toMatchObject({ operations: 5 });
    expect(other.asked.slice(0, 2)).toEqual([uuid(59), null]);
    expect(countOf('operations')).toBe(65);
  });

  it.each([
    ['401', () => refused(401, 'unauthorized'), 4],
    ["a gateway's 404", () => ok('{"message":"no Route matched"}'), 1],
    ['another operation', () => ok(JSON.stringify({ id: uuid(7), status: 'confirmed' })), 1],
    ['no answer', () => new NotAnswered('reset', true, 'cut'), 11],
  ])('is not made of %s: nothing is read, and nothing is dropped', async (_what, read, exit) => {
    await sync(service(eventsOf(60)));
    for (const options of [rotated, {}]) {
      const next = service(eventsOf(60), { read });
      expect((await sync(next, '', options)).exitCode).toBe(exit);
      expect(new Set(next.asked)).toEqual(new Set([uuid(59)]));
    }
    expect([countOf('companies'), countOf('operations')]).toEqual([1, 60]);
  });
});

describe('where it goes on', () => {
  it('where a signal stopped it, with what was read kept', async () => {
    const controller = new AbortController();
    const page = (_cursor: string | null, count: number): Answer => {
      if (count === 4) controller.abort(new Stopped('SIGTERM', 143));
      return undefined;
    };
    const { signal } = controller;
    const { exitCode, stdout } = await sync(service(eventsOf(60), { page }), '', { signal });
    expect([exitCode, stdout]).toEqual([143, '']);
    const kept = countOf('operations');
    expect(kept).toBeGreaterThan(0);
    const rest = service(eventsOf(60));
    expect((await sync(rest, '--json')).json()).toMatchObject({ operations: 60 });
    expect(rest.asked[1]).toBe(String(kept));
  });
});

describe('a service that fails', () => {
  const third =
    (answer: () => Answer) =>
    (_cursor: string | null, count: number): Answer =>
      count >= 3 ? answer() : undefined;

  it.each<[string, () => Answer, number, string]>([
    ['401', () => refused(401, 'unauthorized'), 4, 'unauthorized'],
    ['500', () => refused(500, 'internal'), 10, 'internal'],
    ['a lost connection', () => new NotAnswered('reset', true, 'cut'), 11, 'no_answer'],
    ['no operation', () => ok('{"events":[{"id":"e","type":"payin.failed"}]}'), 1, 'feed_unreadable'],
    ['cursors in a circle', () => ok(pageBody(eventsOf(2, 6), '3')), 1, 'contract_broken'],
  ])('with %s ends it, and what came before is kept', async (_what, answer, exit, code) => {
    const result = await sync(service(eventsOf(60), { page: third(answer) }));
    expect([result.exitCode, result.stdout]).toEqual([exit, '']);
    expect(result.error()).toMatchObject({ code, exit_code: exit });
    expect(countOf('operations')).toBe(code === 'contract_broken' ? 8 : 6);
    expect((await sync(service(eventsOf(60)), '--json')).json()).toMatchObject({ operations: 60 });
  });

  it('has three attempts a page, and is asked again when it says', async () => {
    const limited = (count: number): Answer =>
      count < 3 ? refused(429, 'rate_limited', { 'retry-after': '42' }) : undefined;
    const line = service(eventsOf(2), { page: (_cursor, count) => limited(count) });
    expect((await sync(line)).exitCode).toBe(0);
    expect(home.clock.sleeps.slice(0, 2)).toEqual([42_000, 42_000]);
    expect(line.asked).toEqual([null, null, null, '2']);
  });
});

describe('a mirror that cannot be used', () => {
  const folder = (): string => join(home.home, '.local/state/svc');
  const aFile = (): void => {
    mkdirSync(folder(), { recursive: true, mode: 0o700 });
    writeFileSync(store(), 'x'.repeat(4096), { mode: 0o600 });
  };

  it.each([
    ['a folder', () => void mkdirSync(store(), { recursive: true, mode: 0o700 })],
    ['a file of something else', aFile],
  ])('ends it with 16 before anything is asked: %s', async (_what, make) => {
    make();
    const line = service(eventsOf(3));
    const result = await sync(line);
    expect(line.asked).toEqual([]);
    expect(result.error()).toMatchObject({ exit_code: 16, code: 'store_unusable', outcome: 'not_sent' });
  });

  it('nor can a damaged salt', async () => {
    await sync(service(eventsOf(3)));
    writeFileSync(join(folder(), 'key-print.salt'), 'short');
    const message = expect.stringContaining('rm ') as string;
    expect((await sync(service(eventsOf(3)))).error()).toMatchObject({ exit_code: 16, message });
  });
});
