import { expect, it } from 'vitest';
import { shop } from '../../support/open-request.js';
import { COLUMNS, csv, fileIn, people } from '../../support/payroll.js';

const PLACE = { '--country': 'VE', '--currency': 'VES' };
const PARTY = ['document.type=V', 'document.number=12345678', 'bank_code=0102'];

const bytesOf = (posts: readonly { readonly body: Uint8Array | null }[]) =>
  posts.map(({ body }) => String(body));

const PAYOUT: readonly (readonly [string, string])[] = [
  ['--amount', '5.00'],
  ...Object.entries(PLACE),
  ['--method', 'mobile_payment'],
  ['--reference', 'r-1'],
  ['--metadata', 'run=7'],
  ...[...PARTY, 'account_number=04121234567'].map((field) => ['--beneficiary', field] as const),
  ['--purpose', 'payroll'],
];
const PAYIN: readonly (readonly [string, string])[] = [
  ['--amount', '20.00'],
  ...Object.entries(PLACE),
  ['--method', 'incoming_transfer'],
  ['--reference', 'r-1'],
  ['--metadata', 'run=7'],
  ...PARTY.map((field) => ['--payer', field] as const),
  ['--expires-in-hours', '24'],
];

it.each([
  [
    'payouts create',
    PAYOUT,
    '{"amount":"5.00","country":"VE","currency":"VES","method":"mobile_payment","reference":"r-1","metadata":{"run":"7"},' +
      '"beneficiary":{"document":{"type":"V","number":"12345678"},"bank_code":"0102","account_number":"04121234567"},"purpose":"payroll"}',
  ],
  [
    'payins create',
    PAYIN,
    '{"amount":"20.00","country":"VE","currency":"VES","method":"incoming_transfer","reference":"r-1","metadata":{"run":"7"},' +
      '"payer":{"document":{"type":"V","number":"12345678"},"bank_code":"0102"},"expires_in_hours":24}',
  ],
] as const)(
  'the bytes of svc %s have one order, whatever order its flags have',
  async (command, flags, expected) => {
    const single = flags.filter(([name]) => !['--beneficiary', '--payer'].includes(name));
    const repeated = flags.filter((flag) => !single.includes(flag));
    for (const typed of [flags, [...repeated, ...single.toReversed()]]) {
      const { svc, service } = shop();
      await svc([...command.split(' '), ...typed.flat()]);
      expect(bytesOf(service.posts)).toEqual([expected]);
    }
  },
);

it('the bytes of a row have one order, whatever order its columns have', async () => {
  const rows = people(2);
  const bodies = [];
  for (const columns of [COLUMNS, COLUMNS.toReversed()]) {
    const { home, svc, service } = shop();
    fileIn(home.home, 'pay.csv', csv(rows, columns));
    expect((await svc(`payouts batch ${home.home}/pay.csv --concurrency 1`)).exitCode).toBe(0);
    bodies.push(bytesOf(service.posts));
  }
  expect(bodies[1]).toEqual(bodies[0]);
  expect(bodies[0]?.[0]).toBe(
    '{"amount":"100.50","country":"VE","currency":"VES","method":"mobile_payment","reference":"emp-0000","purpose":"payroll",' +
      '"beneficiary":{"account_number":"04121000000","bank_code":"0102","document":{"number":"20000000","type":"V"},"name":"Ana Pérez"}}',
  );
});
