import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eachWorld, type Result } from '../support/svc.js';

const home = eachWorld();

async function arm(flags: string): Promise<Result> {
  const result = await home.svc(`sandbox fault ${flags}`);
  expect(result.exitCode, result.stderr).toBe(0);
  return result;
}

it('says so where the profile in use talks to another sandbox, which it never reaches', async () => {
  expect((await arm('--route balances --status 503')).stderr).not.toContain('another one');
  await home.svc('profiles add night --base-url http://127.0.0.1:4010');
  const armed = await arm('--route balances --status 503');
  expect(armed.stderr).toBe(
    `This changed the sandbox in ${home.home}/.local/share/svc/sandbox.db. Profile night uses another one: ` +
      'for that, add --base-url http://127.0.0.1:4010\n',
  );
  expect((await arm('--route balances --status 503 --quiet')).stderr).toBe('');
});

it('is done and answered also where the settings are damaged', async () => {
  await home.svc('profiles add night --base-url http://127.0.0.1:4010');
  writeFileSync(join(home.home, '.config/svc/config.json'), '{');
  const armed = await arm('--route balances --status 503');
  expect([armed.json(), armed.stderr]).toEqual([{ armed: 1 }, '']);
});

it('what only the sandbox can judge is 6', async () => {
  for (const flags of ['--status 200', '--kind garbage --retry-after 2m'])
    expect(await home.svc(`sandbox fault --route balances ${flags}`)).toMatchObject({ exitCode: 6 });
  const failure = await home.svc('sandbox fault --route payouts.create --failure rejected/account_closed');
  const details = [{ field: 'failure.reason', code: 'invalid' }];
  expect(failure.error()).toMatchObject({ exit_code: 6, details });
});

it('--clear disarms everything', async () => {
  await arm('--route balances --status 503 --count 3');
  await arm('--route * --kind garbage');
  expect((await arm('--clear')).json()).toEqual({ cleared: 2 });
  expect(await home.svc('balances')).toMatchObject({ exitCode: 0 });
});

it.each([
  ['payouts.create --status 502 --after', { kind: 'status', status: 502, after: true, remaining: 1 }],
  ['payouts.create --truncated', { kind: 'truncated', remaining: 1 }],
  ['payouts.create --silent', { kind: 'silent' }],
  ['payouts.create --pending', { kind: 'outcome', pending: true }],
  ['payouts.create --failure rejected/other', { failure: { code: 'rejected', reason: 'other' } }],
  ['payouts.create --failure expired', { kind: 'outcome', failure: { code: 'expired', reason: 'expired' } }],
  ['payouts.create --delay 5m', { kind: 'delay', delay_ms: 300_000 }],
  ['webhookEndpoints.create --status 429 --retry-after 2m', { route: 'webhooks.register', retry_after: 120 }],
  ['payouts.create --kind drop-before --match order-7', { kind: 'drop-before', match: 'order-7' }],
])('--route %s arms what it says', async (flags, fault) => {
  await arm(`--route ${flags}`);
  expect((await home.svc('sandbox fault --list')).json()).toMatchObject({ faults: [fault] });
});

it('meets the requests that it names, and --list shows what is armed', async () => {
  expect((await arm('--route balances --status 503 --skip 1 --count 3')).json()).toEqual({ armed: 3 });
  await arm('--delivery hold --for 24h --count 2');
  expect((await home.svc('sandbox fault --list')).json()).toMatchObject({
    faults: [
      { route: 'balances', kind: 'status', status: 503, skip: 1, remaining: 3 },
      { delivery: 'hold', remaining: 2, until: '2026-09-24T15:00:00Z' },
    ],
  });
  const table = (await home.svc('sandbox fault --list -o table', { env: { NO_COLOR: '1' } })).stdout;
  expect(table).toMatch(/balances +status 503/);
  expect(table).toMatch(/deliveries +hold/);
  expect(await home.svc('methods')).toMatchObject({ exitCode: 0 });
  for (const exitCode of [0, 10, 0]) expect(await home.svc('balances')).toMatchObject({ exitCode });
});

it.each([
  ['--delivery twice', '--delivery'],
  ['--delivery hold --route balances', '--route is for requests and cannot go with --delivery'],
  ['--delivery hold --skip 1', '--skip is for requests'],
  ['--delivery hold --for soon', '--for must be a duration'],
  ['--route balances --status 503 --for 30s', '--for needs --delivery'],
  ['--list --clear', 'alone'],
  ['--list --route balances', '--list alone'],
  ['--clear --delivery hold', '--clear alone'],
  ['--route balances --truncated --silent', 'Give --truncated or --silent, not both'],
  ['--route balances --kind garbage --silent', 'Give --kind or --silent, not both'],
  ['--route balances --after --silent', '--after needs --status'],
  ['--delivery hold --pending', '--pending is for requests and cannot go with --delivery'],
  ['', ''],
  ['--route balances', ''],
  ['--status 503', ''],
  ['--route nothing --status 503', ''],
  ['--route balances --kind nothing', ''],
  ['--route balances --status 5x3', ''],
  ['--route balances --status 503 --count many', ''],
  ['--route balances --delay soon', ''],
  ['--route payouts.create --failure a/b/c', ''],
])('%s is refused before anything is armed', async (flags, said) => {
  const refused = await home.svc(`sandbox fault ${flags}`);
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toContain(said);
  expect((await home.svc('sandbox fault --list')).json()).toEqual({ faults: [] });
});
