/** `svc payins cancel`: a waiting incoming pay-in ends; anything else is a conflict. */
import { expect, it } from 'vitest';
import { debitOtp, ID, incomingTransfer } from '../../support/requests.js';
import { eachWorld } from '../../support/svc.js';

const home = eachWorld();

it('cancels once: a cancel that was carried out is no failure', async () => {
  const id = String((await home.svc(incomingTransfer())).json()['id']);
  const result = await home.svc(`payin cancel ${id}`);
  expect(result).toMatchObject({ exitCode: 0 });
  expect(result.json()).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
  expect(await home.svc(`payins cancel ${id}`)).toMatchObject({ exitCode: 7, stdout: '' });
});

it('says where to look after a conflict', async () => {
  const id = String((await home.svc(debitOtp())).json()['id']);
  const result = await home.svc(`payins cancel ${id}`);
  expect(result).toMatchObject({ exitCode: 7 });
  expect(result.error()).toMatchObject({ code: 'not_cancellable', next_command: `svc payins get ${id}` });
});

it('ends with 5 for nothing', async () => {
  expect(await home.svc(`payins cancel ${ID}`)).toMatchObject({ exitCode: 5 });
});
