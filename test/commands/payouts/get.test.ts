import { expect, it } from 'vitest';
import { fresh } from '../../support/fresh.js';
import { debitOtp, payout } from '../../support/requests.js';
import { world } from '../../support/svc.js';

const home = fresh(world);

it('reads a payout; the first lookup settles one that was processing', async () => {
  const id = String((await home.svc(payout('00000002'))).json()['id']);
  expect((await home.svc(`payouts get ${id}`)).json()).toMatchObject({ id, status: 'confirmed' });
});

it.each([
  ['payouts', 'payins', debitOtp()],
  ['payins', 'payouts', payout()],
])('%s get of what is known here as one of %s leads there', async (noun, other, create) => {
  const id = String((await home.svc(create)).json()['id']);
  const absent = await home.svc(`${noun} get ${id.toUpperCase()} --json`);
  const next = `svc ${other} get ${id.toUpperCase()}`;
  expect(absent.error()).toMatchObject({ code: 'not_found', exit_code: 5, status: 404, next_command: next });
  expect((await home.svc(`${other} get ${id.toUpperCase()}`)).json()).toMatchObject({ id });
});
