/** `svc payins get`: the operation as the service says it is, whatever its state; waiting and judging only where asked. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { debitOtp, ID, incomingTransfer } from '../../support/requests.js';
import { world, type World } from '../../support/svc.js';

let home: World;
beforeEach(() => {
  home = world();
});
afterEach(() => home.remove());

async function create(): Promise<string> {
  return String((await home.svc([...incomingTransfer(), '--expires-in-hours', '1'])).json()['id']);
}

it('ends with 0 for a pay-in in any state', async () => {
  const id = await create();
  expect((await home.svc(`payins get ${id}`)).json()).toMatchObject({ id, status: 'pending' });
  await home.svc('sandbox clock advance 2h');
  expect(await home.svc(`payins get ${id}`)).toMatchObject({ exitCode: 0 });
});

it('ends with 8 for a pending one and 9 for a failed one with --exit-status, and with 9 after --wait', async () => {
  const id = await create();
  for (const noun of ['payins', 'transactions']) {
    const pending = await home.svc(`${noun} get ${id} --exit-status`);
    expect([pending.exitCode, pending.json()['status']]).toEqual([8, 'pending']);
    expect(pending.error()).toMatchObject({
      ...{ code: 'still_pending', outcome: 'sent', retryable: false },
      next_command: `svc transactions get --wait ${id}`,
    });
  }
  const awaiting = String((await home.svc(debitOtp())).json()['id']);
  expect((await home.svc(`payins get ${awaiting} --exit-status`)).error()).toMatchObject({
    ...{ exit_code: 8, code: 'awaiting_code', next_command: `svc payins confirm ${awaiting}` },
  });
  await home.svc(`payins cancel ${id}`);
  expect(await home.svc(`payins get ${id} --exit-status`)).toMatchObject({ exitCode: 9 });
  expect(await home.svc(`payins get ${id} --wait`)).toMatchObject({ exitCode: 9 });
});

it('waits until the window ends, or until --wait-timeout', async () => {
  const id = await create();
  expect(await home.svc(`payins get ${id} --wait-timeout 10s`)).toMatchObject({ exitCode: 8 });
  const result = await home.svc(`payins get ${id} --wait --wait-timeout 2h`);
  expect(result).toMatchObject({ exitCode: 9 });
  expect(result.json()).toMatchObject({ failure: { code: 'expired' } });
});

it('ends with 5 for nothing, 2 for no id', async () => {
  expect(await home.svc(`payins get ${ID}`)).toMatchObject({ exitCode: 5, stdout: '' });
  expect(await home.svc('payins get')).toMatchObject({ exitCode: 2 });
});
