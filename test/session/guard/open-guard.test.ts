import { describe, expect, it } from 'vitest';
import type { Machine } from '../../../src/runtime/ports.js';
import { batchHome } from '../../support/batch-home.js';
import { BARE_MACHINE, machineWith } from '../../support/machine.js';
import { people } from '../../support/payroll.js';
import { debitOtp, incomingTransfer, payout } from '../../support/requests.js';
import type { Result, RunOptions } from '../../support/svc.js';

const here = batchHome(people(4), 'live');

const allow = (payouts: object, more: object = {}) => ({
  machine: machineWith(() => ({ version: 1, payouts, ...more })),
});
const READ_ONLY = allow({ allow: 'read' });
const WITH_MAX = allow({ allow: 'all', currencies: { VES: { operation_max: '6.00' } } });
const LARGE = payout('12345678', '7200.00');

function expectRefused(result: Result, code: string, field: string, detail: string): void {
  const details = [{ field, code: detail }];
  const said = { exit_code: 13, code, next_command: null, outcome: 'not_sent', details };
  expect(result.error()).toMatchObject(said);
  expect([result.exitCode, here.shaky.posts]).toEqual([13, []]);
}
const expectDenied = (result: Result, field: string, detail = 'not_allowed'): void =>
  expectRefused(result, 'policy_refused', field, detail);

const WAYS_AROUND = /\/etc\/|SVC_|--(?!plan\b)[a-z]/;

describe('a policy', () => {
  it.each([
    ['that is not there changes nothing', {}],
    ['lets pass what it allows', WITH_MAX],
  ])('%s', async (_what, options) => {
    expect((await here.svc([...payout(), '--json'], options)).exitCode).toBe(0);
    expect(here.shaky.posts).toHaveLength(1);
  });

  it.each([
    ['a create', LARGE],
    ['a dry run of it', [...LARGE, '--dry-run']],
    ['a create with a key of its own', [...LARGE, '--idempotency-key', 'order-1001']],
    ['a create with a reference', [...LARGE, '--reference', 'order-1001']],
    ['a dry run of that', [...LARGE, '--reference', 'order-1001', '--dry-run']],
  ])('refuses %s that is too large, in its words', async (_what, line) => {
    const refused = await here.svc([...line, '--json'], WITH_MAX);
    expectDenied(refused, 'payouts.currencies.VES.operation_max', 'exceeded');
    const why = 'payouts in VES may be at most 6.00 each, and this is 7200.00. Nothing was sent.';
    expect(refused.error()['message']).toBe(`Refused by this machine's policy: ${why}`);
    expect((await here.svc('requests list --json')).json()['requests']).toEqual([]);
  });

  it('refuses by its words what only reads are allowed for', async () => {
    const refused = await here.svc([...payout(), '--json'], READ_ONLY);
    expectDenied(refused, 'payouts.allow');
    expectDenied(await here.svc([...debitOtp(), '--json'], READ_ONLY), 'payins.allow');
    expect((await here.svc('balances --json', READ_ONLY)).exitCode).toBe(0);
  });

  it('names who decides, as plain text', async () => {
    const options = allow({ allow: 'read' }, { contact: 'treasury \u001b[31mdesk\u001b[0m' });
    const refused = await here.svc([...payout(), '--json'], options);
    expect(refused.error()['message']).toContain('Who decides: treasury \\u001b[31mdesk');
    const shown = await here.svc(payout(), { ...options, tty: { stderr: true } });
    expect(shown.stderr).not.toContain('\u001b[31mdesk');
  });

  const read = (kind: 'untrusted' | 'unreadable'): Machine => ({
    ...BARE_MACHINE,
    readTrusted: () => ({ kind, why: 'of /etc/svc/policy.json' }),
  });
  it.each([
    ['is empty', machineWith(() => ''), 'unreadable'],
    ['has a member that nobody knows', machineWith(() => '{"version":1,"payout":{}}'), 'unreadable'],
    ['is newer', machineWith(() => '{"version":2}'), 'newer'],
    ['is not trusted', read('untrusted'), 'untrusted'],
    ['cannot be read', read('unreadable'), 'unreadable'],
  ])('that %s closes everything but reads', async (_what, machine, kind) => {
    const refused = await here.svc([...payout(), '--json'], { machine });
    expectRefused(refused, `policy_${kind}`, 'policy', kind);
    expect(refused.stderr).not.toMatch(WAYS_AROUND);
    for (const line of ['balances --json', 'events list --json'])
      expect((await here.svc(line, { machine })).exitCode).toBe(0);
  });

  it('says of another address that nothing goes there, reads neither', async () => {
    const options = allow({ allow: 'all' }, { addresses: ['https://api.example.com'] });
    for (const line of [payout(), ['balances']])
      expectDenied(await here.svc([...line, '--json'], options), 'addresses', 'not_named');
  });

  it('says nothing of the sandbox', async () => {
    const { exitCode } = await here.home.svc(payout(), READ_ONLY);
    expect(exitCode).toBe(0);
  });

  it('lets cancels pass where creates stop', async () => {
    const { id } = (await here.svc([...incomingTransfer(), '--json'])).json();
    const brake = { machine: machineWith(() => ({ version: 1, payins: { allow: 'cancel' } })) };
    here.shaky.posts.splice(0);
    expectDenied(await here.svc([...incomingTransfer(), '--json'], brake), 'payins.allow');
    expect((await here.svc(`payins cancel ${String(id)} --json`, brake)).exitCode).toBe(0);
    expect(here.shaky.posts).toHaveLength(1);
  });

  it('asks what is sent by hand, and knows only what is in the table', async () => {
    const body = '{"amount":"7200.00","currency":"VES"}';
    const post = ['api', 'POST', '/v2/payouts', '--data', body];
    expectDenied(await here.svc(post, WITH_MAX), 'payouts.currencies.VES.operation_max', 'exceeded');
    const odd = ['api', 'POST', '/v2/other', '--data', '{}'];
    expectDenied(await here.svc(odd, WITH_MAX), 'request', 'not_named');
    expect((await here.svc(['api', 'GET', '/v2/other'], WITH_MAX)).exitCode).toBe(5);
  });

  it('refuses a member that stands twice in a body', async () => {
    const body = '{"amount":"1.00","am\\u006funt":"7200.00","currency":"VES"}';
    const refused = await here.svc(['api', 'POST', '/v2/payouts', '--data', body], WITH_MAX);
    expectDenied(refused, 'body', 'unreadable');
  });

  it.each([
    ['the lock', { env: { SVC_LOCK: 'read-only' } }],
    ['the policy', READ_ONLY],
  ])('%s comes before what is wrong with a body', async (_what, options) => {
    const bodies = ['{"reference":17}', '{"reference":"a","reference":"b"}', '[1]', 'no json'];
    for (const more of [[], ['-f', 'amount=5.00'], ['--idempotency-key', 'order-1001']])
      for (const body of bodies) {
        const refused = await here.svc(['api', 'POST', '/v2/payouts', '--data', body, ...more], options);
        expect([refused.exitCode, body, more], refused.stderr).toEqual([13, body, more]);
      }
    expect(here.shaky.posts).toEqual([]);
  });

  it('lets a webhook be registered where it says so', async () => {
    const register = 'webhooks register --url https://shop.example/hook --json';
    expectDenied(await here.svc(register, WITH_MAX), 'webhooks');
    const may = allow({ allow: 'read' }, { webhooks: 'register' });
    expect((await here.svc(register, may)).exitCode).toBe(0);
  });

  it('asks before a person is asked about what would be refused anyhow', async () => {
    const { id } = (await here.svc([...debitOtp(), '--json'])).json();
    here.shaky.posts.splice(0);
    const tty = { stdin: true, stdout: true, stderr: true };
    const readLine = (): Promise<string> => Promise.reject(new Error('nobody is asked'));
    const create = 'payouts create';
    const asking = [create, `${create} --method mobile_payment -i`, `payins confirm ${String(id)}`];
    for (const line of [payout(), ...asking]) {
      const options = { ...READ_ONLY, tty, readLine };
      const { exitCode, stderr } = await here.svc(line, options);
      expect({ exitCode, posts: here.shaky.posts }, stderr).toEqual({ exitCode: 13, posts: [] });
      expect(stderr).toContain('may only be read');
      const locked = await here.svc(line, { tty, readLine, env: { SVC_LOCK: 'read-only' } });
      expect(locked.exitCode).toBe(13);
      expect(locked.stderr).toContain('read-only');
    }
  });

  it('that changes while a person thinks is looked at again, and nothing is left behind', async () => {
    const tty = { stdin: true, stderr: true };
    let rules: object = { allow: 'all' };
    const readLine = (): Promise<string> => {
      rules = { allow: 'read' };
      here.home.clock.advance(60_000);
      return Promise.resolve('yes');
    };
    const options = { machine: machineWith(() => ({ version: 1, payouts: rules })), tty, readLine };
    expect((await here.svc(payout(), options)).exitCode).toBe(13);
    expect(here.shaky.posts).toEqual([]);
    expect((await here.svc('requests list --json')).json()['requests']).toEqual([]);
  });

  it('lets a request be repeated outside its hours, but not where creates stop', async () => {
    const hours = { timezone: 'America/Caracas', days: ['sat'], from: '08:00', to: '09:00' };
    const closed = allow({ allow: 'all', hours });
    here.shaky.next('lost-after', 'lost-after', 'lost-after');
    const key = ['--idempotency-key', 'order-1001'];
    expect((await here.svc([...payout(), ...key])).exitCode).toBe(12);
    here.shaky.posts.splice(0);
    expectDenied(await here.svc([...payout('00000002'), '--json'], closed), 'payouts.hours', 'outside_hours');
    expect((await here.svc('requests repeat order-1001 --json', READ_ONLY)).exitCode).toBe(13);
    expect(here.shaky.posts).toEqual([]);
    expect((await here.svc('requests repeat order-1001 --json', closed)).exitCode).toBe(0);
    expect((await here.svc([...payout(), ...key, '--json'], closed)).exitCode).toBe(0);
    expect(here.shaky.posts).toHaveLength(2);
  });

  it('asks the service for its time where it has hours, and lets nothing begin without', async () => {
    const hours = { timezone: 'America/Caracas', days: ['wed'], from: '11:00', to: '12:00' };
    expect((await here.svc([...payout(), '--json'], allow({ allow: 'all', hours }))).exitCode).toBe(0);
    here.shaky.posts.splice(0);
    const timeless: RunOptions = {
      ...allow({ allow: 'all', hours }),
      transport: async (request, options) => {
        const { headers, ...answer } = await here.shaky.transport(request, options);
        return { ...answer, headers: headers.filter(([name]) => name.toLowerCase() !== 'date') };
      },
    };
    const refused = await here.svc([...payout('00000002'), '--json'], timeless);
    expectRefused(refused, 'time_unknown', 'payouts.hours', 'unknown');
  });

  it('sends what needs approvals to a plan', async () => {
    const options = allow({ allow: 'all', approvals: 2, currencies: { VES: { free_up_to: '5.00' } } });
    expect((await here.svc([...payout(), '--json'], options)).exitCode).toBe(0);
    here.shaky.posts.splice(0);
    const refused = await here.svc([...payout('00000002', '5.01'), '--json'], options);
    expectRefused(refused, 'approvals_missing', 'payouts.approvals', 'missing');
    expect(refused.error()['message']).toContain('payouts need 2 approvals, and this has none');
    const way = 'Other people approve a plan: "svc payouts batch FILE --plan PLAN" writes one';
    expect(refused.error()['message']).toContain(way);
    const batch = await here.svc(`payouts batch ${here.file} --batch march --json`, options);
    expectRefused(batch, 'approvals_missing', 'payouts.approvals', 'missing');
  });
});

describe('a batch', () => {
  const start = (options: RunOptions = {}, words = ''): Promise<Result> =>
    here.svc(`payouts batch ${here.file} --batch march --concurrency 1 --json ${words}`, options);
  const CONFIRMED = '--first-here --confirm-total VES:408.00';

  it.each([
    ['as a whole', 'batch_max', ''],
    ['as a whole by a dry run', 'batch_max', '--dry-run'],
    ['by each of its rows', 'operation_max', ''],
  ])('is judged %s before any row leaves, and not kept where it is refused', async (_how, max, words) => {
    const refused = await start(allow({ allow: 'all', currencies: { VES: { [max]: '1.00' } } }), words);
    expectDenied(refused, `payouts.currencies.VES.${max}`, 'exceeded');
    expect((await here.svc('batches list --json')).json()['batches']).toEqual([]);
  });

  it('that was admitted goes on outside the hours', async () => {
    const hours = { timezone: 'UTC', days: ['sat'], from: '08:00', to: '09:00' };
    const closed = allow({ allow: 'all', hours });
    expectDenied(await start(closed, CONFIRMED), 'payouts.hours', 'outside_hours');
    here.shaky.next('answered', ...Array.from({ length: 12 }, () => 'lost-before' as const));
    expect((await start({}, CONFIRMED)).exitCode).toBe(12);
    here.shaky.next();
    here.shaky.posts.splice(0);
    expectDenied(await here.svc('batches resume march --json', READ_ONLY), 'payouts.allow');
    expect((await here.svc('batches resume march --json', closed)).exitCode).toBe(0);
    expect(here.shaky.posts).toHaveLength(3);
  });

  it('is judged anew where its failed rows are tried again', async () => {
    here.shaky.next({ status: 400, body: { error: { code: 'field_invalid', message: 'no' } } });
    expect((await start({}, CONFIRMED)).exitCode).toBe(3);
    here.shaky.posts.splice(0);
    const hours = { timezone: 'UTC', days: ['sat'], from: '08:00', to: '09:00' };
    const refused = await here.svc('batches retry march --failed --json', allow({ allow: 'all', hours }));
    expectDenied(refused, 'payouts.hours', 'outside_hours');
  });

  it('takes the word that a row was not paid where only reads may leave: nothing is sent', async () => {
    here.shaky.next('answered', 'lost-before', 'lost-before', 'lost-before');
    expect((await start({}, CONFIRMED)).exitCode).toBe(12);
    here.home.clock.advance(23.5 * 3_600_000);
    await here.svc('batches resume march --json');
    here.shaky.posts.splice(0);
    const resolve = 'batches resolve march --reference emp-0001 --not-paid --yes --json';
    const resolved = await here.svc(resolve, READ_ONLY);
    expect(resolved.exitCode, resolved.stderr).toBe(0);
    expect(here.shaky.posts).toEqual([]);
  });

  it('stops within a block where the brake is pulled, and says how it stands', async () => {
    let payouts: object = { allow: 'all' };
    const policy = () => ({ version: 1, payouts, contact: 'treasury' });
    const options = { machine: machineWith(policy) };
    here.shaky.onPost = () => {
      payouts = { allow: 'cancel' };
      here.home.clock.advance(200);
    };
    const stopped = await start(options, CONFIRMED);
    expect(stopped.exitCode).toBe(13);
    expect(here.shaky.posts).toHaveLength(1);
    expect(stopped.json()).toMatchObject({ rows: 4, not_sent: 3 });
    expect(stopped.error()).toMatchObject({ code: 'policy_refused', outcome: 'sent', next_command: null });
    const why =
      "Refused by this machine's policy: payouts may only be read and cancelled. Who decides: treasury";
    expect(stopped.error()['message']).toBe(`Batch march: stopped, and 3 rows were not sent. ${why}`);
    payouts = { allow: 'all' };
    expect((await here.svc('batches resume march --json', options)).exitCode).toBe(0);
    expect(here.shaky.posts).toHaveLength(4);
  });
});

describe('a lock', () => {
  const locked = (lock: string): RunOptions => ({ env: { SVC_LOCK: lock } });
  const above = (...locks: readonly string[]): RunOptions => ({
    machine: { ...BARE_MACHINE, parentLocks: () => locks },
  });

  it.each([
    ['sandbox', locked('sandbox')],
    ['any other', locked('off')],
    ['an empty one', locked('')],
    ['of a process above', above('sandbox')],
    ['of a process above, though this one has a wider', { ...above('sandbox'), ...locked('read-only') }],
  ])('%s lets nothing live leave, reads neither', async (_what, options) => {
    const seen: unknown[] = [];
    const transport = (request: unknown): Promise<never> => {
      seen.push(request);
      return Promise.reject(new Error('nothing leaves'));
    };
    for (const line of [payout(), ['balances'], ['events', 'list'], ['capabilities']]) {
      const refused = await here.svc([...line, '--json'], { ...options, transport });
      expectRefused(refused, 'locked', 'lock', 'not_allowed');
      expect(refused.stderr).not.toMatch(WAYS_AROUND);
    }
    expect(seen).toEqual([]);
  });

  it.each([
    ['its own', locked('read-only')],
    ['of a process above', above('read-only')],
    ['its own, before the policy', { ...READ_ONLY, ...locked('read-only') }],
  ])('read-only lets live reads leave: %s', async (_what, options) => {
    expectRefused(await here.svc([...payout(), '--json'], options), 'locked', 'lock', 'not_allowed');
    expect((await here.svc('balances --json', options)).exitCode).toBe(0);
  });

  it.each(['sandbox', 'read-only'])('%s lets the sandbox be', async (lock) => {
    expect((await here.home.svc(payout(), locked(lock))).exitCode).toBe(0);
  });
});
