/** `svc balances`: money as decimal strings, exactly as the service says it. */
import { afterAll, expect, it } from 'vitest';
import { payout } from '../support/requests.js';
import { json, startService } from '../support/service.js';
import { world } from '../support/svc.js';

const home = world();
afterAll(() => home.remove());

it('shows every currency with its own decimals', async () => {
  await home.svc(payout('12345678', '1234.56'));
  expect((await home.svc('balance')).json()).toEqual({
    balances: expect.arrayContaining([
      { currency: 'VES', available: '-1234.56', reserved: '0.00' },
      { currency: 'CLP', available: '0', reserved: '0' },
      { currency: 'KWD', available: '0.000', reserved: '0.000' },
    ]) as object[],
  });
});

it('says which scope is missing', async () => {
  const refused = json(403, { error: { code: 'scope_missing', message: 'No.' } });
  const service = await startService(refused);
  const result = await home.svc('balances', { env: service.env, wire: true });
  await service.stop();
  expect(result).toMatchObject({ exitCode: 4 });
  expect(result.error()['message']).toContain('saldos:leer');
});
