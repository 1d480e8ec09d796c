import { expect, it } from 'vitest';
import { CAPABILITIES } from '../../../src/sandbox/catalog/catalog.js';
import { fresh } from '../../support/fresh.js';
import { fileIn } from '../../support/payroll.js';
import { world } from '../../support/svc.js';

const home = fresh(world);

const entries = CAPABILITIES.countries.flatMap(({ payin_methods: payins, payout_methods: payouts }) => [
  ...payins.map((entry) => ['payins', entry] as const),
  ...payouts.map((entry) => ['payouts', entry] as const),
]);
const sendable = entries.filter(
  ([, { code, availability }]) => code !== 'debit_otp' && availability !== 'disabled',
);

it.each(sendable)('of %s, %o, plans without a problem', async (noun, { code, country, currency }) => {
  const words = ['--template', '--method', code, '--country', country, '--currency', currency];
  const template = await home.svc([noun, 'batch', ...words]);
  expect(template.exitCode, template.stderr).toBe(0);
  expect(template.stdout.split('\n')).toHaveLength(3);
  const path = fileIn(home.home, 'template.csv', template.stdout);
  const planned = await home.svc([noun, 'batch', path, '--dry-run']);
  expect(planned.json(), planned.stderr).toMatchObject({ rows: 1, dry_run: true });
  expect(planned.stderr).not.toContain('is read as');
});

it('takes the first method where none is said, and knows no other direction', async () => {
  const first = await home.svc('payouts batch --template');
  expect(first.stdout).toMatch(/^reference,amount,country,currency,method,purpose,beneficiary\./);
  for (const line of [
    ...['payouts batch --template --method direct_debit', 'payouts batch --template --country XX'],
    ...['payouts batch --template pay.csv', 'payouts batch', 'payins batch'],
  ])
    expect((await home.svc(line)).error(), line).toMatchObject({ exit_code: 2, outcome: 'not_sent' });
  expect((await home.svc('payins batch --template --method debit_otp')).error()['message']).toBe(
    '--method cannot be "debit_otp": use direct_debit, incoming_mobile_payment or incoming_transfer. Nothing was sent.',
  );
});
