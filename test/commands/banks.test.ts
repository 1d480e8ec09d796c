/** `svc banks`: the banks of a country, or those that support a method. */
import { afterAll, expect, it } from 'vitest';
import { json, startService } from '../support/service.js';
import { world } from '../support/svc.js';

const home = world();
afterAll(() => home.remove());

interface Bank {
  readonly code: string;
  readonly methods: string[];
}

it('lists the banks of a country, all or those of a method', async () => {
  const all = (await home.svc('banks --country VE')).json()['banks'] as Bank[];
  const some = (await home.svc('bank --country VE --method debit_otp')).json()['banks'] as Bank[];
  expect(some).toEqual(all.filter(({ methods }) => methods.includes('debit_otp')));
  expect(some.length).toBeLessThan(all.length);
});

it('takes the country of the profile, and else asks for one', async () => {
  const fresh = world();
  expect(await fresh.svc('banks')).toMatchObject({ exitCode: 2 });
  const service = await startService(json(200, '{"banks":[]}'));
  await fresh.svc(`profiles add shop --base-url ${service.url} --country CL --key-stdin`, {
    stdin: 'svc_test_0123456789',
  });
  expect(await fresh.svc('banks', { wire: true })).toMatchObject({ exitCode: 0 });
  expect(service.received[0]?.target).toBe('/sandbox/v2/banks?country=CL');
  await service.stop();
  fresh.remove();
});

it('passes on what the service refuses', async () => {
  expect(await home.svc('banks --country XX')).toMatchObject({ exitCode: 6 });
  expect(await home.svc('banks --country VE --method cash')).toMatchObject({ exitCode: 6 });
});
