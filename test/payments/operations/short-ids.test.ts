import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pageBody } from '../../feed/feed.js';
import { eventsOf, eventText, uuid } from '../../feed/given.js';
import { batchHome } from '../../support/batch-home.js';
import { FEED_ENV, ok, refused } from '../../support/feed-line.js';
import { people } from '../../support/payroll.js';
import { debitOtp, incomingTransfer, payout } from '../../support/requests.js';
import { keyOf } from '../../support/shaky-sandbox.js';
import { sharedDatabase } from '../../support/shared-state.js';
import type { HttpRequest, Transport } from '../../../src/runtime/transport.js';
import { watched, type RunOptions } from '../../support/svc.js';

const here = batchHome(people(2, (at) => (at === 1 ? { 'beneficiary.document.number': '00000002' } : {})));
const { svc } = here;

const create = async (words: readonly string[], options: RunOptions = {}): Promise<string> =>
  (await svc([...words, '--jq', '.id'], options)).stdout.trim();

function asking(): { transport: Transport; asked: string[] } {
  const asked: string[] = [];
  const look = ({ method, url }: HttpRequest): unknown =>
    asked.push(`${method} ${new URL(url).pathname.replace(/^.*\/v2/, '')}`);
  return { asked, transport: watched(here.shaky.transport, look) };
}

describe('a shortened id', () => {
  it('of what was made here is taken without a word to the service, in either case and with its dashes', async () => {
    const id = await create(debitOtp());
    const beginnings = [6, 9, 12, 35].map((length) => id.slice(0, length));
    for (const short of [...beginnings, id.slice(0, 6).toUpperCase()]) {
      const { asked, transport } = asking();
      const { exitCode, json, stderr } = await svc(`payins get ${short}`, { transport });
      expect(exitCode, stderr).toBe(0);
      expect(json()).toMatchObject({ id });
      expect(asked).toEqual([`GET /payins/${id}`]);
      expect(stderr).toBe('');
    }
    expect((await svc(`transactions get ${id.slice(0, 8)}`)).json()).toMatchObject({ id });
    expect((await svc(`transactions trace ${id.slice(0, 8)}`)).json()).toMatchObject({ operation: { id } });
    expect((await svc(`payins get ${id.replaceAll('-', '').slice(0, 20)}`)).json()).toMatchObject({ id });
  });

  it('as a list prints it is taken by every command', async () => {
    const [code, transfer] = [await create(debitOtp()), await create(incomingTransfer())];
    await here.begin();
    const { stdout } = await svc('operations list', { tty: { stdout: true }, env: { NO_COLOR: '1' } });
    const printed = stdout.match(/(?<=^sandbox .* )[0-9a-f]{8}$/gm) ?? [];
    expect(printed).toHaveLength(4);
    for (const short of printed)
      expect((await svc(`transactions get ${short}`)).json()['id']).toMatch(new RegExp(`^${short}-`));
    const shortOf = (id: string): string => printed.find((short) => id.startsWith(short)) ?? '';
    expect((await svc(`payins cancel ${shortOf(transfer)}`)).json()).toMatchObject({ id: transfer });
    expect((await svc(`payins confirm ${shortOf(code)} --code 123456`)).json()).toMatchObject({ id: code });
  });

  it.each([
    ['confirm', debitOtp(), ['--code', '123456']],
    ['resend', debitOtp(), []],
    ['cancel', incomingTransfer(), []],
  ])('is said whole before a %s leaves, with --quiet too', async (verb, payin, more) => {
    const id = await create(payin);
    let said = '';
    const transport = watched(here.shaky.transport, ({ method }) => {
      if (method === 'POST') expect(said).toContain(`Operation: ${id}\n`);
    });
    const onNote = (text: string): void => void (said += text);
    const words = ['payins', verb, id.slice(0, 7), '--quiet', ...more];
    const { exitCode, stderr } = await svc(words, { transport, onNote });
    expect(exitCode, stderr).toBe(0);
    expect(here.shaky.posts.at(-1)?.url).toContain(id);
  });

  it('of a payout is cancelled, of a batch is read, by the row that made it', async () => {
    const file = await here.begin();
    expect(file.exitCode).toBe(0);
    const row = (await here.rows())['emp-0001'];
    const id = String(row?.['operation_id'] ?? row?.['operation']);
    const { exitCode, stderr } = await svc(`payouts cancel ${id.slice(0, 8)}`);
    expect(stderr).toContain(`Operation: ${id}\n`);
    expect([0, 7]).toContain(exitCode);
    expect((await svc(`payouts get ${id.slice(0, 8)}`)).json()).toMatchObject({ id });
  });

  it('selects the events of its operation', async () => {
    const [id] = [await create(payout()), await create(payout())];
    const line = `events tail --no-follow --id ${id.slice(0, 8)} --jq .data.id`;
    expect(await svc(line)).toMatchObject({ exitCode: 0, stdout: `${id}\n` });
  });

  it('of the other direction is named with what it is, and no second request leaves', async () => {
    const id = await create(incomingTransfer());
    for (const verb of ['get', 'cancel']) {
      const { error } = await svc(`payouts ${verb} ${id.slice(0, 8)}`);
      const message = `${id} is a pay-in, not a payout.`;
      expect(error()).toMatchObject({ exit_code: 5, message, next_command: `svc payins get ${id}` });
    }
  });

  it('that nothing here knows is looked for in the events, and then is 5', async () => {
    const id = await create([...payout(), '--reference', 'elsewhere'], { env: here.machine('other') });
    const { asked, transport } = asking();
    expect((await svc(`payouts get ${id.slice(0, 8)}`, { transport })).json()).toMatchObject({ id });
    expect(asked[0]).toBe('GET /events');
    expect(asked.at(-1)).toBe(`GET /payouts/${id}`);
    const unknown = id.startsWith('00000000') ? '11111111' : '00000000';
    const posts = here.shaky.posts.length;
    for (const words of ['payouts get', 'payouts cancel', 'payins confirm --code 1']) {
      const { error } = await svc(`${words} ${unknown}`);
      expect(error()).toMatchObject({ exit_code: 5, code: 'not_found', outcome: 'not_sent' });
    }
    expect(here.shaky.posts).toHaveLength(posts);
  });

  it.each([
    ...['6f1c2', '6f1-c2a', '6f1c2a9e-3b4d4c5e', '6f1c2g', '--', 'f'],
    '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f0',
  ])('%s is none: 2, and nothing is asked', async (text) => {
    const { asked, transport } = asking();
    expect((await svc(['payins', 'get', '--', text], { transport })).exitCode).toBe(2);
    expect(asked).toEqual([]);
  });

  it('is named whole in whatever is suggested next', async () => {
    const id = await create(debitOtp());
    const short = id.slice(0, 8);
    const busy: Transport = () => Promise.resolve(refused(503, 'unavailable'));
    const { error } = await svc(['payins', 'get', short, '--timeout', '1s'], { transport: busy });
    expect(String(error()['next_command'])).toContain(`payins get ${id}`);
    const lost = await svc(['payins', 'confirm', short, '--code', '123456'], { transport: busy });
    expect(String(lost.error()['next_command'])).toContain(id);
    expect(String(lost.error()['next_command'])).not.toMatch(new RegExp(`${short}( |$)`));
  });

  it('decides about a row of a batch', async () => {
    const nobody = '00000000-0000-4000-8000-000000000000';
    const other = { status: 201, body: { id: nobody, status: 'confirmed', amount: '1.00' } };
    await here.begin(other, other);
    const { body } = await here.shaky.transport(here.shaky.posts[0]!, { timeoutMs: 1000 });
    const { id } = JSON.parse(Buffer.from(body).toString('utf8')) as { id: string };
    expect((await svc('operations list --offline -q .operations[].id')).stdout).not.toContain(nobody);
    const resolve = (operation: string) =>
      svc(`batches resolve pay --reference emp-0000 --operation ${operation} --json`);
    expect((await resolve('000000')).exitCode).toBe(5);
    expect((await resolve('00000')).exitCode).toBe(2);
    const { exitCode, stderr } = await resolve(id.slice(0, 9));
    expect(exitCode, stderr).toBe(0);
    expect((await here.rows())['emp-0000']).toMatchObject({ state: 'confirmed', operation_id: id });
  });
});

it('a whole id goes its way: no store is opened for it', async () => {
  const id = await create(debitOtp());
  here.lose();
  expect((await svc(`payins get ${id}`)).exitCode).toBe(0);
  expect((await svc(`payins get ${id.toUpperCase()}`)).exitCode).toBe(0);
  for (const name of ['feed.db', 'batches.db', 'requests.db'])
    expect(existsSync(join(here.state, name))).toBe(false);
});

it('another company or environment has nothing that a shortened id could mean', async () => {
  const id = await create([...incomingTransfer(), '--reference', 'ours']);
  const short = id.slice(0, 8);
  const others = [
    { env: await here.otherKey('another') },
    { env: { ...here.shaky.env, SVC_API_KEY: await keyOf(here.shaky, 'default', 'live') } },
  ];
  const before = here.shaky.posts.length;
  for (const [at, options] of others.entries()) {
    const live = at === 1 ? ['--live', '--insecure-loopback', '--yes'] : [];
    for (const verb of ['cancel', 'get']) {
      const { exitCode, stderr } = await svc(['payins', verb, short, ...live], options);
      expect(exitCode, stderr).toBe(5);
      expect(stderr).not.toContain(id);
    }
  }
  expect(here.shaky.posts).toHaveLength(before);
  await create([...payout(), '--reference', 'proof']);
  await svc('events sync');
  const same = { env: await here.otherKey('default') };
  await svc('events sync', same);
  expect((await svc(`payins cancel ${short}`, same)).exitCode).toBe(0);
});

describe('the beginning of several', () => {
  const HOSTILE = 'a\u001b[2J\nb';
  const events = [...eventsOf(3), eventText({ number: 10, data: { reference: HOSTILE } })];
  const service: Transport = ({ url, method }) => {
    const { pathname, searchParams } = new URL(url);
    if (method === 'GET' && pathname.endsWith('/events'))
      return Promise.resolve(ok(pageBody(searchParams.get('cursor') === null ? events : [], '1')));
    const [, id] = /\/(?:payouts|transactions)\/([^/]+)$/.exec(pathname) ?? [];
    const event = events.find((text) => text.includes(`"id":"${id ?? '-'}"`));
    if (method !== 'GET' || event === undefined) return Promise.resolve(refused(404, 'not_found'));
    return Promise.resolve(ok(JSON.stringify((JSON.parse(event) as { data: object }).data)));
  };
  const options = { env: FEED_ENV, transport: service };

  it('is 2 and shows all of them, whole, and what each is; nothing leaves', async () => {
    const posts: string[] = [];
    const transport = watched(service, ({ method }) => posts.push(...(method === 'GET' ? [] : [method])));
    const get = 'payouts get 6f1c2a';
    for (const words of [get, 'payouts cancel 6F1C2A9E-3b4d', 'payins confirm 6f1c2a9e3 --code 1']) {
      const { error, stderr } = await svc(words, { ...options, transport });
      expect(error()).toMatchObject({ exit_code: 2, code: 'id_ambiguous', outcome: 'not_sent' });
      for (const number of [0, 1, 2, 10]) expect(stderr).toContain(uuid(number));
      expect(stderr).toContain('10.50 VES confirmed');
    }
    expect(posts).toEqual([]);
    const { stderr } = await svc(get, { ...options, tty: { stdout: true, stderr: true }, columns: 60 });
    expect(stderr).not.toContain('\u001b[2J');
    expect(stderr).toContain('\\n');
  });

  it('may be the beginning of one when more of it is typed', async () => {
    const short = uuid(10).slice(0, 35);
    expect((await svc(`payouts get ${short}`, options)).json()).toMatchObject({ id: uuid(10) });
  });

  it('shows so many, and says that there are more', async () => {
    const many = eventsOf(30);
    const transport: Transport = (request, how) =>
      request.url.includes('/events')
        ? Promise.resolve(ok(pageBody(request.url.includes('cursor') ? [] : many, '1')))
        : service(request, how);
    const { stderr } = await svc('payouts get 6f1c2a', { ...options, transport });
    expect(stderr.match(/6f1c2a9e-3b4d-4c5e-8f70-/g)).toHaveLength(20);
    expect(stderr).toContain('and more');
  });
});

const shared = await sharedDatabase();
const real = batchHome(people(2), 'sandbox', 'real');

it.skipIf(shared === null)(
  'machines that share their state know each other’s operations',
  async () => {
    const env = shared!.env();
    const options = { env: { ...real.machine('other'), ...env } };
    await shared!.server.query((await real.svc('state init --print', { env })).stdout);
    const made = [...debitOtp(), '--reference', 'ours', '--idempotency-key', 'shared-key-1'];
    const id = (await real.svc([...made, '--jq', '.id'], { env })).stdout.trim();
    await real.svc(`payouts batch ${real.file} --json`, { env });
    expect((await real.svc(`payins get ${id.slice(0, 8)}`, options)).json()).toMatchObject({ id });
    const known = async (words: string): Promise<Record<string, string>[]> =>
      (await real.svc(`operations ${words}`, options)).json()['operations'] as Record<string, string>[];
    const create = { id, source: 'create', idempotency_key: 'shared-key-1' };
    expect(await known('find ours')).toMatchObject([create]);
    const row = await known('find emp-0001');
    expect(row).toMatchObject([{ source: 'feed', batch: 'pay', line: 3, status: 'confirmed' }]);
    const all = (await known('list --since 1h')).map(({ status }) => status);
    expect(all.toSorted()).toEqual(['confirmed', 'confirmed', 'pending']);
    const { bank_reference: bank, id: paid } = row[0]!;
    expect(await known(`find ${bank!} --offline`)).toMatchObject([{ id: paid }]);
    await shared!.server.query("ALTER ROLE svc_reader PASSWORD 'canary'");
    const SVC_STATE = env['SVC_STATE']!.replace('owner', 'svc_reader');
    const reader = { SVC_STATE, SVC_STATE_PASSWORD: 'canary' };
    for (const words of ['list', 'find ours', `find ${id.slice(0, 8)}`, 'find emp-0001']) {
      const seen = await real.svc(`operations ${words} --offline`, { env: { ...options.env, ...reader } });
      expect(seen.exitCode, words).toBe(0);
    }
    const confirmed = await real.svc(`payins confirm ${id.slice(0, 8)} --code 123456`, options);
    expect(confirmed.exitCode).toBe(0);
  },
  60_000,
);
