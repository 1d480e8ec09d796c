import { expect, it } from 'vitest';
import { debitOtp, incomingTransfer, payout } from '../../support/requests.js';
import { eachWorld } from '../../support/svc.js';

const home = eachWorld();

async function create(): Promise<string> {
  return String((await home.svc([...incomingTransfer(), '--expires-in-hours', '1'])).json()['id']);
}

it('ends with 0 for a pay-in in any state', async () => {
  const id = await create();
  expect((await home.svc(`payins get ${id}`)).json()).toMatchObject({ id, status: 'pending' });
  await home.svc('sandbox clock advance 2h');
  expect(await home.svc(`payins get ${id}`)).toMatchObject({ exitCode: 0 });
});

it('ends with 8 for a pending one with --exit-status', async () => {
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
});

it('ends with 9 for a failed one only with --exit-status, --wait or --wait-timeout, whatever it is', async () => {
  const id = await create();
  await home.svc(`payins cancel ${id}`);
  const out = String((await home.svc(payout('00000001'))).json()['id']);
  const lines = [
    `payins get ${id}`,
    `transaction get ${id}`,
    `transactions get ${out}`,
    `payouts get ${out}`,
  ];
  for (const line of lines) {
    expect(await home.svc(line)).toMatchObject({ exitCode: 0 });
    for (const flags of ['--exit-status', '--wait', '--wait-timeout 1s'])
      expect(await home.svc(`${line} ${flags}`)).toMatchObject({ exitCode: 9 });
  }
});

it('waits until the window ends, or until --wait-timeout', async () => {
  const id = await create();
  expect(await home.svc(`payins get ${id} --wait-timeout 10s`)).toMatchObject({ exitCode: 8 });
  const result = await home.svc(`payins get ${id} --wait --wait-timeout 2h`);
  expect(result).toMatchObject({ exitCode: 9 });
  expect(result.json()).toMatchObject({ failure: { code: 'expired' } });
});
