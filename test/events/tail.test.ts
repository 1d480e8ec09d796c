import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Stopped } from '../../src/runtime/ports.js';
import { NotAnswered, type Transport } from '../../src/runtime/transport.js';
import { eventJson, ids, pageBody } from '../feed/feed.js';
import { FEED_ENV, feedLine, listFeed, ok, refused, type FeedAnswer } from '../support/feed-line.js';
import { eachWorld, watched, type RunOptions } from '../support/svc.js';
import { IS_REST } from '../support/rest.js';

const home = eachWorld();

async function tail(flags: string | readonly string[], answer: FeedAnswer, options: RunOptions = {}) {
  const line = feedLine(answer);
  const words = typeof flags === 'string' ? flags.split(' ').filter(Boolean) : flags;
  const env = { ...FEED_ENV, ...options.env };
  const result = await home.svc(['events', 'tail', ...words], { ...options, env, transport: line });
  return {
    ...result,
    asked: line.asked,
    error: () => result.error(),
    get ids() {
      const lines = result.stdout.split('\n').filter(Boolean);
      return lines.map((text) => (JSON.parse(text) as { id: string }).id);
    },
  };
}

function stoppedAfter(requests: number, answer: FeedAnswer): { signal: AbortSignal; answer: FeedAnswer } {
  const { signal, stop } = stopping();
  return {
    signal,
    answer: (cursor, count) => {
      if (count >= requests) stop();
      return answer(cursor, count);
    },
  };
}

function stopping(): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, stop: () => controller.abort(new Stopped('SIGTERM', 143)) };
}
const oneOf =
  (...events: readonly string[]): FeedAnswer =>
  (cursor) =>
    ok(pageBody(cursor === null ? events : [], 'c'));
const SHOP = '--no-follow --checkpoint shop';

describe('what is handed over', () => {
  it('is every event in order, in its own bytes, one a line', async () => {
    const odd = '{"id":"e1","n":1.10,"big":12345678901234567890,\n"t":"\\u00e9"}';
    const { exitCode, stdout } = await tail('--no-follow', oneOf(odd, eventJson('e2')));
    expect(exitCode).toBe(0);
    expect(stdout).toBe(`${odd.replace('\n', ' ')}\n${eventJson('e2')}\n`);
  });

  it('asks for 200 a page, from the start', async () => {
    const urls: string[] = [];
    const transport = watched(feedLine(listFeed(ids(2))), ({ url }) => urls.push(url));
    await home.svc('events tail --no-follow', { env: FEED_ENV, transport });
    expect(urls[0]).toBe('http://localhost:4010/sandbox/v2/events?limit=200');
  });

  it('begins behind a cursor, or at the end', async () => {
    expect((await tail('--no-follow --from 4', listFeed(ids(6)))).ids).toEqual(['e5', 'e6']);
    expect((await tail('--no-follow --from now', listFeed(ids(6)))).ids).toEqual([]);
  });

  it('begins at the end and follows: only what happens from then on', async () => {
    const events = ids(4);
    const { signal, answer } = stoppedAfter(6, (cursor, count) => {
      if (count === 4) events.push('e5');
      return listFeed(events)(cursor, count);
    });
    const { exitCode, ids: found } = await tail('--from now', answer, { signal });
    expect([exitCode, found]).toEqual([143, ['e5']]);
  });

  it('asks again after the interval', async () => {
    const { signal, answer } = stoppedAfter(4, listFeed(ids(1)));
    await tail('--interval 7s', answer, { signal });
    expect(home.clock.sleeps).toEqual([7000, 7000]);
  });

  it.each([
    ...['--interval 1ms', '--interval soon', '--checkpoint ../x', '--from=', '--no-follow --id nonsense'],
  ])('refuses %s', async (flag) => {
    const { exitCode, asked } = await tail(flag, listFeed([]));
    expect([exitCode, asked]).toEqual([2, []]);
  });

  it.each(['yesterday', '24h', '2026-10-28'])('refuses --from %s, which is a time', async (text) => {
    const { exitCode, asked, error } = await tail(`--from ${text}`, listFeed([]));
    expect([exitCode, asked]).toEqual([2, []]);
    expect(error()['message']).toMatch(/^--from must be start, now or a cursor/);
  });

  it('says that it knows no such type', async () => {
    const { stderr, exitCode } = await tail('--no-follow --type payin.paid', listFeed(ids(1)));
    expect(exitCode).toBe(0);
    expect(stderr).toContain('svc knows no event type "payin.paid", only payin.confirmed, payin.failed, ');
    expect((await tail('--no-follow --type payin.failed', listFeed(ids(1)))).stderr).toBe('');
  });

  it('selects by types', async () => {
    const of = (at: string, type: string): string => eventJson(at).replace('payout.confirmed', type);
    const answer = oneOf(of('e1', 'payout.confirmed'), of('e2', 'payin.failed'), of('e3', 'new.type'));
    const { ids: found } = await tail('--no-follow --type payin.failed --type new.type', answer);
    expect(found).toEqual(['e2', 'e3']);
  });

  it('goes through --jq, and through nothing on --json', async () => {
    expect((await tail(['--no-follow', '--jq', '.data.id'], listFeed(ids(2)))).stdout).toBe('op-e1\nop-e2\n');
    expect((await tail('--no-follow --json', listFeed(ids(1)))).stdout).toBe(`${eventJson('e1')}\n`);
    expect((await tail('--no-follow -o csv', listFeed(ids(1)))).exitCode).toBe(2);
  });

  it('is a readable line an event on a terminal, which nothing in it drives', async () => {
    const id = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';
    const data = { amount: '1500.50', currency: 'VES', method: 'mobile_payment' };
    const event = eventJson('e1', { id, ...data, reference: 'a\u001b[31mred' });
    const person = { tty: { stdout: true }, columns: 200, env: { NO_COLOR: '1' } };
    expect((await tail('--no-follow', oneOf(event), person)).stdout).toBe(
      `2026-09-23 15:00:00Z  ✓ payout.confirmed     1500.50 VES  mobile_payment  a\\u001b[31mred  ${id}\n`,
    );
  });

  it('counts on standard error while it catches up', async () => {
    const said = async (flags: string, options?: RunOptions): Promise<string> => {
      const slow: FeedAnswer = (cursor, count) => {
        home.clock.advance(6000);
        return listFeed(ids(4))(cursor, count);
      };
      return (await tail(`--no-follow ${flags}`, slow, options)).stderr;
    };
    const lines = 'Catching up: 3 events.\nCatching up: 4 events.\nCaught up: 4 events.\n';
    expect(await said('')).toBe(lines);
    const tty = { stderr: true };
    for (const env of [{ TERM: 'dumb' }, { ACCESSIBLE: '1' }])
      expect(await said('', { tty, env })).toBe(lines);
    expect(await said('--quiet')).toBe('');
  });
});

describe('a checkpoint', () => {
  it('goes on where the last run left off, whatever --from says', async () => {
    await tail(SHOP, listFeed(ids(4)));
    const { ids: found, asked } = await tail('--no-follow --checkpoint shop --from start', listFeed(ids(6)));
    expect(found).toEqual(['e5', 'e6']);
    expect(asked[0]).toBe('4');
  });

  it('of --from now stands before anything happens', async () => {
    await tail('--no-follow --checkpoint shop --from now', listFeed(ids(4)));
    expect((await tail(SHOP, listFeed(ids(5)))).ids).toEqual(['e5']);
  });

  it('moves only past pages that were written: a reader that goes away loses nothing and ends in 141', async () => {
    const first = await tail(SHOP, listFeed(ids(9)), { breakAfterWrites: 2 });
    expect([first.exitCode, first.ids]).toEqual([141, ids(6)]);
    expect(first.error()).toMatchObject({ code: 'reader_gone', exit_code: 141 });
    const second = await tail(SHOP, listFeed(ids(9)));
    expect(second.ids).toEqual(['e7', 'e8', 'e9']);
  });

  it('is what makes that a failure: without one a reader that goes away has had all it wanted', async () => {
    const { exitCode, stderr } = await tail('--no-follow', listFeed(ids(9)), { breakAfterWrites: 1 });
    expect([exitCode, stderr]).toEqual([0, '']);
  });

  it('is saved when a signal ends the command', async () => {
    const { signal, answer } = stoppedAfter(3, listFeed(ids(9)));
    const { exitCode, ids: found } = await tail('--checkpoint shop', answer, { signal });
    expect(exitCode).toBe(143);
    const { ids: rest } = await tail(SHOP, listFeed(ids(9)));
    expect([...found, ...rest]).toEqual(ids(9));
  });

  it.each<[string, Record<string, string>]>([
    ['', { SVC_BASE_URL: 'http://localhost:4011' }],
    ['--live --insecure-loopback', { SVC_API_KEY: 'svc_live_feedfeed' }],
  ])('of another address or environment is refused, and nothing is sent: %s', async (flags, env) => {
    await tail(SHOP, listFeed(ids(1)));
    const { exitCode, asked } = await tail(`${SHOP} ${flags}`, listFeed(ids(1)), { env });
    expect([exitCode, asked]).toEqual([13, []]);
  });

  it('in use ends the second run with 15', async () => {
    const line = feedLine(listFeed(ids(1)));
    const second: unknown[] = [];
    const transport: Transport = async (request, limits) => {
      if (second.length === 0) {
        const other = await tail('--checkpoint shop', listFeed([]));
        second.push(other.exitCode, other.error()['retryable']);
      }
      return line(request, limits);
    };
    const first = await home.svc(`events tail ${SHOP}`, { env: FEED_ENV, transport });
    expect([first.exitCode, second]).toEqual([0, [15, true]]);
  });
});

describe.runIf(IS_REST)('--exec', () => {
  it('gets one event at a time on its standard input, in order', async () => {
    const log = join(home.home, 'log');
    const exec = ['--no-follow', '--exec', `cat >> '${log}'; echo - >> '${log}'`];
    const { exitCode, stdout } = await tail(exec, listFeed(ids(4)));
    expect([exitCode, stdout]).toEqual([0, '']);
    const given = ids(4).map((id) => `${eventJson(id)}\n-\n`);
    expect(readFileSync(log, 'utf8')).toBe(given.join(''));
  });

  it('accepts nothing with another exit code: three times, then 10, and the event comes first next time', async () => {
    const log = join(home.home, 'log');
    const fails = `read -r line; echo x >> '${log}'; case "$line" in *'"e2"'*) exit 7;; esac`;
    const { error } = await tail([...SHOP.split(' '), '--exec', fails], listFeed(ids(4)));
    const message = expect.stringContaining('three times (exit code 7) for event e2') as string;
    expect(error()).toMatchObject({ exit_code: 10, code: 'exec_failed', message });
    expect(readFileSync(log, 'utf8')).toBe('x\n'.repeat(4));
    expect((await tail(SHOP, listFeed(ids(4)))).ids).toEqual(['e2', 'e3', 'e4']);
  });

  it.each(['', ' \n\t'])('refuses %j, as which a shell would accept every event', async (blank) => {
    const feed = listFeed(ids(2));
    const { exitCode, error } = await tail(['--no-follow', '--checkpoint', 'shop', '--exec', blank], feed);
    expect(exitCode).toBe(2);
    expect(error()['message']).toContain('--exec cannot be empty');
    expect((await tail(SHOP, feed)).ids).toEqual(['e1', 'e2']);
  });

  it('may leave its input unread, and may recover', async () => {
    const flag = join(home.home, 'flag');
    const recovers = `if [ -e '${flag}' ]; then exit 0; else touch '${flag}'; exit 1; fi`;
    expect((await tail(['--no-follow', '--exec', recovers], listFeed(ids(3)))).exitCode).toBe(0);
  });

  it('sees no key and no secret in its environment', async () => {
    const out = join(home.home, 'env');
    const secrets = { SVC_WEBHOOK_SECRET: 'plain-secret', WHSEC: 'whsec_abc', NESTED: 'a plain-secret b' };
    const env = { ...secrets, COPY: 'x svc_test_copycopy', KEPT: 'yes' };
    await tail(['--no-follow', '--exec', `env > '${out}'`], listFeed(ids(1)), { env });
    const text = readFileSync(out, 'utf8');
    expect(text).toContain('KEPT=yes');
    expect(text).not.toMatch(/svc_test_|secret|whsec_|SVC_API_KEY/);
  });

  it('ends with the command that is stopped, and its event is not accepted', async () => {
    const started = join(home.home, 'started');
    const { signal, ...controller } = stopping();
    const exec = ['--checkpoint', 'shop', '--exec', `touch '${started}'; exec sleep 30`];
    const running = tail(exec, listFeed(ids(2)), { signal });
    await expect.poll(() => existsSync(started)).toBe(true);
    controller.stop();
    const { exitCode, stderr } = await running;
    expect(exitCode).toBe(143);
    expect(stderr).toContain('The checkpoint is saved: run this again to go on.');
    expect(stderr).not.toContain('Nothing was sent');
    expect((await tail(SHOP, listFeed(ids(2)))).ids).toEqual(['e1', 'e2']);
  });
});

describe('a service that fails', () => {
  const passing: [string, FeedAnswer][] = [
    ['429', () => refused(429, 'rate_limited')],
    ['a gateway', () => ({ status: 502, headers: [], body: Buffer.from('<html>') })],
    ['a lost connection', () => new NotAnswered('reset', true, 'the connection was reset')],
    ['half a page', () => new NotAnswered('truncated', true, 'the answer ended early')],
    ['no name', () => new NotAnswered('name', false, 'no such host')],
  ];

  it.each(passing)('is waited out when following: %s, twenty times', async (_what, fails) => {
    const { signal, answer } = stoppedAfter(25, (cursor, count) =>
      count > 1 && count <= 21 ? fails(cursor, count) : listFeed(ids(5))(cursor, count),
    );
    const { exitCode, ids: found, stderr } = await tail('', answer, { signal });
    expect([exitCode, found]).toEqual([143, ids(5)]);
    expect(stderr.match(/asks again in/g)).toHaveLength(20);
    expect(Math.max(...home.clock.sleeps)).toBeLessThanOrEqual(37_500);
  });

  it('is asked again when Retry-After says so', async () => {
    const { signal, answer } = stoppedAfter(3, (cursor, count) =>
      count === 1 ? refused(429, 'rate_limited', { 'retry-after': '42' }) : listFeed(ids(1))(cursor, count),
    );
    await tail('', answer, { signal });
    expect(home.clock.sleeps[0]).toBe(42_000);
  });

  it.each([
    [401, 'unauthorized', 'unauthorized'],
    [403, 'scope_missing', 'operaciones:leer'],
  ])('ends a follower with 4: %i in the middle, what came before is kept', async (status, code, said) => {
    const feed = listFeed(ids(9));
    const answer: FeedAnswer = (cursor, count) => (count === 2 ? refused(status, code) : feed(cursor, count));
    const { exitCode, ids: found, error } = await tail('--checkpoint shop', answer);
    expect([exitCode, found]).toEqual([4, ['e1', 'e2', 'e3']]);
    expect(error()).toMatchObject({ code, status, message: expect.stringContaining(said) as string });
    expect((await tail(SHOP, feed)).ids).toEqual(ids(6, 4));
  });

  it('ends with 6 for a cursor that the service does not take', async () => {
    const { exitCode, asked } = await tail('--from nonsense', () => refused(400, 'field_invalid'));
    expect([exitCode, asked]).toEqual([6, ['nonsense']]);
  });

  it.each(['', '--no-follow'])('ends with 1 after three pages with no list %s', async (flag) => {
    const { exitCode, error, asked } = await tail(flag, () => ok('{"next_cursor":"c"}'));
    expect([exitCode, asked.length]).toEqual([1, 3]);
    expect(error()['message']).toContain('no list');
  });

  it('is forgiven a page of garbage', async () => {
    const { exitCode, ids: found } = await tail('--no-follow', (cursor, count) =>
      count === 2 ? ok('{"events":[{"id":"e4"') : listFeed(ids(5))(cursor, count),
    );
    expect([exitCode, found]).toEqual([0, ids(5)]);
  });

  it('is left on a redirect', async () => {
    const headers = [['location', 'http://x/']] as const;
    const { exitCode, asked } = await tail('', () => ({ status: 302, headers, body: Buffer.from('') }));
    expect([exitCode, asked.length]).toEqual([1, 1]);
  });
});
