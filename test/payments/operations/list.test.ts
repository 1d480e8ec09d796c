import { expect, it } from 'vitest';
import { batchHome } from '../../support/batch-home.js';
import { people } from '../../support/payroll.js';
import { debitOtp, incomingTransfer, payout } from '../../support/requests.js';
import { NotAnswered, type Transport } from '../../../src/runtime/transport.js';
import { watched, type RunOptions } from '../../support/svc.js';

const here = batchHome(people(2, (at) => (at === 1 ? { 'beneficiary.document.number': '00000002' } : {})));
const { svc } = here;
const HOUR_MS = 3_600_000;

type Listed = Readonly<Record<string, string | number | null>>;

async function list(words = '', options: RunOptions = {}): Promise<readonly Listed[]> {
  const { exitCode, json, stderr } = await svc(`operations list ${words}`, options);
  expect(exitCode, stderr).toBe(0);
  return json()['operations'] as Listed[];
}

const by = (name: string, listed: readonly Listed[]) => listed.map((one) => one[name]);
const idOf = async (words: readonly string[]): Promise<string> =>
  (await svc([...words, '--jq', '.id'])).stdout.trim();
const nothing: Transport = () => Promise.reject(new NotAnswered('connect', false, 'no network'));

it('is everything that is known, newest first, each with what it is known from', async () => {
  await here.begin();
  here.home.clock.advance(1000);
  const payin = await idOf([...debitOtp(), '--idempotency-key', 'own-key-1']);
  here.home.clock.advance(1000);
  const failed = await idOf([...payout('00000001'), '--reference', 'rent-1']);
  here.home.clock.advance(1000);
  const [read, ...others] = await list();
  const row = { source: 'batch', batch: 'pay', line: 3, amount: '101.50' };
  expect(read).toMatchObject({ status: 'confirmed', ...row });
  expect(others).toMatchObject([
    { id: failed, type: 'payout', status: 'failed', source: 'feed', reference: 'rent-1' },
    { id: payin, type: 'payin', status: 'pending', source: 'create', method: 'debit_otp' },
    { status: 'confirmed', source: 'feed', batch: null, reference: 'emp-0000', failure_reason: null },
  ]);
  expect(others[0]).toMatchObject({ code: 'counterparty_rejected', failure_reason: 'invalid_account' });
  expect(others[1]).toMatchObject({ code: 'awaiting_code', occurred_at: null, confirmed_at: null });
  expect(others[1]).toMatchObject({ idempotency_key: 'own-key-1' });
  expect(by('source', await list()).toSorted()).toEqual(['create', 'feed', 'feed', 'feed']);
});

it('without a network shows what was known, as it stood; what was never read it does not know', async () => {
  await here.begin();
  here.home.clock.advance(1000);
  const payin = await idOf(debitOtp());
  const options = { transport: nothing };
  expect((await svc('operations list', options)).exitCode).toBe(11);
  const before = await list('--offline', options);
  expect(by('source', before)).toEqual(['create', 'batch', 'batch']);
  expect(by('status', before).toSorted()).toEqual(['confirmed', 'pending', 'pending']);
  await list();
  await list();
  await svc(`payins confirm ${payin} --code 123456`);
  expect(await list('--offline --status pending', options)).toEqual([]);
  expect(by('id', await list('--offline --status confirmed', options))).toContain(payin);
  expect(by('source', await list('--offline', options)).toSorted()).toEqual(['create', 'feed', 'feed']);
});

it('is filtered by state, direction, method, reference and number', async () => {
  await here.begin();
  await idOf([...payout('00000001'), '--reference', 'rent-1']);
  const payin = await idOf([...incomingTransfer(), '--reference', 'Rent–1']);
  await list();
  const ids = async (words: string) => by('id', await list(words));
  expect(by('reference', await list('--status failed'))).toEqual(['rent-1']);
  expect(await ids('--status pending')).toEqual([payin]);
  expect(await ids('--direction payin')).toEqual([payin]);
  expect(await ids('--method incoming_transfer')).toEqual([payin]);
  expect((await ids('--method mobile_payment')).length).toBe(3);
  expect(by('type', await list('--reference RENT-1')).toSorted()).toEqual(['payin', 'payout']);
  expect(by('type', await list('--reference rent-1 --direction payin'))).toEqual(['payin']);
  expect((await ids('--limit 2')).length).toBe(2);
  expect(await ids('--reference nobody')).toEqual([]);
});

it('is cut at a time, a day of the reader, or how long ago it was for the service, both ends included', async () => {
  await idOf([...payout(), '--reference', 'first']);
  here.home.clock.advance(27 * HOUR_MS);
  await idOf([...payout(), '--reference', 'second']);
  const of = async (words: string, options: RunOptions = {}) => by('reference', await list(words, options));
  expect(await of('--since 24h')).toEqual(['second']);
  expect(await of('--since 27h')).toEqual(['second', 'first']);
  expect(await of('--until 2026-09-23T15:00:00Z')).toEqual(['first']);
  expect(await of('--since 2026-09-23T15:00:00Z --until 2026-09-23T15:00:00Z')).toEqual(['first']);
  expect(await of('--since 2026-09-23 --until 2026-09-23')).toEqual(['first']);
  expect(await of('--since 2026-09-24')).toEqual(['second']);
  const zone = { offsetMinutes: () => 9 * 60 };
  expect(await of('--until 2026-09-23', { zone })).toEqual([]);
  expect(await of('--until 2026-09-23 --utc', { zone })).toEqual(['first']);
  expect(await of('--since 2026-09-25', { zone })).toEqual(['second']);
});

it.each([
  ...['--since yesterday', '--since 2026-02-30', '--until 2026-09-23T15:00', '--since 24h --until 48h'],
  ...['--limit 0', '--limit 10001', '--limit 1e3', '--status done', '--direction out'],
])('%s is refused before anything is asked', async (words) => {
  const { exitCode, stderr } = await svc(`operations list ${words}`, { transport: nothing });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(words.split(' ').at(-2));
});

it('is printed as the other lists are', async () => {
  const csv = (await svc('operations list -o csv')).stdout;
  expect(csv).toMatch(/^id,type,status,code,.*,idempotency_key,environment\n$/);
  expect((await svc('operations list', { tty: { stdout: true } })).stdout).toContain('No operations.');
  await here.begin();
  expect((await svc('operations list -o ndjson')).stdout.trim().split('\n')).toHaveLength(2);
  const { stdout } = await svc(['operations', 'list', '--jq', '[.operations[].amount] | sort[]']);
  expect(stdout).toBe('100.50\n101.50\n');
  expect((await svc('operations list --offline', { breakAfterWrites: 0 })).exitCode).toBe(0);
});

it('reads so many pending ones and no more, and says how many are left as they were', async () => {
  const rows = people(205, () => ({ 'beneficiary.document.number': '00000002' }));
  await here.pay(rows, 'long', '--allow-duplicates');
  let asked = 0;
  const transport = watched(
    here.shaky.transport,
    ({ url }) => (asked += Number(url.includes('/transactions/'))),
  );
  const { json, stderr } = await svc('operations list --limit 1000', { transport });
  expect(json()['operations']).toHaveLength(205);
  expect(asked).toBeLessThanOrEqual(201);
  expect(stderr).toContain('svc did not read 5 more pending operations');
}, 60_000);

it('says at a terminal where each was learned from', async () => {
  await here.begin();
  const person = { tty: { stdout: true }, columns: 160, env: { NO_COLOR: '1' } };
  const { stdout } = await svc('operations list', person);
  expect(stdout).toMatch(/ Learned from /);
  expect(stdout).toMatch(/ batch pay line 3/);
});
