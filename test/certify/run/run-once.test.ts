import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runOnce, runStopper } from '../../../src/certify/run/run-once.js';
import type { SeenRun } from '../../../src/certify/client/request-seen.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../../../src/runtime/temporary-folder.js';
import { ROOT } from '../../house/source.js';
import { PROGRAM } from '../../support/program.js';
import { payout } from '../../support/requests.js';
import { eachWorld } from '../../support/svc.js';
import { virtualTime } from '../support/virtual-time.js';
import type { RunPlan } from '../../../src/certify/run/interpose.js';

const home = eachWorld();
let folder: TemporaryFolder;
beforeEach(() => (folder = makeTemporaryFolder('svc-run-test-', home.ports.random)));
afterEach(() => folder.remove());

const CLEAN: RunPlan = {
  ...{ caseId: null, fault: null, aim: () => null, isRerun: false },
  ...{ writesMax: Infinity, limitMs: 30_000 },
};

const CUT = { outcome: null, isCarriedOut: false, holdMs: 0, instead: { kind: 'cut' } } as const;

const BEGUN = `
const { SVC_SANDBOX_URL, SVC_API_KEY, SVC_CERTIFY, SVC_CONTROL_URL } = process.env;
const ask = async (method, url, body, key, token = SVC_API_KEY) => {
  const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json', ...(key ? { 'idempotency-key': key } : {}) };
  const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return { status: answer.status, value: await answer.json() };
};
const say = (value) => console.log(JSON.stringify(value));
const document = { type: 'V', number: '12345678' };
const payout = { amount: '20.00', country: 'VE', currency: 'VES', method: 'mobile_payment', beneficiary: { document, bank_code: '0105', account_number: '04149876543' } };
const payin = { amount: '150.00', country: 'VE', currency: 'VES', method: 'debit_otp', payer: { document, bank_code: '0102', phone: '04121234567' } };
`;

function runOf(command: readonly string[], plan: Partial<RunPlan>, before: string | null): Promise<SeenRun> {
  const set = { SVC_API_KEY: 'svc_live_real', SVC_PROFILE: 'shop' };
  const env = { PATH: process.env['PATH'] ?? '', HOME: home.home, ...set };
  const ports = { ...home.ports, clock: systemClock, env };
  return runOnce({ ports, command, before, folder, salt: 'salt' }, { ...CLEAN, ...plan });
}

async function ran(script: string, plan: Partial<RunPlan> = {}, before: string | null = null) {
  const command = [process.execPath, '--input-type=module', '-e', `${BEGUN}${script}`];
  const seen = await runOf(command, plan, before);
  const lines = seen.output.split('\n').filter((line) => line !== '');
  const isSaid = seen.exitCode === 0 && seen.rerunFrom === null;
  return { ...seen, said: isSaid ? lines.map((line) => JSON.parse(line) as unknown) : lines };
}

it('gives the command a sandbox, a folder and its own address, and nothing that was set for svc', async () => {
  const { said } = await ran('say(process.env)');
  const [env] = said as [Record<string, string>];
  const seen = Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('SVC_')));
  const wanted = ['API_KEY', 'BASE_URL', 'CERTIFY', 'CONTROL_URL', 'HOME', 'SANDBOX_URL'];
  expect(Object.keys(seen).sort()).toEqual(wanted.map((name) => `SVC_${name}`));
  expect(seen['SVC_API_KEY']).toMatch(/^svc_test_/);
  expect(seen['SVC_CERTIFY']).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(seen['SVC_HOME']?.startsWith(folder.path)).toBe(true);
});

it('sees what is sent to a sandbox that the command opens, in a scope of its own', async () => {
  const { said, requests, operations } = await ran(`
    const opened = await ask('POST', SVC_CERTIFY + '/sandboxes', { code: '424242', settle_after_seconds: 60 });
    const { base_url: url, control_url: control, api_key: token } = opened.value;
    const made = await ask('POST', url + '/sandbox/v2/payouts', payout, 'payout-in-it', token);
    const status = await ask('GET', control + '/status');
    const port = new URL(url).port;
    const closed = await ask('DELETE', SVC_CERTIFY + '/sandboxes/' + port);
    const again = await ask('DELETE', SVC_CERTIFY + '/sandboxes/' + port);
    say([opened.status, made.value.pending_reason, status.value.code, closed.status, again.status]);
  `);
  expect(said).toEqual([[201, 'processing', '424242', 200, 404]]);
  expect(requests).toMatchObject([{ scope: '2.0', route: 'payouts.create', key: 'payout-in-it' }]);
  expect(operations).toMatchObject([
    { scope: '2.0', status: 'pending', reason: 'processing', requestNumber: 1 },
  ]);
});

it('opens a sandbox with a live key, and with a state', async () => {
  const { said } = await ran(`
    const { value: state } = await ask('GET', SVC_CONTROL_URL + '/state');
    const [live, kept] = [await ask('POST', SVC_CERTIFY + '/sandboxes', { live: true }), await ask('POST', SVC_CERTIFY + '/sandboxes', { state })];
    const balances = await ask('GET', live.value.base_url + '/v2/balances', undefined, undefined, live.value.api_key);
    say([live.value.api_key.slice(0, 17), balances.status, kept.value.api_key === SVC_API_KEY]);
  `);
  expect(said).toEqual([['svc_live_sandbox_', 200, true]]);
});

it.each([
  ['{"code":"12"}', 'code must be six digits.'],
  [
    '{"colour":1}',
    'colour. Known fields: code, live, settle_after_seconds, keys_of_refused, now, ids, state.',
  ],
  ['{"live":"yes"}', 'live must be one of true, false.'],
  ['{"state":{}}', 'state'],
  ['no json', 'must be'],
])('refuses a sandbox of %s', async (body, why) => {
  const { said } = await ran(`
    const answer = await fetch(SVC_CERTIFY + '/sandboxes', { method: 'POST', body: ${JSON.stringify(body)} });
    say([answer.status, (await answer.json()).error.message]);
  `);
  expect(said).toEqual([[400, expect.stringContaining(why)]]);
});

it('takes nothing from a page of another site', async () => {
  const { said } = await ran(`
    const answer = await fetch(SVC_CERTIFY + '/sandboxes', { method: 'POST', headers: { origin: 'https://elsewhere.example' } });
    say(answer.status);
  `);
  expect(said).toEqual([403]);
});

it('begins a scope with each reset, and knows how things stood before it', async () => {
  const { requests, operations } = await ran(`
    for (const key of ['before-reset', 'after-reset']) {
      await ask('POST', SVC_SANDBOX_URL + '/v2/payouts', payout, key);
      if (key === 'before-reset') await ask('POST', SVC_CONTROL_URL + '/reset', {});
    }
  `);
  expect(requests.map(({ scope, number }) => `${scope} ${String(number)}`)).toEqual(['1.0 1', '1.1 2']);
  const told = operations.map(({ scope, status, key }) => `${scope} ${status} ${String(key)}`);
  expect(told).toEqual(['1.0 confirmed before-reset', '1.1 confirmed after-reset']);
});

it('knows an operation that a state brings back as another one', async () => {
  const { operations } = await ran(`
    await ask('POST', SVC_SANDBOX_URL + '/v2/payouts', payout, 'payout-key');
    const { value: state } = await ask('GET', SVC_CONTROL_URL + '/state');
    await ask('PUT', SVC_CONTROL_URL + '/state', state);
    await ask('POST', SVC_SANDBOX_URL + '/v2/payouts', payout, 'payout-key');
  `);
  const [first, second] = operations;
  expect([first?.scope, second?.scope, second?.id]).toEqual(['1.0', '1.1', first?.id]);
});

it('writes down what was told, and no code', async () => {
  const { requests } = await ran(`
    const { value } = await ask('POST', SVC_SANDBOX_URL + '/v2/payins', payin, 'order-1-key');
    for (const code of ['123456', '123456']) await ask('POST', SVC_SANDBOX_URL + '/v2/payins/' + value.id.toUpperCase() + '/confirm', { code });
    await ask('GET', SVC_SANDBOX_URL + '/v2/events?limit=1');
    await ask('GET', SVC_SANDBOX_URL + '/v2/nothing', undefined, undefined, 'another');
  `);
  const [created, confirmed, again, events, nothing] = requests;
  const id = created?.madeId ?? '';
  const pending = { id, status: 'pending', reason: 'awaiting_code' };
  expect(created?.answer).toMatchObject({ status: 201, operation: pending });
  const paid = { id, status: 'confirmed', reason: null };
  expect(confirmed).toMatchObject({ operation: id, answer: { operation: paid } });
  expect(again?.answer).toMatchObject({ status: 409, code: 'code_not_expected', operation: null });
  expect(events?.answer).toMatchObject({ events: [{ id, status: 'confirmed' }] });
  expect(nothing).toMatchObject({ route: null, operation: null, answer: { status: 404 } });
  expect(nothing?.bearer).not.toBe(created?.bearer);
  expect(Buffer.from(confirmed?.body ?? []).toString()).not.toContain('123456');
  expect(again?.body).toEqual(confirmed?.body);
});

it('writes down what a fault of the sandbox itself leaves of an answer', async () => {
  const { requests } = await ran(`
    for (const kind of ['drop-after', 'truncated'])  {
      await ask('POST', SVC_CONTROL_URL + '/faults', { route: 'payouts.create', kind });
      await ask('POST', SVC_SANDBOX_URL + '/v2/payouts', payout, kind).catch(() => undefined);
    }
  `);
  expect(requests.map(({ answer }) => answer)).toEqual([
    { kind: 'none' },
    { kind: 'unreadable', status: 201 },
  ]);
});

it('knows that a command left before its answer came', async () => {
  const { requests } = await ran(`
    await ask('POST', SVC_CONTROL_URL + '/faults', { route: 'payouts.create', kind: 'delay', delay_ms: 1500 });
    const signal = AbortSignal.timeout(500);
    const headers = { authorization: 'Bearer ' + SVC_API_KEY, 'idempotency-key': 'impatient' };
    await fetch(SVC_SANDBOX_URL + '/v2/payouts', { method: 'POST', headers, body: JSON.stringify(payout), signal }).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 1500));
  `);
  expect(requests).toMatchObject([{ isCarriedOut: true, answer: { kind: 'none' } }]);
});

const PAYS = 'for (;;) await ask("POST", SVC_SANDBOX_URL + "/v2/payouts", payout, crypto.randomUUID());';

it.each([
  ['requests', { writesMax: 3 }, PAYS],
  ['time', { limitMs: 300 }, 'await new Promise((resolve) => setTimeout(resolve, 60_000));'],
])('is stopped for %s', async (stoppedFor, plan, script) => {
  expect(await ran(script, plan)).toMatchObject({ stoppedFor, exitCode: 137 });
});

it.each([
  ['never', 1e9, 'time', 13_000],
  ['after the limit', 4000, 'gave_up', 4000],
  ['before the limit, and then does not end', 2000, 'time', 3000],
])('a command without an answer that gives up %s', async (_, goneMs, stoppedFor, afterMs) => {
  const time = virtualTime('2026-09-23T15:00:00Z');
  const stopping = runStopper(time, { limitMs: 3000, writesMax: Infinity });
  const untilKilled = (kill: AbortSignal) => new Promise((resolve) => (kill.onabort = resolve));
  void stopping.hold(time.sleep(goneMs));
  const beganMs = time.now();
  await time.run(stopping.guard(untilKilled));
  expect([stopping.reason(), time.now() - beganMs]).toEqual([stoppedFor, afterMs]);
});

it('holds a silent answer until the command gives up, also after its limit', async () => {
  const silent = { ...CUT, name: 'silent', isCarriedOut: true, instead: { kind: 'never' } } as const;
  const script = `
    const headers = { authorization: 'Bearer ' + SVC_API_KEY, 'idempotency-key': 'payout-1' };
    await fetch(SVC_SANDBOX_URL + '/v2/payouts', { method: 'POST', headers, body: JSON.stringify(payout), signal: AbortSignal.timeout(7000) });
  `;
  const aim: RunPlan['aim'] = (before) => (before.length === 0 ? silent : null);
  const run = await ran(script, { fault: 'silent', aim, limitMs: 6000 });
  expect(run).toMatchObject({ stoppedFor: 'gave_up', hits: 1, requests: [{ answer: { kind: 'none' } }] });
});

it('is stopped for a flood: more than 500 requests in a second', async () => {
  const stoppedAt = async (everyMs: number): Promise<string | null> => {
    const stopping = runStopper(systemClock, CLEAN);
    const isKilled = await stopping.guard((kill) => {
      for (let n = 0; n < 600; n += 1) stopping.countArrival({ atMs: n * everyMs, route: null });
      return Promise.resolve(kill.aborted);
    });
    expect(isKilled).toBe(stopping.reason() !== null);
    return stopping.reason();
  };
  expect([await stoppedAt(1.9), await stoppedAt(2.1)]).toEqual(['rate', null]);
});

it('starts the command again where it failed, and leaves it alone then', async () => {
  const aim = (): typeof CUT & { name: 'rerun-lost-before' } => ({ ...CUT, name: 'rerun-lost-before' });
  const script = `const { status } = await ask('POST', SVC_SANDBOX_URL + '/v2/payouts', payout, 'payout-key'); say(status);`;
  const run = await ran(script, { fault: 'rerun-lost-before', isRerun: true, aim });
  expect(run).toMatchObject({ exitCode: 0, rerunFrom: 2, hits: 1, operations: [{ requestNumber: 2 }] });
});

it('runs what comes before in the same world, and nothing where that fails', async () => {
  const { output } = await ran('say(process.env.SVC_HOME)', {}, 'echo prepared; pwd > "$SVC_HOME/prepared"');
  expect(output).not.toContain('prepared');
  const message = 'The --before command ended with 4, so nothing can be judged.\nno database';
  const failed = ran('say(1)', {}, 'echo no database; exit 4');
  await expect(failed).rejects.toMatchObject({ kind: 'not_certified', message });
});

it('refuses a command that is none', async () => {
  const place = { ports: { ...home.ports, clock: systemClock }, before: null, folder, salt: 'salt' };
  const run = runOnce({ ...place, command: ['no-such-command'] }, CLEAN);
  await expect(run).rejects.toMatchObject({ kind: 'command_missing' });
});

it('sees what a test does in sandboxes of the kit, each in a scope of its own until its reset', async () => {
  const { requests, operations, deliveries, exitCode, output } = await ran(`
    const { startSandbox } = await import('${join(ROOT, 'dist/testing.js')}');
    const [one, other] = [await startSandbox(), await startSandbox({ live: true })];
    const pay = (by, { serviceUrl, apiKey }) => by(serviceUrl + '/v2/payouts', { method: 'POST', body: JSON.stringify(payout),
      headers: { authorization: 'Bearer ' + apiKey, 'idempotency-key': 'payout-1' } });
    const receiver = await one.receiver();
    await pay(one.fetch, one);
    await receiver.next('payout.confirmed');
    await one.reset();
    await pay(fetch, one);
    await pay(fetch, other);
    await other.close();
  `);
  expect([exitCode, output]).toEqual([0, '']);
  const payouts = requests.filter(({ route }) => route === 'payouts.create');
  expect(payouts.map(({ answer }) => answer)).toMatchObject([
    { status: 201 },
    { status: 201 },
    { status: 201 },
  ]);
  expect(new Set(payouts.map(({ scope }) => scope)).size).toBe(3);
  expect(operations).toHaveLength(3);
  expect(deliveries).toMatchObject([{ type: 'payout.confirmed', statuses: [200] }]);
});

it('sees what svc does beside svc sandbox exec', async () => {
  const exec = [process.execPath, PROGRAM, 'sandbox', 'exec', '--', process.execPath, PROGRAM, ...payout()];
  const { requests, exitCode } = await runOf(exec, {}, null);
  expect(exitCode).toBe(0);
  const answer = { kind: 'readable', status: 201 };
  const posts = requests.filter(({ method }) => method === 'POST');
  expect(posts).toMatchObject([{ route: 'payouts.create', answer }]);
});

it('names the fault of a request in the log of the sandbox, also of one that nobody carried out', async () => {
  const faults = [
    { ...CUT, name: 'lost-before' as const },
    { ...CUT, name: 'lost-after' as const, isCarriedOut: true },
  ];
  const script = `
    for (const key of ['payout-1', 'payout-2', 'payout-3'])
      await ask('POST', SVC_SANDBOX_URL + '/v2/payouts', payout, key).catch(() => undefined);
    const { value } = await ask('GET', SVC_CONTROL_URL + '/requests');
    say(value.requests.map(({ fault, status }) => [fault ?? '', status ?? 0].join(' ')));
  `;
  const { said } = await ran(script, { aim: (before) => faults[before.length] ?? null });
  expect(said).toEqual([['lost-before 0', 'lost-after 0', ' 201']]);
});
