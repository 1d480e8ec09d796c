import { expect, it } from 'vitest';
import { fresh } from '../support/fresh.js';
import { world, type RunOptions } from '../support/svc.js';

const here = fresh(world);

const CREATE =
  'payins create --method incoming_transfer --country VE --currency VES --amount 10.00 --payer document.type=V ' +
  '--payer document.number=12345678 --payer bank_code=0102 --wait --wait-timeout 5s';

async function standardError(options: RunOptions, more = ''): Promise<string> {
  const { stderr, exitCode } = await here.svc(CREATE + more, options);
  expect(exitCode).toBe(8);
  return stderr.replaceAll('\r\u001b[K', '|');
}

it('is renewed with each read, and gone before anything else is said', async () => {
  const stderr = await standardError({ tty: { stderr: true } });
  expect(stderr).toMatch(/\|Waiting, 1 s: pending \(awaiting_payment\)\|Waiting, [23] s/);
  const last = stderr.slice(stderr.lastIndexOf('Waiting'));
  expect(last).toMatch(/^Waiting, \d s: pending \(awaiting_payment\)\|/);
});

it('fits the terminal', async () => {
  const stderr = await standardError({ tty: { stderr: true }, columns: 20 });
  expect(stderr).toContain('|Waiting, 1 s: pendi|');
});

it.each([
  ['no terminal', {}, ''],
  ['--quiet', { tty: { stderr: true } }, ' --quiet'],
  ['TERM=dumb', { tty: { stderr: true }, env: { TERM: 'dumb' } }, ''],
] as const)('is not shown with %s', async (_name, options, more) => {
  expect(await standardError(options, more)).not.toContain('Waiting');
});
