import { expect, it } from 'vitest';
import { fresh } from '../../support/fresh.js';
import { payout } from '../../support/requests.js';
import { world } from '../../support/svc.js';

const home = fresh(world);

const balance = async (): Promise<unknown> =>
  ((await home.svc('balances')).json()['balances'] as { currency: string }[]).find(
    (one) => one.currency === 'VES',
  );

it('cancels one that is processing, and its money is available again', async () => {
  const id = String((await home.svc(payout('00000002'))).json()['id']);
  expect(await balance()).toEqual({ currency: 'VES', available: '-5.00', reserved: '5.00' });
  const result = await home.svc(`payouts cancel ${id}`);
  expect(result).toMatchObject({ exitCode: 0 });
  expect(result.json()).toMatchObject({ failure: { code: 'cancelled' } });
  expect(await balance()).toEqual({ currency: 'VES', available: '0.00', reserved: '0.00' });
});

it('is a conflict for one that was executed', async () => {
  const id = String((await home.svc(payout())).json()['id']);
  const result = await home.svc(`payouts cancel ${id}`);
  expect(result).toMatchObject({ exitCode: 7, stdout: '' });
  expect(result.error()).toMatchObject({ next_command: `svc payouts get ${id}` });
});
