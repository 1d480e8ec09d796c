/** `svc payins resend` (also `resend-code`): a new code while one is awaited, five times. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { debitOtp, incomingTransfer } from '../../support/requests.js';
import { world, type World } from '../../support/svc.js';

let home: World;
beforeEach(() => {
  home = world();
});
afterEach(() => home.remove());

it('gives the code a new time, by either name', async () => {
  const created = (await home.svc(debitOtp())).json();
  home.clock.advance(60_000);
  for (const name of ['resend', 'resend-code']) {
    const result = await home.svc(`payins ${name} ${String(created['id'])}`);
    expect(result).toMatchObject({ exitCode: 0 });
    expect(Date.parse(String(result.json()['code_expires_at']))).toBe(
      Date.parse(String(created['code_expires_at'])) + 60_000,
    );
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
