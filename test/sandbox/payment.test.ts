import { expect, it } from 'vitest';
import { debitOtp, ID, incomingMobile, incomingTransfer } from '../support/requests.js';
import { eachWorld } from '../support/svc.js';

const home = eachWorld();

const TRANSFER =
  'sandbox payment --method incoming_transfer --currency VES --amount 30.00 --bank-code 0102 ' +
  '--document-type V --document-number 12345678';

it('--for pays what a pay-in waits for; what is said with it differs from that', async () => {
  const id = String((await home.svc(incomingMobile())).json()['id']);
  for (const other of ['--amount 40.01', '--phone 04129999999', '--bank-code 0105', '--document-number 1']) {
    const type = other.includes('document') ? ' --document-type V' : '';
    const missed = await home.svc(`sandbox payment --for ${id} ${other}${type}`);
    expect(missed.exitCode, missed.stderr).toBe(0);
    expect(missed.json()).toEqual({ attributed_to: null });
  }
  expect((await home.svc(`sandbox payment --for ${id}`)).json()).toEqual({ attributed_to: id });
  expect((await home.svc(`payins get ${id}`)).json()).toMatchObject({ status: 'confirmed' });
});

it('takes a shortened id as the lists print it, and says where no pay-in waits', async () => {
  const id = String((await home.svc(incomingMobile())).json()['id']);
  const missed = await home.svc(`sandbox payment --for ${id.slice(0, 8)} --amount 40.01`);
  expect(missed.stderr).toContain('No pay-in waits for this payment');
  const met = await home.svc(`sandbox payment --for ${id.slice(0, 8).toUpperCase()}`);
  expect([met.json(), met.stderr]).toEqual([{ attributed_to: id }, `Pay-in ${id} is confirmed.\n`]);
  const quiet = await home.svc(`sandbox payment --for ${id} --quiet`);
  expect([quiet.json(), quiet.stderr]).toEqual([{ attributed_to: null }, '']);
  expect(await home.svc('sandbox payment --for 12345')).toMatchObject({ exitCode: 2, stdout: '' });
});

it('says which pay-in got the money, where that is another one, and how both are then', async () => {
  const older = String((await home.svc([...incomingTransfer(), '--reference', 'rent 1'])).json()['id']);
  const id = String((await home.svc(incomingTransfer())).json()['id']);
  const paid = await home.svc(`sandbox payment --for ${id.slice(0, 8)}`);
  expect(paid.json()).toEqual({ attributed_to: older });
  expect(paid.stderr).toContain(
    'The money went to another pay-in that waited for the same payment: ' +
      `${older} (reference "rent 1") is confirmed. ${id} is pending.`,
  );
  const next = await home.svc(`sandbox payment --for ${older}`);
  expect(next.json()).toEqual({ attributed_to: id });
  expect(next.stderr).toContain(`${id} is confirmed. ${older} (reference "rent 1") is confirmed.`);
});

it('is described in full: every word counts', async () => {
  const id = String((await home.svc(incomingTransfer())).json()['id']);
  for (const [from, to] of Object.entries({
    ...{ '30.00': '30.01', incoming_transfer: 'incoming_mobile_payment', VES: 'USD', '0102': '0105' },
    ...{ '12345678': '87654321', 'document-type V': 'document-type E' },
  }))
    expect((await home.svc(TRANSFER.replace(from, to))).json()).toEqual({ attributed_to: null });
  expect((await home.svc(TRANSFER.replace('30.00', '30'))).json()).toEqual({ attributed_to: id });
});

it('is refused where it could be anybody’s, or nobody waits', async () => {
  const partial = await home.svc('sandbox payment --method incoming_transfer --currency VES --amount 1.00');
  expect(partial).toMatchObject({ exitCode: 6, stdout: '' });
  expect(partial.error()).toMatchObject({ code: 'field_required' });
  expect(await home.svc(`sandbox payment --for ${ID}`)).toMatchObject({ exitCode: 5 });
  const id = String((await home.svc(debitOtp())).json()['id']);
  expect(await home.svc(`sandbox payment --for ${id}`)).toMatchObject({ exitCode: 6 });
});

it('says what describes it where nothing does', async () => {
  const refused = await home.svc('sandbox payment');
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.error()['message']).toMatch(/^Add --for ID, or the flags that describe the payment\./);
});
