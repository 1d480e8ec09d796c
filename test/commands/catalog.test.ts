import { expect, it } from 'vitest';
import type { Transport } from '../../src/runtime/transport.js';
import { ok, refused } from '../support/feed-line.js';
import { payout } from '../support/requests.js';
import { eachWorld } from '../support/svc.js';

const home = eachWorld();

async function listed<Each>(line: string): Promise<Each[]> {
  const result = await home.svc(line);
  expect(result.exitCode, result.stderr).toBe(0);
  return Object.values(result.json())[0] as Each[];
}

it('shows every country with its currencies and methods', async () => {
  const result = await home.svc('capability');
  expect(result.json()).toMatchObject({ config_version: expect.any(Number) as number });
  const countries = await home.svc(['capabilities', '--jq', '.countries[].currencies[].code']);
  expect(countries.stdout.split('\n')).toEqual(expect.arrayContaining(['VES', 'CLP', 'KWD']));
});

it('lists all methods, or fewer', async () => {
  const all = await listed<{ country: string; direction: string }>('methods');
  expect(new Set(all.map(({ country }) => country)).size).toBeGreaterThan(1);
  const here = all.filter(({ country }) => country === 'VE');
  for (const typed of ['VE', 've']) expect(await listed(`methods --country ${typed}`)).toEqual(here);
  const payouts = all.filter(({ direction }) => direction === 'payout');
  expect(await listed('methods --direction payout')).toEqual(payouts);
});

it('lists the banks of a country, all or those of a method', async () => {
  const all = await listed<{ methods: string[] }>('banks --country VE');
  const some = await listed('bank --country VE --method debit_otp');
  expect(some).toEqual(all.filter(({ methods }) => methods.includes('debit_otp')));
  expect(some.length).toBeLessThan(all.length);
});

it('takes the country of the profile for banks, and else asks for one', async () => {
  expect(await home.svc('banks')).toMatchObject({ exitCode: 2 });
  const add = 'profiles add shop --base-url http://localhost:4010 --country CL --key-stdin';
  await home.svc(add, { stdin: 'svc_test_0123456789' });
  const asked: string[] = [];
  const transport: Transport = ({ url }) => {
    asked.push(url);
    return Promise.resolve(ok('{"banks":[]}'));
  };
  expect(await home.svc('banks', { transport })).toMatchObject({ exitCode: 0 });
  expect(asked[0]).toBe('http://localhost:4010/sandbox/v2/banks?country=CL');
});

it.each(['VEN', 'V', '12', '', 'V\u00c9'])(
  'refuses the country %j itself, as a create does',
  async (country) => {
    for (const noun of ['methods', 'banks']) {
      const result = await home.svc([noun, '--country', country, '--json']);
      expect([noun, result.exitCode, result.stdout]).toEqual([noun, 2, '']);
      const details = [{ field: 'country', code: 'invalid' }];
      expect(result.error()).toMatchObject({ code: 'field_invalid', outcome: 'not_sent', details });
    }
  },
);

it.each([
  ['methods --direction sideways', 2],
  ['methods --country XX', 6],
  ['banks --country XX', 6],
  ['banks --country VE --method cash', 6],
])('%s ends with %i: the service refuses what it does not know', async (line, exitCode) => {
  expect(await home.svc(line)).toMatchObject({ exitCode, stdout: '' });
});

it('shows the balance of every currency with its own decimals', async () => {
  await home.svc(payout('12345678', '1234.56'));
  expect(await listed('balance')).toEqual(
    expect.arrayContaining([
      { currency: 'VES', available: '-1234.56', reserved: '0.00' },
      { currency: 'CLP', available: '0', reserved: '0' },
      { currency: 'KWD', available: '0.000', reserved: '0.000' },
    ]),
  );
});

it('says which scope is missing', async () => {
  const transport = () => Promise.resolve(refused(403, 'scope_missing'));
  const env = { SVC_BASE_URL: 'http://localhost:4010', SVC_API_KEY: 'svc_test_0123456789' };
  const message = expect.stringContaining('saldos:leer') as string;
  expect((await home.svc('balances', { env, transport })).error()).toMatchObject({ exit_code: 4, message });
});
