/** Attacks on the decision over whole commands, as somebody tries them who may type any line: judged by what reached the service. */
import { describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/runtime/transport.js';
import { batchHome } from '../../support/batch-home.js';
import { machineWith } from '../../support/machine.js';
import { people } from '../../support/payroll.js';
import { payout } from '../../support/requests.js';
import type { RunOptions } from '../../support/svc.js';
import { bodyOf, OPERATION } from '../given.js';

const here = batchHome(people(2), 'live');

const under = (policy: object | string): RunOptions => ({ machine: machineWith(() => policy) });
const LIMITED = under({
  version: 1,
  payouts: { allow: 'all', methods: ['mobile_payment'], currencies: { VES: { operation_max: '5000.00' } } },
});
/** What a person may send, but for its amount. */
const PERSON = {
  ...{ document: { type: 'V', number: '12345678' }, bank_code: '0102', account_number: '04121234567' },
};
const body = (members: Record<string, unknown> = {}): string => bodyOf({ beneficiary: PERSON, ...members });

/** Types the request by hand. @returns how it ended, and how many requests arrived that are no reads */
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

describe('odd requests never arrive', () => {
  it.each([
    '/v2//payouts',
    '//v2/payouts',
    '/v2/payouts/',
    '/v2/%70ayouts',
    '/v2/%2570ayouts',
    '/v2/payouts;a=1',
    '/v2/Payouts',
    '/v2/payouts%2f',
    '/v2/payouts%00',
    '/v2/payouts%20',
    '/v2/./payouts',
    '/v2/x/../payouts',
    '/v2/payouts\\..\\payouts',
    '/v2/payouts#x',
    '/v3/payouts',
    '/v2/payouts/x/cancel',
    `/v2/payouts/${OPERATION}/confirm`,
    'https://api.example.com/v2/payouts',
    '/v2/batch',
  ])('POST %s', async (path) => {
    const { exitCode, posts } = await sent('POST', path, body());
    expect([2, 13]).toContain(exitCode);
    expect(posts).toBe(0);
  });

  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'GETS'])('%s', async (method) => {
    for (const path of ['/v2/payouts', '/v2/other']) {
      const { exitCode, posts } = await sent(method, path, body());
      expect([2, 13]).toContain(exitCode);
      expect(posts).toBe(0);
    }
  });

  it.each(['post', 'Post'])('%s is a POST, and a query changes nothing', async (method) => {
    const over = body({ amount: '5000.01' });
    for (const path of ['/v2/payouts', '/v2/payouts?x=1', '/v2/payouts?amount=1.00'])
      expect(await sent(method, path, over)).toEqual({ exitCode: 13, posts: 0, code: 'policy_refused' });
  });
});

const members = body().slice(1);
it.each([
  ['an amount twice', `{"amount":"1.00",${members}`],
  ['an amount twice, the large one last', `${body().slice(0, -1)},"amount":"9000.00"}`],
  ['an amount twice, by an escape', `{"\\u0061mount":"9000.00",${members}`],
  ['an amount in capitals', `{"AMOUNT":"9000.00",${members}`],
  ['an amount in full width', `{"\uff41mount":"9000.00",${members}`],
  ['a beneficiary with a name twice', `{"metadata":{"a":1,"a":2},${members}`],
  ['a byte order mark', `\ufeff${body()}`],
  ['something behind it', `${body()}{}`],
  ['a list', `[${body()}]`],
  ['a number', body({ amount: 4 })],
  ['1e3', body({ amount: '1e3' })],
  ['a sign', body({ amount: '-5.00' })],
  ['a plus', body({ amount: '+5.00' })],
  ['nothing', body({ amount: '0.00' })],
  ['a comma', body({ amount: '1,00' })],
  ['digits in full width', body({ amount: '\uff11\uff10' })],
  ['digits of another script', body({ amount: '\u0661\u0660' })],
  ['zeros in front', body({ amount: '0007.00' })],
  ['a space', body({ amount: ' 7.00' })],
  ['an end of line', body({ amount: '7.00\n' })],
  ['a list of amounts', body({ amount: ['7.00'] })],
  ['no amount', body({ amount: undefined })],
  ['small letters', body({ currency: 'ves' })],
  ['a currency that is not named', body({ currency: 'USD' })],
  ['__proto__', body({ currency: '__proto__' })],
  ['constructor', body({ currency: 'constructor' })],
  ['no currency', body({ currency: undefined })],
  ['another method', body({ method: 'bank_transfer' })],
  ['a method that is a list', body({ method: ['mobile_payment'] })],
  ['no method', body({ method: undefined })],
  ['over the limit by a thousandth', body({ amount: '5000.001' })],
  ['over the limit', body({ amount: '999999999999999.99' })],
  ['as many digits as nobody counts', body({ amount: '9'.repeat(100_000) })],
  ['a body of a space', '{ }'],
])('bodies that read in two ways, or as no amount, never arrive %s', async (_what, data) => {
  const { exitCode, posts } = await sent('POST', '/v2/payouts', data);
  expect([2, 13, 14]).toContain(exitCode);
  expect(posts).toBe(0);
});

const ALL = '{"version":1,"payouts":{"allow":"all"}}';
it.each<[string, string]>([
  ['empty', ''],
  ['a space', ' '],
  ['a byte order mark', `\ufeff${ALL}`],
  ['null', 'null'],
  ['a list', '[]'],
  ['a text', '"all"'],
  ['cut', ALL.slice(0, -1)],
  ['two documents', ALL + ALL],
  ['a comment', `// ours\n${ALL}`],
  ['a comma too many', ALL.replace('}}', ',}}')],
  ['a member twice', '{"version":1,"payouts":{"allow":"read","allow":"all"}}'],
  ['a section twice', '{"version":1,"payouts":{"allow":"read"},"payouts":{"allow":"all"}}'],
  ['a member twice, by an escape', '{"version":1,"payouts":{"allow":"read","\\u0061llow":"all"}}'],
  ['a slip of the pen at the top', '{"version":1,"payout":{"allow":"all"}}'],
  [
    'a slip of the pen below',
    '{"version":1,"payouts":{"allow":"all","currencies":{"VES":{"operations_max":"5.00"}}}}',
  ],
  ['a word that is none', '{"version":1,"payouts":{"allow":"All"}}'],
  ['no version', '{"payouts":{"allow":"all"}}'],
  ['an older version', '{"version":0,"payouts":{"allow":"all"}}'],
  ['a newer version', '{"version":2,"payouts":{"allow":"all"}}'],
  ['a version of any kind', '{"version":"1","payouts":{"allow":"all"}}'],
  [
    'a limit that is a number',
    '{"version":1,"payouts":{"allow":"all","currencies":{"VES":{"operation_max":5}}}}',
  ],
  ['a limit that is null', '{"version":1,"payouts":{"allow":"all","currencies":null}}'],
  ['__proto__', '{"version":1,"__proto__":{"payouts":{"allow":"all"}}}'],
  ['more than 256 KiB', ALL + ' '.repeat(256 * 1024)],
  ['deep', `{"version":1,"contact":${'['.repeat(5000)}${']'.repeat(5000)}}`],
])('a policy that nobody can read lets reads pass, and nothing else %s', async (_what, text) => {
  here.shaky.posts.splice(0);
  const refused = await here.svc([...payout(), '--json'], under(text));
  expect([refused.exitCode, here.shaky.posts]).toEqual([13, []]);
  expect(['policy_unreadable', 'policy_newer']).toContain(refused.error()['code']);
  expect((await here.svc('balances --json', under(text))).exitCode).toBe(0);
});
