import { beforeEach, describe, expect, it } from 'vitest';
import type { Transport } from '../../src/runtime/transport.js';
import { batchHome } from '../support/batch-home.js';
import { PENDING, person } from '../support/payroll.js';
import { ok } from '../support/feed-line.js';
import { incomingTransfer, payout } from '../support/requests.js';
import { liveKey } from '../support/shaky-sandbox.js';
import type { Result, RunOptions } from '../support/svc.js';

const HOUR_MS = 3_600_000;
const REF = String(person(0)['reference']);
const TOTAL = '--first-here --yes --confirm-total VES:100.50';

const here = batchHome([person(0)], 'live');
const { svc } = here;

const late: Transport = (request, options) =>
  request.method === 'GET' && new URL(request.url).pathname.endsWith('/events')
    ? Promise.resolve(ok('{"events":[],"next_cursor":null}'))
    : here.shaky.transport(request, options);

const pay = (batch: string, words = '', options: RunOptions = {}, changes = {}): Promise<Result> =>
  here.pay([person(0, changes)], batch, `${TOTAL} ${words}`, options);
const single = (words: string, options: RunOptions = {}, document = '10000000'): Promise<Result> => {
  const line = [...payout(document, '100.50'), '--reference', REF, '--json', '--yes'];
  return svc([...line, ...words.split(' ').filter(Boolean)], options);
};
const charge = (words: string, options: RunOptions): Promise<Result> =>
  svc([...incomingTransfer(), '--reference', REF, '--yes', ...words.split(' ').filter(Boolean)], options);
const ledger = async (): Promise<number> => (await here.shaky.ledger(await liveKey(here.shaky)))[REF] ?? 0;

const unfinished: Transport = (request, options) => {
  const [, id] = /\/v2\/transactions\/(.+)$/.exec(request.url) ?? [];
  if (id === undefined || id.startsWith('svc')) return here.shaky.transport(request, options);
  const money = { amount: '100.50', currency: 'VES', reference: REF, type: 'payout' };
  const operation = { id, status: 'pending', ...money, created_at: '2026-09-23T15:00:00Z' };
  return Promise.resolve(ok(JSON.stringify(operation)));
};

describe('a payment that follows one that is not final', () => {
  let first: string;
  let since: string;
  beforeEach(async () => {
    await pay('a', '', {}, PENDING);
    first = (await here.rows('a'))[REF]!['operation_id']!;
    here.home.clock.advance(11_000);
    since = `--new-since ${new Date(here.home.clock.now()).toISOString()}`;
    here.shaky.posts.length = 0;
  });

  it.each<[string, (options?: RunOptions) => Promise<Result>]>([
    ['a row', (options) => pay('b', since, options)],
    ['a single create that names a time', (options) => single(since, options)],
    ['a single create that names it', (options) => single(`--new-payment ${first}`, options)],
  ])('waits: %s', async (_name, act) => {
    const waits = await act({ transport: unfinished });
    expect(waits.failure(), waits.stderr).toBe('13 reference_pending');
    expect(String(waits.error()['next_command'])).toContain(`transactions get`);
    expect(String(waits.error()['next_command'])).toContain(first);
    expect(here.shaky.posts).toEqual([]);
    here.home.clock.advance(2 * HOUR_MS);
    expect((await here.paste(waits.error()['next_command'])).exitCode).toBe(0);
    expect((await act()).exitCode).toBe(0);
    expect(await ledger()).toBe(2);
  });

  it('waits where only the answer tells of it: the row is not sent, and the next run sends it', async () => {
    here.home.clock.advance(20 * 60_000);
    const stillPending: Transport = async (request, how) => {
      const answer = await late(request, how);
      const text = Buffer.from(answer.body).toString('utf8');
      if (request.method !== 'POST' || !text.includes(first)) return answer;
      return ok(JSON.stringify({ ...(JSON.parse(text) as object), status: 'pending', confirmed_at: null }));
    };
    const options = { env: here.machine('other'), transport: stillPending };
    const later = `--new-since ${new Date(here.home.clock.now()).toISOString()}`;
    const waits = await pay('b', later, options, PENDING);
    expect(waits.json(), waits.stderr).toMatchObject({ not_sent: 1 });
    expect(waits.exitCode).toBe(10);
    const left = { state: 'unavailable', code: 'reference_pending' };
    expect((await here.rows('b', options.env))[REF]).toMatchObject(left);
    await svc(['transactions', 'get', first]);
    const resumed = await svc('batches resume b --json --wait', { env: options.env });
    expect(resumed.json(), resumed.stderr).toMatchObject({ confirmed: 1 });
    expect(await ledger()).toBe(2);
  });
});

const NAMED = '--new-payment 00000000-0000-4000-8000-000000000000';
it.each(['--new-since 2026-01-01', NAMED])('%s is nothing beside --skip-feed-check', async (words) => {
  expect((await single(`${words} --skip-feed-check`)).exitCode).toBe(2);
});

it.each([
  ['payouts create', single],
  ['payins create', charge],
])('of %s leaves without the events only where somebody says so', async (_what, create) => {
  const broken: Transport = (request, options) =>
    new URL(request.url).pathname.endsWith('/events')
      ? Promise.resolve({ status: 503, headers: [], body: new Uint8Array() })
      : here.shaky.transport(request, options);
  const refused = await create('', { transport: broken });
  expect(refused.error()).toMatchObject({ exit_code: 13, code: 'feed_unreadable', outcome: 'not_sent' });
  expect(here.shaky.posts).toEqual([]);
  expect((await create('--skip-feed-check', { transport: broken })).exitCode).toBe(0);
  expect(here.shaky.posts).toHaveLength(1);
});
