import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { startSandbox } from '../../../src/sandbox/testing/start-sandbox.js';
import type { TestSandbox } from '../../../src/sandbox/testing/types.js';
import { startExamServer } from '../../support/exam-server.js';
import { created, payin, payout, started } from './client.js';

let exam: Awaited<ReturnType<typeof startExamServer>>;
beforeEach(async () => {
  exam = await startExamServer();
  onTestFinished(() => exam.close());
  vi.stubEnv('SVC_CERTIFY', exam.url);
});
afterEach(() => void vi.unstubAllEnvs());

const isIn = async (at: TestSandbox, key = at.apiKey): Promise<boolean> =>
  (await at.fetch(`${at.serviceUrl}/v2/balances`, { headers: { authorization: `Bearer ${key}` } })).ok;

it('is seen by the exam, by its own fetch and over the network, and closed there', async () => {
  const one = await started({ code: '424242', settleAfterSeconds: 60 });
  const other = await started({ keys_of_refused: 'remember' });
  expect(exam.asked).toEqual([
    { code: '424242', settle_after_seconds: 60 },
    { code: '123456', settle_after_seconds: 0, keys_of_refused: 'remember' },
  ]);
  const { id } = await created(one, 'payouts', payout);
  await created(other, 'payouts', payout, { by: fetch });
  expect(exam.seen).toEqual(['POST /sandbox/v2/payouts', 'POST /sandbox/v2/payouts']);
  expect((await one.operations()).map((operation) => operation.id)).toEqual([id]);
  expect(await one.requests()).toMatchObject([{ path: '/sandbox/v2/payouts', status: 201 }]);
  expect(exam.open()).toBe(2);
  await one.close();
  expect(exam.open()).toBe(1);
  await expect(one.operations()).rejects.toThrow('This sandbox is closed.');
});

it('delivers to its receivers, and waits for them', async () => {
  const sandbox = await started();
  const receiver = await sandbox.receiver();
  const { id } = await created(sandbox, 'payins', payin('debit_otp'));
  await created(sandbox, `payins/${id}/confirm`, { code: sandbox.code });
  await sandbox.advance('0s');
  expect(receiver.events).toMatchObject([{ type: 'payin.confirmed', data: { id } }]);
  await sandbox.fault({ delivery: 'hold' });
  await created(sandbox, 'payouts', payout);
  await sandbox.advance('1m');
  expect(receiver.events).toHaveLength(1);
  await sandbox.clearFaults();
  expect(receiver.events).toHaveLength(2);
  expect((await sandbox.requests()).filter(({ path }) => path.includes('webhook'))).toEqual([]);
});

it('names what has no answer when it is closed', async () => {
  const sandbox = await started();
  await sandbox.receiver({ answer: 'slow' });
  await created(sandbox, 'payouts', payout);
  const waiting = expect(sandbox.advance('1h')).rejects.toThrow('the sandbox is closed');
  await Promise.all([waiting, sandbox.close()]);
});

it.each([false, true])('keeps its key over a reset and a state (live: %s)', async (live) => {
  const sandbox = await started({ live });
  const { apiKey } = sandbox;
  expect(apiKey).toMatch(live ? /^svc_live_sandbox_/ : /^svc_test_/);
  const empty = await sandbox.snapshot();
  await created(sandbox, 'payouts', payout);
  await sandbox.reset();
  expect([sandbox.apiKey, await isIn(sandbox), await sandbox.operations()]).toEqual([apiKey, true, []]);
  await sandbox.restore(empty);
  expect([sandbox.apiKey, await isIn(sandbox)]).toEqual([apiKey, true]);
});

it.each([false, true])('begins with a seed, whose key it has (live: %s)', async (live) => {
  const first = await started();
  const { id } = await created(first, 'payouts', payout);
  const sandbox = await started({ seed: await first.snapshot(), live });
  expect((await sandbox.operations()).map((operation) => operation.id)).toEqual([id]);
  expect(await isIn(sandbox)).toBe(true);
  if (!live) expect(sandbox.apiKey).toBe(first.apiKey);
  await expect(startSandbox({ seed: '{"now":1}' })).rejects.toThrow('The state cannot be used');
  expect(exam.open()).toBe(2);
});

it.each([
  ['http://example.com:80', 'SVC_CERTIFY must be the address of an exam on this machine'],
  ['127.0.0.1:80', 'SVC_CERTIFY must be the address'],
  ['http://127.0.0.1:1', 'No exam opens a sandbox at http://127.0.0.1:1 (SVC_CERTIFY)'],
])('opens none of its own where SVC_CERTIFY is %s', async (address, said) => {
  vi.stubEnv('SVC_CERTIFY', address);
  await expect(startSandbox()).rejects.toThrow(said);
});

it('opens one of its own without an exam', async () => {
  vi.stubEnv('SVC_CERTIFY', '');
  const sandbox = await started();
  await created(sandbox, 'payouts', payout);
  expect([exam.seen, exam.open()]).toEqual([[], 0]);
});
