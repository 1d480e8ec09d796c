import { expect, it } from 'vitest';
import type { Transport } from '../../../../src/runtime/transport.js';
import { batchHome } from '../../../support/batch-home.js';
import { machineWith } from '../../../support/machine.js';
import { people } from '../../../support/payroll.js';
import { payout } from '../../../support/requests.js';
import type { RunOptions } from '../../../support/svc.js';
import { bodyOf } from '../given.js';

const here = batchHome(people(2), 'live');

const under = (policy: object | string): RunOptions => ({ machine: machineWith(() => policy) });
const LIMITED = under({
  version: 1,
  payouts: { allow: 'all', methods: ['mobile_payment'], currencies: { VES: { operation_max: '5000.00' } } },
});
const PERSON = {
  ...{ document: { type: 'V', number: '12345678' }, bank_code: '0102', account_number: '04121234567' },
};
const body = (members: Record<string, unknown> = {}): string => bodyOf({ beneficiary: PERSON, ...members });

async function sent(method: string, path: string, data: string, options = LIMITED) {
  let posts = 0;
  const transport: Transport = (request, how) => {
    if (request.method !== 'GET') posts += 1;
    return here.shaky.transport(request, how);
  };
  const line = ['api', method, path, ...(method === 'GET' ? [] : ['--data', data])];
  const { exitCode, error } = await here.svc(line, { ...options, transport });
  return { exitCode, posts, code: exitCode === 0 ? null : error()['code'] };
}

it('a payment within the policy leaves: what is refused below is refused for what it is', async () => {
  expect(await sent('POST', '/v2/payouts', body())).toEqual({ exitCode: 0, posts: 1, code: null });
});

it.each([
  ['POST', '/v2//payouts', body()],
  ['POST', '//v2/payouts', body()],
  ['POST', '/v2/x/../payouts', body()],
  ['POST', '/v2/payouts\\..\\payouts', body()],
  ['POST', '/v2/payouts#x', body()],
  ['POST', 'https://api.example.com/v2/payouts', body()],
  ['PUT', '/v2/payouts', body()],
  ['GETS', '/v2/other', body()],
  ['Post', '/v2/payouts?amount=1.00', body({ amount: '5000.01' })],
  ['POST', '/v2/payouts', `{"amount":"1.00",${body().slice(1)}`],
  ['POST', '/v2/payouts', `\ufeff${body()}`],
  ['POST', '/v2/payouts', body({ amount: 4 })],
  ['POST', '/v2/payouts', body({ amount: '9'.repeat(100_000) })],
  ['POST', '/v2/payouts', body({ currency: '__proto__' })],
])('%s %s never arrives (row %#)', async (method, path, data) => {
  const { exitCode, posts } = await sent(method, path, data);
  expect([2, 13, 14]).toContain(exitCode);
  expect(posts).toBe(0);
});

it.each([
  ['policy_unreadable', '{"version":1,"payouts":{"allow":"read","allow":"all"}}'],
  ['policy_newer', '{"version":2,"payouts":{"allow":"all"}}'],
])('under a policy that is %s reads pass, and nothing else', async (code, text) => {
  here.shaky.posts.splice(0);
  const refused = await here.svc([...payout(), '--json'], under(text));
  expect([refused.exitCode, here.shaky.posts, refused.error()['code']]).toEqual([13, [], code]);
  expect((await here.svc('balances --json', under(text))).exitCode).toBe(0);
});
