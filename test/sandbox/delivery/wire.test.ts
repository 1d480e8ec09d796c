import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createUndiciTransport } from '../../../src/client/undici.js';
import { systemClock, type Clock } from '../../../src/runtime/clock.js';
import { VERSION } from '../../../src/runtime/version.js';
import type { AnsweredDelivery } from '../support/answered.js';
import { create } from '../support/bodies.js';
import { openServedWorld } from '../support/served-world.js';
import type { World } from '../support/world.js';
import { listener } from './loopback.js';

async function openRealWorld(hurry = 1): Promise<World> {
  const clock: Clock = {
    ...systemClock,
    monotonic: () => systemClock.monotonic() * hurry,
    sleep: (ms, signal) => systemClock.sleep(ms / hurry, signal),
  };
  const { send, close } = createUndiciTransport({ clock, connections: 64 });
  const world = await openServedWorld({ allowHttpWebhooks: true, receivers: send, clock: systemClock });
  onTestFinished(close);
  return world;
}

async function attempted(world: World): Promise<AnsweredDelivery> {
  for (;;) {
    const [delivery] = (await world.control('GET', '/deliveries')).json.deliveries;
    if (delivery !== undefined && delivery.attempts.length > 0) return delivery;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

type Answering = (response: ServerResponse) => void;

async function outcomeOf(answer: Answering, hurry?: number): Promise<AnsweredDelivery> {
  const { url } = await listener(answer);
  const world = await openRealWorld(hurry);
  await world.post('/v2/webhook-endpoints', { url });
  await create(world, 'mobile_payment');
  return attempted(world);
}

describe('a receiver', () => {
  it('gets a POST with the headers of section 6 and the event as it is in the feed', async () => {
    const { url, arrived, count } = await listener();
    const world = await openRealWorld();
    await world.post('/v2/webhook-endpoints', { url: `${url}?shop=1` });
    await create(world, 'mobile_payment');
    await count(1);
    const [{ method, url: target, headers, rawHeaders, body }] = arrived as [(typeof arrived)[0]];
    const spelled = ['X-Firma', 'X-Timestamp', 'X-Evento', 'X-Id-Evento', 'User-Agent', 'Content-Type'];
    expect(rawHeaders).toEqual(expect.arrayContaining(spelled));
    expect(headers['user-agent']).toBe(`svc/${VERSION}`);
    expect([method, target]).toEqual(['POST', '/hooks?shop=1']);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(body.length),
      'x-evento': 'payout.confirmed',
      'x-firma': expect.stringMatching(/^v1=[0-9a-f]{64}$/) as string,
      'x-timestamp': expect.stringMatching(/^[0-9]{10}$/) as string,
    });
    expect((await world.get('/v2/events')).text).toContain(body.toString('utf8'));
    expect((await attempted(world)).status).toBe('delivered');
  });

  it.each<[string, Answering, number]>([
    ['says 500', (response) => response.writeHead(500).end(), 500],
    ['sends it elsewhere', (response) => response.writeHead(307, { Location: '/other' }).end(), 307],
    ['says 410', (response) => response.writeHead(410).end('gone'), 410],
  ])('that %s is retried, and nobody else gets it', async (_what, answer, status) => {
    const seen: string[] = [];
    const { url, arrived } = await listener((response, { url: target }) => {
      seen.push(target);
      answer(response);
    });
    const world = await openRealWorld();
    await world.post('/v2/webhook-endpoints', { url });
    await create(world, 'mobile_payment');
    const delivery = await attempted(world);
    expect(delivery).toMatchObject({ status: 'pending', attempts: [{ status, error: null }] });
    expect(arrived).toHaveLength(1);
    expect(seen).toEqual(['/hooks']);
  });

  it.each([
    ['text', 'no such <b>order</b>', { body: 'no such <b>order</b>' }],
    ['4 KB of text', 'x'.repeat(4096), { body: 'x'.repeat(4096) }],
    ['more', 'x'.repeat(200_000), { body: 'x'.repeat(4096), truncated: true }],
    ['no text', Buffer.from([0xff, 0xfe]), { body: '//4=', encoding: 'base64' }],
  ])('that says %s is kept with what it said', async (_, said, kept) => {
    const headers = { 'Content-Type': 'text/plain', 'Set-Cookie': 'session=abc' };
    const delivery = await outcomeOf((response) => response.writeHead(422, headers).end(said));
    const [attempt] = delivery.attempts;
    const { headers: received, ...rest } = attempt!.answer!;
    expect(rest).toEqual({ status: 422, ...kept });
    expect(received).toMatchObject({ 'content-type': 'text/plain', 'set-cookie': '...' });
    expect(attempt!.request!.headers).toMatchObject({ 'X-Evento': 'payout.confirmed' });
    expect(JSON.parse(attempt!.request!.body)).toMatchObject({ id: delivery.event_id });
    expect(attempt!.ms).toBeGreaterThanOrEqual(0);
  });

  it('that hangs is given ten seconds', async () => {
    const delivery = await outcomeOf(() => undefined, 20);
    expect(delivery.status).toBe('pending');
    const error = expect.stringContaining('10000 ms') as string;
    expect(delivery.attempts[0]).toMatchObject({ status: null, error });
  });

  it('that cuts the connection, or is not there, is retried', async () => {
    const cut = await outcomeOf((response) => response.destroy());
    expect(cut).toMatchObject({ status: 'pending', attempts: [{ status: null }] });
    const world = await openRealWorld();
    await world.post('/v2/webhook-endpoints', { url: 'http://127.0.0.1:1/none' });
    await create(world, 'mobile_payment');
    const dead = await attempted(world);
    expect(dead.attempts[0]!.error).toMatch(/^no program listens at /);
  });

  it('that answers 200 has it, whatever its body: too long, unending, silent, compressed, or cut', async () => {
    const megabytes = Buffer.alloc(10 * 1024 * 1024, 'x');
    const long = await outcomeOf((response) => response.writeHead(200).end(megabytes));
    const hanging: Answering = (response) => response.writeHead(200, { 'Content-Length': 1e12 }).write('x');
    const silent = await outcomeOf(hanging, 20);
    const endless = await outcomeOf((response) => {
      response.writeHead(200);
      const more = (): void => {
        if (!response.destroyed) response.write(megabytes, more);
      };
      more();
    });
    const gzip = { 'Content-Encoding': 'gzip' };
    const packed = await outcomeOf((response) => response.writeHead(200, gzip).end('x'));
    const cut = await outcomeOf((response) => {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('x', () => response.destroy());
    });
    for (const delivery of [long, silent, endless, packed, cut])
      expect(delivery).toMatchObject({ status: 'delivered', attempts: [{ status: 200, error: null }] });
  });
});
