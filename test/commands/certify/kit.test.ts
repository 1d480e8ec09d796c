/** The kit and `svc sandbox exec` in one run of an exam: what they do is seen, and the log of the sandbox names the fault of a request. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runOnce, type RunPlan } from '../../../src/commands/certify/run.js';
import type { SeenRun } from '../../../src/certify/seen.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../../../src/runtime/temporary-folder.js';
import { ROOT } from '../../house/source.js';
import { PROGRAM } from '../../support/program.js';
import { world, type World } from '../../support/svc.js';

let home: World;
let folder: TemporaryFolder;
beforeEach(() => {
  home = world();
  folder = makeTemporaryFolder('svc-kit-test-', home.ports.random);
});
afterEach(() => {
  folder.remove();
  home.remove();
});

const PLAN: RunPlan = {
  ...{ caseId: null, fault: null, aim: () => null, isRerun: false },
  ...{ writesMax: Infinity, limitMs: 30_000 },
};

function run(command: readonly string[], plan: Partial<RunPlan> = {}): Promise<SeenRun> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home.home };
  const ports = { ...home.ports, clock: systemClock, env };
  return runOnce({ ports, command, before: null, folder, salt: 'salt' }, { ...PLAN, ...plan });
}

const PAY = `
const payout = { amount: '20.00', country: 'VE', currency: 'VES', method: 'mobile_payment',
  beneficiary: { document: { type: 'V', number: '12345678' }, bank_code: '0105', account_number: '04149876543' } };
const pay = (by, url, token, key) => by(url + '/v2/payouts', { method: 'POST', body: JSON.stringify(payout),
  headers: { authorization: 'Bearer ' + token, 'idempotency-key': key } });
`;
const node = (script: string): string[] => [process.execPath, '--input-type=module', '-e', PAY + script];

it('sees what a test does in sandboxes of the kit, each in a scope of its own until its reset', async () => {
  const { requests, operations, deliveries, exitCode, output } = await run(
    node(`
      const { startSandbox } = await import('${join(ROOT, 'dist/testing.js')}');
      const [one, other] = [await startSandbox(), await startSandbox({ live: true })];
      const receiver = await one.receiver();
      await pay(one.fetch, one.serviceUrl, one.apiKey, 'payout-1');
      await receiver.next('payout.confirmed');
      await one.reset();
      await pay(fetch, one.serviceUrl, one.apiKey, 'payout-1');
      await pay(fetch, other.serviceUrl, other.apiKey, 'payout-1');
      await other.close();
    `),
  );
  expect([exitCode, output]).toEqual([0, '']);
  const payouts = requests.filter(({ route }) => route === 'payouts.create');
  expect(payouts.map(({ told }) => told)).toMatchObject([{ status: 201 }, { status: 201 }, { status: 201 }]);
  expect(new Set(payouts.map(({ scope }) => scope)).size).toBe(3);
  expect(operations).toHaveLength(3);
  expect(deliveries).toMatchObject([{ type: 'payout.confirmed', answers: [200] }]);
});

it('sees what svc does beside svc sandbox exec', async () => {
  const create =
    `'${PROGRAM}' payouts create --method mobile_payment --country VE --currency VES --amount 10.00 ` +
    '--beneficiary document.type=V --beneficiary document.number=12345678 --beneficiary bank_code=0102 ' +
    '--beneficiary account_number=04121234567';
  const exec = [process.execPath, PROGRAM, 'sandbox', 'exec', '--', 'sh', '-c'];
  const { requests, exitCode } = await run([...exec, `'${process.execPath}' ${create} > /dev/null`]);
  expect(exitCode).toBe(0);
  expect(requests.filter(({ method }) => method === 'POST')).toMatchObject([
    { route: 'payouts.create', told: { kind: 'answer', status: 201 } },
  ]);
});

it('names the fault of a request in the log of the sandbox, also of one that nobody carried out', async () => {
  const spoiled = { first: null, holdMs: 0, instead: { kind: 'cut' } } as const;
  const { output } = await run(
    node(`
      const { SVC_SANDBOX_URL, SVC_API_KEY, SVC_CONTROL_URL } = process.env;
      for (const key of ['payout-1', 'payout-2', 'payout-3'])
        await pay(fetch, SVC_SANDBOX_URL, SVC_API_KEY, key).catch(() => undefined);
      const { requests } = await (await fetch(SVC_CONTROL_URL + '/requests')).json();
      console.log(JSON.stringify(requests.map(({ fault, status }) => [fault, status])));
    `),
    {
      aim: (before) =>
        [
          { ...spoiled, name: 'lost-before', isCarriedOut: false },
          { ...spoiled, name: 'lost-after', isCarriedOut: true },
        ][before.length] ?? null,
    },
  );
  expect(JSON.parse(output)).toEqual([
    ['lost-before', null],
    ['lost-after', null],
    [null, 201],
  ]);
});
