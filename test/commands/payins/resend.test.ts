/** `svc payins resend` (also `resend-code`): a new code while one is awaited, five times. */
import { expect, it } from 'vitest';
import { debitOtp, incomingTransfer } from '../../support/requests.js';
import { eachWorld } from '../../support/svc.js';

const home = eachWorld();

it('gives the code a new time, by either name', async () => {
  const { id, code_expires_at: until } = (await home.svc(debitOtp())).json();
  home.clock.advance(60_000);
  for (const name of ['resend', 'resend-code']) {
    const { code_expires_at: later } = (await home.svc(`payins ${name} ${String(id)}`)).json();
    expect(Date.parse(String(later))).toBe(Date.parse(String(until)) + 60_000);
  }
});

it('revives a code that expired', async () => {
  const id = String((await home.svc(debitOtp())).json()['id']);
  await home.svc('sandbox clock advance 10m');
  await home.svc(`payins resend ${id}`);
  expect(await home.svc(`payins confirm ${id} --code 123456`)).toMatchObject({ exitCode: 0 });
});

it('is a conflict where no code is awaited', async () => {
  const id = String((await home.svc(incomingTransfer())).json()['id']);
  const result = await home.svc(`payins resend ${id}`);
  expect(result).toMatchObject({ exitCode: 7, stdout: '' });
  expect(result.error()).toMatchObject({ code: 'code_not_expected' });
});
