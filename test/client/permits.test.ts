import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.js';
import { withIdempotencyKey, type PreparedRequest } from '../../src/client/request.js';
import { Permit, permitFor } from '../../src/contract/permit.js';
import { answer, ID, NOW_MS, operation, plainRandom, scripted, envelope } from './doubles.js';
import { fakeClock } from '../support/fake-clock.js';

const body = Buffer.from('{"amount":"100.00","currency":"VES"}');

function rig(environment: 'live' | 'sandbox', answers = 3) {
  const script = scripted(...Array.from({ length: answers }, () => answer(201, operation('pending'))));
  const client = createClient({
    ...{ environment, transport: script, clock: fakeClock(NOW_MS), random: plainRandom() },
    ...{ baseUrl: 'https://api.example.com', key: 'svc_live_abc', userAgent: 'svc/1' },
  });
  const create = client.prepare('payouts.create', { body }, 'order-1001');
  return { client, script, create };
}

const NO_PERMIT = { kind: 'defect', facts: { code: 'no_permit' } };

const OTHERS: readonly (readonly [string, (prepared: PreparedRequest) => PreparedRequest])[] = [
  ['other bytes', (one) => withBody(one, Buffer.from('{"amount":"400.00","currency":"VES"}'))],
  ['another key', (one) => withIdempotencyKey(one, 'order-1002')],
  ['another path', (one) => at(one, 'https://api.example.com/v2/payins')],
  ['another host', (one) => at(one, 'https://evil.example/v2/payouts')],
  ['another method', (one) => ({ ...one, request: { ...one.request, method: 'PUT' } })],
];

function withBody(prepared: PreparedRequest, other: Uint8Array): PreparedRequest {
  return { ...prepared, request: { ...prepared.request, body: other } };
}

function at(prepared: PreparedRequest, url: string): PreparedRequest {
  return { ...prepared, request: { ...prepared.request, url } };
}

describe('live', () => {
  it('a create leaves with its permit, and each attempt of it', async () => {
    const { client, create } = rig('live');
    await client.send(create, { permit: permitFor(create.request) });
    const { client: again, script, create: same } = rig('live', 1);
    await again.attempt(same, { permit: permitFor(same.request) });
    expect(script.requests).toHaveLength(1);
  });

  it('one permit is enough for the attempts of one request', async () => {
    const script = scripted(envelope(503, 'temporarily_unavailable'), answer(201, operation('pending')));
    const client = createClient({
      ...{ environment: 'live', transport: script, clock: fakeClock(NOW_MS), random: plainRandom() },
      ...{ baseUrl: 'https://api.example.com/', key: 'svc_live_abc', userAgent: 'svc/1' },
    });
    const create = client.prepare('payouts.create', { body }, 'order-1001');
    const { attempts } = await client.send(create, { permit: permitFor(create.request) });
    expect(attempts).toHaveLength(2);
    expect(script.requests).toHaveLength(2);
  });

  it.each<[string, unknown]>([
    ['none', undefined],
    ['null', null],
    ['an object that looks like one', { covers: () => true }],
    ['its prototype, borrowed', Object.create(Permit.prototype)],
  ])('with %s for a permit nothing leaves', async (_what, permit) => {
    const { client, script, create } = rig('live');
    const options = { permit: permit as Permit };
    await expect(client.send(create, options)).rejects.toMatchObject(NO_PERMIT);
    await expect(client.attempt(create, options)).rejects.toMatchObject(NO_PERMIT);
    expect(script.requests).toEqual([]);
  });

  it.each(OTHERS)('under a permit nothing leaves with %s', async (_what, other) => {
    const { client, script, create } = rig('live');
    const permit = permitFor(create.request);
    await expect(client.send(other(create), { permit })).rejects.toMatchObject(NO_PERMIT);
    await expect(client.attempt(other(create), { permit })).rejects.toMatchObject(NO_PERMIT);
    expect(script.requests).toEqual([]);
  });

  it('what is called without being prepared is no exception', async () => {
    const { client, script } = rig('live');
    await expect(client.call('payins.confirm', { id: ID, body })).rejects.toMatchObject(NO_PERMIT);
    await expect(client.call('payouts.cancel', { id: ID })).rejects.toMatchObject(NO_PERMIT);
    const raw = client.prepareRaw('DELETE', '/v2/anything');
    await expect(client.send(raw)).rejects.toMatchObject(NO_PERMIT);
    expect(script.requests).toEqual([]);
  });

  it('reads leave without one, and what it asks of the time', async () => {
    const { client, script } = rig('live', 4);
    await client.call('balances', {}, { attemptsMax: 1 });
    await client.call('payouts.get', { id: ID }, { attemptsMax: 1 });
    await client.send(client.prepareRaw('HEAD', '/v2/anything'), { attemptsMax: 1 });
    await client.askTime();
    expect(script.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'HEAD', 'GET']);
  });

  it.each(['https://evil.example/v2/balances', 'https://api.example.com.evil.example/v2/balances'])(
    'a read of another host is none: %s',
    async (url) => {
      const { client, script } = rig('live');
      const read = at(client.prepare('balances'), url);
      await expect(client.send(read)).rejects.toMatchObject(NO_PERMIT);
      expect(script.requests).toEqual([]);
    },
  );
});

it('in the sandbox everything leaves without one', async () => {
  const { client, script, create } = rig('sandbox');
  await client.send(create);
  await client.call('payouts.cancel', { id: ID });
  expect(script.requests.map(({ method }) => method)).toEqual(['POST', 'POST']);
});
