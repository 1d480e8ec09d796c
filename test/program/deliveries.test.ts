import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listener } from '../sandbox/delivery/loopback.js';
import { startSandbox } from '../soak/sandbox.js';
import { exchange } from '../soak/server/client.js';
import { PAYOUT_BODY } from '../support/requests.js';
import { testFolder } from '../support/test-folder.js';

const BODY = JSON.parse(PAYOUT_BODY) as object;
const DEAD = 'http://127.0.0.1:1/none';

async function start(home: string, ...flags: readonly string[]) {
  const store = join(home, '.local/share/svc/sandbox.db');
  const { port, key: ready, stop } = await startSandbox(store, home, '--allow-http-webhooks', ...flags);
  onTestFinished(() => void stop('SIGKILL'));
  let keys = 0;
  const call = (method: string, path: string, body?: object, key = ready) => {
    keys += 1;
    const headers = {
      Authorization: `Bearer ${key}`,
      'Idempotency-Key': `key-of-${home.slice(-6)}-${String(keys)}`,
    };
    return exchange(port, method, path, headers, body);
  };
  return {
    ...{ call, stop },
    deliveries: async () => (await call('GET', '/_control/deliveries')).json.deliveries,
  };
}

describe('a server', () => {
  it('with --settle-after confirms, and delivers, that much later by itself', async () => {
    const { url, arrived, count } = await listener();
    const server = await start(testFolder(), '--settle-after', '1');
    await server.call('POST', '/sandbox/v2/webhook-endpoints', { url });
    const { json: payout } = await server.call('POST', '/sandbox/v2/payouts', BODY);
    expect(payout).toMatchObject({ status: 'pending', pending_reason: 'processing' });
    await count(1);
    const event = JSON.parse(arrived[0]!.body.toString()) as { type: string; data: typeof payout };
    expect(event).toMatchObject({ type: 'payout.confirmed', data: { id: payout.id, status: 'confirmed' } });
    const tookSeconds = (Date.parse(event.data.updated_at) - Date.parse(payout.created_at)) / 1000;
    expect(tookSeconds).toBe(1);
  });

  it('serves live keys under /v2, with webhooks of their own', async () => {
    const { url, arrived, count } = await listener();
    const server = await start(testFolder());
    await server.call('POST', '/sandbox/v2/webhook-endpoints', { url: DEAD });
    const { json } = await server.call('POST', '/_control/keys', { environment: 'live' });
    const key = json.api_key;
    expect(key).toMatch(/^svc_live_sandbox_/);
    const { secret } = (await server.call('POST', '/v2/webhook-endpoints', { url }, key)).json;
    const { status, json: payout } = await server.call('POST', '/v2/payouts', BODY, key);
    expect([status, payout.status]).toEqual([201, 'confirmed']);
    await count(1);
    const { headers, body } = arrived[0]!;
    const signed = createHmac('sha256', secret)
      .update(`${String(headers['x-timestamp'])}.`)
      .update(body);
    expect(headers['x-firma']).toBe(`v1=${signed.digest('hex')}`);
    expect((await server.call('GET', `/v2/payouts/${payout.id}`, undefined, key)).status).toBe(200);
    expect((await server.call('GET', `/sandbox/v2/payouts/${payout.id}`)).status).toBe(404);
    expect((await server.call('GET', `/v2/payouts/${payout.id}`)).status).toBe(401);
    expect((await server.call('GET', `/sandbox/v2/payouts/${payout.id}`, undefined, key)).status).toBe(401);
    await server.call('POST', '/_control/ping', { environment: 'live' });
    await count(2);
    expect(arrived[1]!.headers['x-evento']).toBe('test.ping');
  });

  it('that is stopped leaves what is in hand for the next one, and does not wait for it', async () => {
    const home = testFolder();
    const { url, arrived, count } = await listener((response) => {
      if (arrived.length > 1) response.writeHead(200).end();
    });
    const first = await start(home);
    await first.call('POST', '/sandbox/v2/webhook-endpoints', { url });
    await first.call('POST', '/sandbox/v2/payouts', BODY);
    await count(1);
    expect(await first.stop()).toBe(143);
    const second = await start(home);
    await count(2);
    while ((await second.deliveries())[0]?.status !== 'delivered')
      await new Promise((resolve) => setImmediate(resolve));
    expect((await second.deliveries())[0]!.attempts).toHaveLength(1);
  });
});
