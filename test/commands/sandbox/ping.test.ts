/** `svc sandbox ping`: queued for the url that a company registered, and refused where there is none. */
import { expect, it } from 'vitest';
import { eachWorld } from '../../support/svc.js';

const home = eachWorld();

const REGISTER = 'api POST /v2/webhook-endpoints -f url=https://shop.example/hooks';

async function keyOf(flags: string): Promise<string> {
  return String((await home.svc(`sandbox key ${flags}`)).json()['api_key']);
}

it('answers the id of the delivery, and leaves no event', async () => {
  await home.svc(REGISTER);
  const ping = await home.svc('sandbox ping');
  expect(ping).toMatchObject({ exitCode: 0 });
  expect((await home.svc('sandbox deliveries')).json()).toMatchObject({
    deliveries: [{ id: ping.json()['delivery_id'], type: 'test.ping', status: 'pending' }],
  });
  expect((await home.svc('events list')).json()).toMatchObject({ events: [] });
});

it('--company pings another one, which needs a url of its own', async () => {
  await home.svc(REGISTER);
  await keyOf('--company acme');
  const refused = await home.svc('sandbox ping --company acme');
  expect(refused).toMatchObject({ exitCode: 6, stdout: '' });
  expect(refused.error()['details']).toEqual([{ field: 'company', code: 'invalid' }]);
  expect(refused.error()['message']).toContain('The company "acme" has no registered URL (sandbox).');
  expect(await home.svc('sandbox ping --company default')).toMatchObject({ exitCode: 0 });
});

it('--environment tells companies of one name apart', async () => {
  await home.svc(REGISTER);
  await keyOf('--environment live');
  expect(await home.svc('sandbox ping --environment live')).toMatchObject({ exitCode: 6 });
  expect(await home.svc('sandbox ping --environment sandbox')).toMatchObject({ exitCode: 0 });
});

it('is refused in words where nobody registered', async () => {
  expect(await home.svc('sandbox ping')).toMatchObject({ exitCode: 6, stdout: '' });
  const { stderr } = await home.svc('sandbox ping', { tty: { stdout: true, stderr: true } });
  expect(stderr).toContain('The company "default" has no registered URL (sandbox).\n');
  expect(stderr).not.toContain('company: invalid');
});
