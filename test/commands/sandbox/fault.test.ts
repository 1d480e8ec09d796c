/** `svc sandbox fault`: each flag makes the next request of its route end as it says. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { payout } from '../../support/requests.js';
import { world, type Result, type World } from '../../support/svc.js';

let home: World;
beforeEach(() => {
  home = world();
});
afterEach(() => home.remove());

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

it('--status --count refuses that many requests of the route, and no other', async () => {
  expect((await arm('--route balances --status 503 --count 3')).json()).toEqual({ armed: 3 });
  expect(await home.svc('methods')).toMatchObject({ exitCode: 0 });
  expect(await home.svc('balances')).toMatchObject({ exitCode: 10 });
  expect(await home.svc('balances')).toMatchObject({ exitCode: 0 });
});

it('--status --after carries the request out all the same', async () => {
  await arm('--route payouts.create --status 502 --after --count 3');
  expect(await home.svc(payout())).toMatchObject({ exitCode: 12 });
  expect((await home.svc('events list')).json()).toMatchObject({ events: [{ type: 'payout.confirmed' }] });
});

it.each(['truncated', 'silent'])('--%s carries the request out, and no whole answer comes', async (kind) => {
  await arm(`--route payouts.create --${kind} --count 3`);
  expect((await home.svc('sandbox fault --list')).json()).toMatchObject({ faults: [{ kind }] });
  expect(await home.svc(`${payout().join(' ')} --timeout 1s`)).toMatchObject({ exitCode: 12 });
  expect((await home.svc('events list')).json()).toMatchObject({ events: [{ type: 'payout.confirmed' }] });
});

it('--pending keeps the operation pending until it is settled, whatever time it is', async () => {
  await arm('--route payouts.create --pending');
  const { id } = (await home.svc(payout())).json() as { id: string };
  await home.svc('sandbox clock advance 48h');
  expect((await home.svc(`payouts get ${id}`)).json()).toMatchObject({ pending_reason: 'processing' });
  expect(await home.svc(`sandbox operations ${id} --settle confirmed`)).toMatchObject({ exitCode: 0 });
  expect((await home.svc(`payouts get ${id}`)).json()).toMatchObject({ status: 'confirmed' });
});

it.each([
  ['counterparty_rejected/account_closed', { code: 'counterparty_rejected', reason: 'account_closed' }],
  ['payer_insufficient_funds', { code: 'payer_insufficient_funds', reason: 'payer_insufficient_funds' }],
])('--failure %s fails the operation', async (failure, expected) => {
  await arm(`--route payouts.create --failure ${failure}`);
  const result = await home.svc(payout());
  expect(result).toMatchObject({ exitCode: 9 });
  expect(result.json()).toMatchObject({ status: 'failed', failure: expected });
});

it('--delay holds the answer back beyond a limit', async () => {
  await arm('--route payouts.create --delay 5m --count 3');
  expect(await home.svc(`${payout().join(' ')} --timeout 1s`)).toMatchObject({ exitCode: 12 });
});

it('what only the sandbox can judge is 6', async () => {
  expect(await home.svc('sandbox fault --route balances --status 200')).toMatchObject({ exitCode: 6 });
  const failure = await home.svc('sandbox fault --route payouts.create --failure rejected/account_closed');
  expect(failure.error()).toMatchObject({
    exit_code: 6,
    details: [{ field: 'failure.reason', code: 'invalid' }],
  });
});

it('--retry-after asks to come back after that long, where --status is given; a route goes by its path too', async () => {
  const line = 'sandbox fault --route webhookEndpoints.create --status 429 --retry-after 2m';
  expect((await home.svc(line)).json()).toEqual({ armed: 1 });
  const register = 'api POST /v2/webhook-endpoints -f url=https://example.com/hook --debug';
  const { stderr } = await home.svc(register);
  expect(stderr).toMatch(/< Retry-After: 120\n/i);
  expect(await home.svc('sandbox fault --route balances --kind garbage --retry-after 2m')).toMatchObject({
    exitCode: 6,
  });
});

it('--clear disarms everything', async () => {
  await arm('--route balances --status 503 --count 3');
  await arm('--route * --kind garbage');
  expect((await arm('--clear')).json()).toEqual({ cleared: 2 });
  expect(await home.svc('balances')).toMatchObject({ exitCode: 0 });
});

it('--skip and --match name the request, and --list shows what is armed', async () => {
  await arm('--route balances --status 503 --skip 1 --count 3');
  await arm('--route payouts.create --kind drop-before --match order-7 --count 3');
  await arm('--delivery hold --for 24h --count 2');
  expect((await home.svc('sandbox fault --list')).json()).toMatchObject({
    faults: [
      { route: 'balances', kind: 'status', status: 503, skip: 1, remaining: 3 },
      { route: 'payouts.create', kind: 'drop-before', match: 'order-7', remaining: 3 },
      { delivery: 'hold', remaining: 2 },
    ],
  });
  const table = (await home.svc('sandbox fault --list -o table', { env: { NO_COLOR: '1' } })).stdout;
  expect(table).toMatch(/balances +status 503/);
  expect(table).toMatch(/deliveries +hold/);
  expect([await home.svc('balances'), await home.svc('balances')]).toMatchObject([
    { exitCode: 0 },
    { exitCode: 10 },
  ]);
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
  ['--list --silent', '--list alone'],
  ['--clear --route balances', '--clear alone'],
  ['--clear --kind garbage', '--clear alone'],
  ['--clear --status 503', '--clear alone'],
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
