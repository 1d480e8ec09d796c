import { expect, it } from 'vitest';
import { batchHome } from '../../support/batch-home.js';
import { people } from '../../support/payroll.js';
import { debitOtp, payout } from '../../support/requests.js';
import { watched, type RunOptions } from '../../support/svc.js';

const here = batchHome(people(2, (at) => (at === 1 ? { 'beneficiary.document.number': '00000002' } : {})));
const { svc } = here;

type Found = Readonly<Record<string, string | number | null>>;

async function find(text: string, options: RunOptions = {}, ...words: string[]): Promise<readonly Found[]> {
  const { exitCode, json, stderr } = await svc(['operations', 'find', ...words, '--', text], options);
  expect([0, 5], stderr).toContain(exitCode);
  return exitCode === 0 ? (json()['operations'] as Found[]) : [];
}

const create = async (words: readonly string[]): Promise<string> =>
  (await svc([...words, '--jq', '.id'])).stdout.trim();

it('finds by reference in any spelling, bank reference, id, and the beginning of one, in either case', async () => {
  const id = await create([...payout(), '--reference', 'Rent–1 May']);
  const [found] = await find('rent-1  may');
  expect(found).toMatchObject({ id, status: 'confirmed', source: 'feed', reference: 'Rent–1 May' });
  const bank = String(found?.['bank_reference']);
  const upper = id.toUpperCase();
  for (const text of [bank, id, upper, id.slice(0, 6), upper.slice(0, 11), id.slice(0, 9)])
    expect(await find(text), text).toMatchObject([{ id }]);
  for (const text of [id.slice(0, 5), `${id.slice(0, 6)}-`, 'rent', '%', "'", '\\', `${id}0`, '-'])
    expect(await find(text), text).toEqual([]);
});

it.each([['Straße-7', 'STRASSE-7']])('finds %j by %j: case does not count', async (reference, text) => {
  const id = await create([...payout(), '--reference', reference]);
  expect(await find(text)).toMatchObject([{ id, reference }]);
  const { json } = await svc(['operations', 'list', '--reference', text]);
  expect(json()['operations']).toMatchObject([{ id }]);
  expect(await find(`${text}x`)).toEqual([]);
});

it('shows all that have it, with the row or the key that made each', async () => {
  const named = (key: string): string[] => ['--reference', 'emp-0001', '--idempotency-key', key];
  const first = await create([...payout('00000001'), ...named('the-key-1')]);
  await here.begin();
  here.home.clock.advance(1000);
  const second = await create([...debitOtp(), ...named('the-key-2')]);
  here.home.clock.advance(1000);
  const found = await find('emp-0001');
  expect(found).toMatchObject([
    { status: 'confirmed', source: 'batch', batch: 'pay', line: 3 },
    { id: second, type: 'payin', status: 'pending', source: 'create', idempotency_key: 'the-key-2' },
    { id: first, status: 'failed', source: 'feed', idempotency_key: 'the-key-1', batch: null },
  ]);
  expect(await find(String(found[0]?.['id']))).toMatchObject([{ source: 'feed', batch: 'pay', line: 3 }]);
});

it('asks the service about a whole id that nothing here knows, and about nothing offline', async () => {
  const id = await create(debitOtp());
  here.lose();
  expect(await find(id, {}, '--offline')).toEqual([]);
  expect(await find(id)).toMatchObject([{ id, source: 'service', status: 'pending', batch: null }]);
  expect(await find('6f1c2a9e-3b4d-4c5e-8f70-000000000000')).toEqual([]);
});

it('is 5 where there is none, and says how it was looked for', async () => {
  const { exitCode, error } = await svc('operations find nobody --offline');
  expect(exitCode).toBe(5);
  const next_command = 'svc operations list --offline';
  expect(error()).toMatchObject({ code: 'not_found', outcome: 'not_sent', next_command });
  expect(error()['message']).toContain('without --offline svc asks the service too');
  expect(error()['message']).toContain('A pending operation that another program made is not known here');
  const hostile = await svc(['operations', 'find', '\u001b[2J\n"x'], { tty: { stdout: true, stderr: true } });
  expect(hostile.exitCode).toBe(5);
  expect(hostile.stderr).not.toContain('\u001b[2J');
  expect((await svc(['operations', 'find', ' '])).exitCode).toBe(2);
});

it('is of the company of the key alone', async () => {
  const id = await create([...payout(), '--reference', 'ours']);
  const theirs = { env: await here.otherKey('another') };
  const pending = (await svc([...debitOtp(), '--reference', 'theirs', '--jq', '.id'], theirs)).stdout.trim();
  await svc([...payout(), '--reference', 'ours'], theirs);
  expect(await find('ours')).toMatchObject([{ id }]);
  expect(await find('theirs')).toEqual([]);
  expect(await find(pending)).toEqual([]);
  expect(await find(pending, theirs)).toMatchObject([{ id: pending }]);
  expect(await find('ours', { env: await here.otherKey('default') })).toMatchObject([{ id }]);
});

it('reads nothing that is final from the service', async () => {
  await create([...payout(), '--reference', 'rent-1']);
  await find('rent-1');
  const asked: string[] = [];
  const transport = watched(here.shaky.transport, ({ url }) => asked.push(new URL(url).pathname));
  expect(await find('rent-1', { transport }, '--offline')).toHaveLength(1);
  expect(asked).toEqual([]);
  await find('rent-1', { transport });
  expect(asked.filter((path) => !path.endsWith('/events'))).toHaveLength(1);
});
