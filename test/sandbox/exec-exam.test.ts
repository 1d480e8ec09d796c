import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startExamServer } from '../support/exam-server.js';
import { shell } from '../support/program.js';
import { payout } from '../support/requests.js';
import { testFolder } from '../support/test-folder.js';

let home: string;
let exam: Awaited<ReturnType<typeof startExamServer>>;
beforeEach(async () => {
  home = testFolder();
  exam = await startExamServer();
});
afterEach(() => exam.close());

const PAY = `svc ${payout().join(' ')} --reference order-1 --idempotency-key key-of-order-1 --json`;

it('is seen by the exam, which closes its sandbox when the command has ended', async () => {
  const line = `svc sandbox exec --code 424242 --settle-after 7 --keys-of-refused remember -- bash -c '${PAY}; env | grep ^SVC_ | sort'`;
  const { code, stdout } = await shell(`SVC_CERTIFY=${exam.url} ${line}`, home);
  expect(code).toBe(0);
  expect(stdout.split('\n')[0]).toContain('"status":"pending"');
  expect(exam.asked).toEqual([{ code: '424242', settle_after_seconds: 7, keys_of_refused: 'remember' }]);
  expect(exam.seen).toContain('POST /sandbox/v2/payouts');
  expect(stdout).toContain(`SVC_CERTIFY=${exam.url}\n`);
  expect(stdout).toMatch(/SVC_HOME=\/.*\/svc-beside-/);
  expect(exam.open()).toBe(0);
});

it.each(['', '--live'])('begins with a seed there, with its key or a live one: %s', async (flag) => {
  const state = await shell(`svc sandbox exec -- bash -c '${PAY} >&2; curl -s $SVC_CONTROL_URL/state'`, home);
  writeFileSync(join(home, 'state.json'), state.stdout);
  const told = 'curl -s $SVC_CONTROL_URL/status; svc balances --json; echo $SVC_API_KEY';
  const line = `svc sandbox exec --seed state.json ${flag} -- bash -c '${told}'`;
  const { code, stdout } = await shell(`cd ${home}; SVC_CERTIFY=${exam.url} ${line}`, home);
  expect([code, stdout]).toEqual([0, expect.stringContaining('"operations":1')]);
  const { api_key: key } = JSON.parse(state.stdout) as { api_key: string };
  expect(stdout.trim().split('\n').at(-1)).toMatch(flag === '' ? key : /^svc_live_sandbox_/);
  expect(exam.seen.filter((one) => one.endsWith('/v2/balances'))).toHaveLength(1);
  expect(exam.open()).toBe(0);
});

it.each([
  ['http://example.com:80', 2, 'SVC_CERTIFY must be the address of an exam on this machine'],
  ['http://127.0.0.1:1', 11, 'No exam opens a sandbox at http://127.0.0.1:1'],
])('runs nothing where SVC_CERTIFY is %s', async (address, exit, said) => {
  const { code, stdout, stderr } = await shell(`SVC_CERTIFY=${address} svc sandbox exec -- echo ran`, home);
  expect([code, stdout]).toEqual([exit, '']);
  expect(stderr).toContain(said);
});
