import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FIRST_WAITS_SECONDS } from '../../src/events/forward-sink.js';
import { DELIVERY_WAITS_SECONDS } from '../../src/contract/limits.js';
import { Stopped } from '../../src/runtime/ports.js';
import { NotAnswered, type HttpRequest, type Transport } from '../../src/runtime/transport.js';
import { verify } from '../../src/events/webhooks/verification.js';
import { eventJson, ids, pageBody } from '../feed/feed.js';
import { FEED_ENV, feedLine, listFeed, ok, type FeedAnswer } from '../support/feed-line.js';
import { startService } from '../support/service.js';
import { eachWorld, type RunOptions } from '../support/svc.js';

const home = eachWorld();

type Receive = (request: HttpRequest, count: number) => number | NotAnswered;
const TO = 'http://127.0.0.1:3000/hooks?shop=1';
const accepts: Receive = () => 200;

async function forward(
  flags: string,
  answer = listFeed(ids(3)),
  receive: Receive = accepts,
  options: RunOptions = {},
) {
  const line = feedLine(answer, receive);
  const result = await home.svc(`events forward ${flags}`, { env: FEED_ENV, ...options, transport: line });
  const bodies = line.delivered.map(({ body }) => Buffer.from(body ?? []).toString());
  const given = line.delivered.map(({ headers }) => headers['X-Id-Evento']);
  return { ...result, asked: line.asked, delivered: line.delivered, given, bodies };
}

const secretOf = async (): Promise<string> => (await home.svc('events forward --print-secret')).stdout.trim();

describe('a delivery', () => {
  it('keeps the bytes of the event, carries all four headers, and verifies with the printed secret', async () => {
    const odd = eventJson('e1').replace('"reference":"ref-e1"', '"n":1.10');
    const answer: FeedAnswer = (cursor) => ok(pageBody(cursor === null ? [odd] : [], 'c'));
    const { exitCode, delivered, bodies, stdout } = await forward(`--to ${TO} --no-follow`, answer);
    expect([exitCode, stdout, bodies]).toEqual([0, '', [odd]]);
    const [{ url, method, headers, body }] = delivered as [HttpRequest];
    expect([url, method, headers['content-type']]).toEqual([TO, 'POST', 'application/json']);
    expect(headers).toMatchObject({ 'X-Evento': 'payout.confirmed', 'X-Id-Evento': 'e1' });
    const secret = await secretOf();
    const rules = { secrets: [secret], nowMs: home.clock.now() };
    expect(verify({ body: body!, headers: Object.entries(headers) }, rules).accepted).toBe(true);
    expect(JSON.stringify(headers)).not.toMatch(/svc_test_|authorization/i);
  });

  it('is of every event, in order, one at a time, waits ten seconds for its answer and reads no body', async () => {
    let inHand = 0;
    const seen: unknown[] = [];
    const line = feedLine(listFeed(ids(7)), accepts);
    const transport: Transport = async (request, limits) => {
      const isDelivery = request.method === 'POST';
      if (isDelivery) seen.push([(inHand += 1), limits.timeoutMs, limits.ignoresBody]);
      const answer = await line(request, limits);
      if (isDelivery) inHand -= 1;
      return answer;
    };
    await home.svc(`events forward --to ${TO} --no-follow`, { env: FEED_ENV, transport });
    expect(line.delivered.map(({ headers }) => headers['X-Id-Evento'])).toEqual(ids(7));
    expect(seen).toEqual(ids(7).map(() => [1, 10_000, true]));
  });
});

describe('the secret', () => {
  it('is made once, private, and never the registered one', async () => {
    const first = await secretOf();
    expect(first).toMatch(/^whsec_[0-9a-f]{48}$/);
    expect(await secretOf()).toBe(first);
    expect(statSync(join(home.home, '.config/svc/forwarding-secret')).mode & 0o777).toBe(0o600);
    const registered = await home.svc('webhooks register --url https://shop.example/hooks');
    expect(registered.json()['secret']).not.toBe(first);
    expect(await secretOf()).toBe(first);
  });
});

describe('a receiver that fails', () => {
  const failures: [string, Receive][] = [
    ['500', () => 500],
    ['404', () => 404],
    ['a redirect', () => 307],
    ['no answer in time', () => new NotAnswered('timeout', true, 'no complete answer within 10000 ms')],
    ['a lost connection', () => new NotAnswered('reset', true, 'the connection was reset')],
    ['nobody there', () => new NotAnswered('connect', false, 'connection refused')],
  ];

  it.each(failures)(
    'gets the same event again, signed anew, and nothing overtakes it: %s',
    async (_what, fails) => {
      const receive: Receive = (request, count) => (count === 2 || count === 3 ? fails(request, count) : 204);
      const flags = `--to ${TO} --no-follow`;
      const { exitCode, delivered, given, stderr } = await forward(flags, undefined, receive);
      expect([exitCode, given]).toEqual([0, ['e1', 'e2', 'e2', 'e2', 'e3']]);
      const times = delivered.map(({ headers }) => Number(headers['X-Timestamp']));
      expect(times[2]! - times[1]!).toBeLessThanOrEqual(2);
      expect(times[3]! - times[2]!).toBeGreaterThanOrEqual(1);
      expect(times[3]! - times[2]!).toBeLessThanOrEqual(3);
      expect(stderr).toContain('svc tries again in 1 s.\n');
      expect(stderr.match(/did not accept event e2/g)).toHaveLength(2);
    },
  );

  it('is tried on the whole schedule; then 10, and the checkpoint stands before the event', async () => {
    const flags = `--to ${TO} --no-follow --checkpoint hooks`;
    const receive: Receive = (_request, count) => (count === 1 ? 200 : 500);
    const { delivered, error } = await forward(flags, undefined, receive);
    expect(delivered).toHaveLength(2 + FIRST_WAITS_SECONDS.length + DELIVERY_WAITS_SECONDS.length);
    expect(error()).toMatchObject({ exit_code: 10, code: 'delivery_exhausted', retryable: true });
    expect((await forward(flags)).given).toEqual(['e2', 'e3']);
  });

  it('leaves an event that was not accepted for the next run when it is stopped', async () => {
    const controller = new AbortController();
    const flags = `--to ${TO} --checkpoint hooks`;
    const receive: Receive = (_request, count) => {
      if (count < 2) return 200;
      controller.abort(new Stopped('SIGINT', 130));
      return 500;
    };
    const { signal } = controller;
    expect(await forward(flags, undefined, receive, { signal })).toMatchObject({ exitCode: 130 });
    expect((await forward(`${flags} --no-follow`)).given).toEqual(['e2', 'e3']);
  });
});

it.each<[string, number, number]>([
  ['https://8.8.8.8/', 13, 0],
  ['ftp://127.0.0.1/', 2, 0],
  ['http://8.8.8.8/ --allow-remote', 13, 0],
  ['https://8.8.8.8/ --allow-remote', 0, 1],
])('delivers to %s only where it may: %i', async (url, exitCode, count) => {
  const { exitCode: ended, asked, delivered } = await forward(`--no-follow --to ${url}`, listFeed(ids(1)));
  expect([ended, delivered.length]).toEqual([exitCode, count]);
  if (count === 0) expect(asked).toEqual([]);
});

it.each([
  ['--type payin.failed', []],
  ['--reference ref-e2', ['e2']],
  ['--id 6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f', []],
  ['--from 2 --interval 5s', ['e3', 'e4']],
])('takes the flags of the feed: %s', async (flags, wanted) => {
  expect((await forward(`--to ${TO} --no-follow ${flags}`, listFeed(ids(4)))).given).toEqual(wanted);
});

it('needs a receiver, and says so', async () => expect((await home.svc('events forward')).exitCode).toBe(2));

it('ends with 1 for an event that no header can carry', async () => {
  const body = eventJson('e1').replace('payout.confirmed', 'two\\nlines');
  const { exitCode, delivered } = await forward(`--to ${TO} --no-follow`, () => ok(pageBody([body], 'c')));
  expect([exitCode, delivered]).toEqual([1, []]);
});

it('a 2xx counts as soon as it is there: ten megabytes behind it are not read, nor waited for', async () => {
  const service = await startService(({ method }, response) => {
    if (method === 'GET') return void response.end(pageBody([eventJson('e1')], null));
    response.on('error', () => undefined).writeHead(200, { 'content-length': 10 * 1024 * 1024 });
    response.end(Buffer.alloc(10 * 1024 * 1024));
  });
  const line = `events forward --to ${service.url}/hooks --no-follow`;
  const { exitCode } = await home.svc(line, { env: service.env, wire: true });
  await service.stop();
  const targets = service.received.filter(({ method }) => method === 'POST').map(({ target }) => target);
  expect([exitCode, targets]).toEqual([0, ['/hooks']]);
});
