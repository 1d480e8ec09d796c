import { describe, expect, it } from 'vitest';
import { ServiceClock } from '../../src/client/service-clock.js';
import { createClient, type Client, type ClientOptions, type Observation } from '../../src/client/client.js';
import { conclude } from '../../src/client/conclusion.js';
import { InvalidRequest } from '../../src/client/request.js';
import type { HttpAnswer, NotAnswered } from '../../src/runtime/transport.js';
import { fakeClock, type FakeClock } from '../support/fake-clock.js';
import {
  answer,
  envelope,
  failedOperation,
  ID,
  lost,
  notSent,
  NOW_MS,
  operation,
  plainRandom,
  scripted,
  type Script,
} from './doubles.js';

interface Rig {
  readonly client: Client;
  readonly script: Script;
  readonly clock: FakeClock;
}

function rig(parts: readonly (HttpAnswer | NotAnswered)[], options: Partial<ClientOptions> = {}): Rig {
  const script = scripted(...parts);
  const clock = fakeClock(NOW_MS);
  const client = createClient({
    ...{ environment: 'sandbox', transport: script, clock, random: plainRandom() },
    ...{ baseUrl: 'https://api.example.com/sandbox', key: 'svc_test_abc', userAgent: 'svc/1' },
    ...options,
  });
  return { client, script, clock };
}

const methods = ({ script }: Rig): string[] =>
  script.requests.map(({ method, url }) => `${method} ${new URL(url).pathname.replace('/sandbox/v2', '')}`);

const body = Buffer.from('{"amount":"1.10"}');
const unavailable = (headers?: Record<string, string>) => envelope(503, 'temporarily_unavailable', headers);

describe('a create', () => {
  it('that is answered with another payment is asked for once more, with the same key and bytes', async () => {
    const other = answer(201, operation('confirmed', { amount: '99.00' }));
    const given = rig([other, other, answer(201, operation('confirmed'))]);
    const conversation = await given.client.call('payins.create', { body });
    expect(conversation.attempts.map(({ kind }) => kind)).toEqual(['mismatched', 'mismatched']);
    expect(given.script.requests[1]).toEqual(given.script.requests[0]);
    expect(conclude(conversation)).toMatchObject({ exitCode: 12, error: { code: 'outcome_unknown' } });
    const mended = rig([other, answer(201, operation('confirmed', { amount: 1.1 }))]);
    expect(conclude(await mended.client.call('payins.create', { body })).exitCode).toBe(0);
  });

  it('takes the time it left from the answer to it, whatever the clock of this machine says', async () => {
    const headers = { date: 'Wed, 23 Sep 2026 07:00:00 GMT' };
    const made = (createdAt: string) =>
      answer(201, operation('confirmed', { created_at: createdAt }), headers);
    const exitOf = async (createdAt: string, isOwnKey = false): Promise<number> => {
      const { client } = rig([made(createdAt)]);
      const create = { isOwnKey, firstLeftMs: null };
      return conclude(await client.call('payins.create', { body }, { create })).exitCode;
    };
    // By this machine's clock, 15:00, all of these operations would be older payments.
    expect(await exitOf('2026-09-23T07:00:00Z')).toBe(0);
    expect(await exitOf('2026-09-23T06:50:00Z')).toBe(0);
    expect(await exitOf('2026-09-23T06:49:00Z')).toBe(12);
    expect(await exitOf('2026-09-23T06:49:00Z', true)).toBe(0);
  });

  it('is repeated with the same key and the same bytes until an operation is in hand', async () => {
    const given = rig([lost(), answer(200, '<html>'), answer(201, operation('confirmed'))]);
    const conversation = await given.client.call('payins.create', { body });
    const [first, ...others] = given.script.requests;
    expect(first?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
    for (const request of others) expect(request).toEqual(first);
    expect(others).toHaveLength(2);
    expect(first?.body).toBe(body);
    expect(given.clock.sleeps).toEqual([250, 1000]);
    expect(conversation.idempotencyKey).toBe(first?.headers['idempotency-key']);
    expect(conversation.attempts.map(({ kind }) => kind)).toEqual(['lost', 'unreadable', 'success']);
    expect(conclude(conversation).exitCode).toBe(0);
  });

  it('that is lost three times ends in 12, is not looked up, and is repeated with its key', async () => {
    const given = rig([lost(), lost(), lost()]);
    const conversation = await given.client.call(
      'payouts.create',
      { body },
      { idempotencyKey: 'order-4711' },
    );
    expect(conclude(conversation)).toMatchObject({
      exitCode: 12,
      next: { kind: 'repeat', key: 'order-4711' },
    });
    expect(methods(given)).toEqual(['POST /payouts', 'POST /payouts', 'POST /payouts']);
    expect(conversation.lookup).toBeNull();
  });

  it.each([
    envelope(400, 'field_invalid'),
    envelope(401, 'unauthorized'),
    envelope(409, 'idempotency_key_reused'),
    answer(307, '', { location: 'https://evil.example' }),
  ])('with a definite answer is not made again ($status)', async (given) => {
    const met = rig([given]);
    await met.client.call('payins.create', { body });
    expect(met.script.requests).toHaveLength(1);
  });
});

describe('a read', () => {
  it('waits as long as the service asks, up to a minute, and never less than its own wait', async () => {
    const given = rig([
      unavailable({ 'Retry-After': '7' }),
      unavailable({ 'retry-after': '3600' }),
      unavailable(),
    ]);
    const conversation = await given.client.call('balances');
    expect(given.clock.sleeps).toEqual([7000, 60_000]);
    expect(conclude(conversation)).toMatchObject({ exitCode: 10, outcome: 'sent' });
  });

  it('understands a date', async () => {
    const given = rig([
      envelope(429, 'x', { 'retry-after': new Date(NOW_MS + 9000).toUTCString() }),
      answer(200, { balances: [] }),
    ]);
    expect((await given.client.call('balances')).attempts).toHaveLength(2);
    expect(given.clock.sleeps).toEqual([9000]);
  });

  it('is made as often as the caller allows, each within the time that the caller gives', async () => {
    const given = rig([notSent()]);
    await given.client.call('balances', {}, { attemptsMax: 1, timeoutMs: 123 });
    expect(given.script.limits).toMatchObject([{ timeoutMs: 123 }]);
    const plain = rig([answer(200, [])]);
    await plain.client.call('balances');
    expect(plain.script.limits).toMatchObject([{ timeoutMs: 30_000 }]);
  });
});

describe('a call that is made once', () => {
  it.each([lost(), answer(200, ''), answer(502, '<html>')])(
    'and whose outcome is unknown is looked up, with one GET and no repetition (%#)',
    async (first) => {
      const given = rig([first, answer(200, operation('confirmed'))]);
      const conversation = await given.client.call('payins.confirm', { id: ID, body });
      expect(methods(given)).toEqual([`POST /payins/${ID}/confirm`, `GET /payins/${ID}`]);
      expect(given.script.requests[1]?.body).toBeNull();
      expect(conclude(conversation).exitCode).toBe(0);
      expect(given.clock.sleeps).toEqual([]);
    },
  );

  it('and whose lookup is lost too is unknown: that GET is not repeated', async () => {
    const given = rig([lost(), lost()]);
    const conversation = await given.client.call('payouts.cancel', { id: ID });
    expect(methods(given)).toEqual([`POST /payouts/${ID}/cancel`, `GET /payouts/${ID}`]);
    expect(conclude(conversation)).toMatchObject({
      exitCode: 12,
      next: { kind: 'get', endpointId: 'payouts.get' },
    });
  });

  it.each([
    notSent(),
    unavailable(),
    envelope(409, 'not_cancellable'),
    answer(200, failedOperation('cancelled')),
  ])('and whose outcome is known is neither repeated nor looked up (%#)', async (first) => {
    const given = rig([first]);
    const conversation = await given.client.call('payins.cancel', { id: ID });
    expect(given.script.requests).toHaveLength(1);
    expect(conversation.lookup).toBeNull();
  });

  it('and has no lookup is left unknown', async () => {
    const given = rig([lost()]);
    const conversation = await given.client.call('webhooks.register', { body });
    expect(conclude(conversation).next).toEqual({ kind: 'register-again' });
    expect(given.script.requests).toHaveLength(1);
  });
});

describe('a request by hand', () => {
  it('is looked up like the row that it is', async () => {
    const given = rig([lost(), answer(200, operation('pending', { pending_reason: 'awaiting_code' }))]);
    const conversation = await given.client.send(
      given.client.prepareRaw('POST', `/v2/payins/${ID}/confirm`, { body }),
    );
    expect(methods(given)).toEqual([`POST /payins/${ID}/confirm`, `GET /payins/${ID}`]);
    expect(conclude(conversation).exitCode).toBe(12);
  });

  it('outside the table is sent once, whatever comes of it', async () => {
    const given = rig([lost()]);
    const conversation = await given.client.send(given.client.prepareRaw('POST', '/v2/other', { body }));
    expect(conclude(conversation)).toMatchObject({ exitCode: 12, next: null });
    expect(given.script.requests).toHaveLength(1);
  });
});

describe('an interruption', () => {
  it('in a wait ends the call with what was tried so far', async () => {
    const interrupt = new AbortController();
    const given = rig([lost()], {
      observe: ({ kind }) => {
        if (kind === 'wait') interrupt.abort(new Error('SIGINT'));
      },
    });
    const conversation = await given.client.call('payins.create', { body }, { signal: interrupt.signal });
    expect(conversation.attempts.map(({ kind }) => kind)).toEqual(['lost']);
    expect(conclude(conversation).exitCode).toBe(12);
  });

  it('leaves a lost confirmation without a lookup', async () => {
    const interrupt = new AbortController();
    const given = rig([lost()], { observe: () => interrupt.abort() });
    const conversation = await given.client.call(
      'payins.confirm',
      { id: ID, body },
      { signal: interrupt.signal },
    );
    expect(conversation.lookup).toBeNull();
    expect(given.script.requests).toHaveLength(1);
  });
});

describe('the client', () => {
  it('sends nothing for an id that is none', async () => {
    const given = rig([]);
    await expect(given.client.call('payins.get', { id: '../balances' })).rejects.toThrow(InvalidRequest);
    expect(given.script.requests).toEqual([]);
  });

  it('shows what happens, in order', async () => {
    const seen: Observation[] = [];
    const given = rig([lost(), answer(200, [])], { observe: (observation) => seen.push(observation) });
    await given.client.call('balances');
    expect(seen.map(({ kind }) => kind)).toEqual(['request', 'no_answer', 'wait', 'request', 'answer']);
    expect(seen.flatMap((one) => (one.kind === 'request' ? [one.attempt] : []))).toEqual([1, 2]);
  });

  it('does not take a defect of a transport for a lost answer', async () => {
    const { client } = rig([], { transport: () => Promise.reject(new TypeError('a defect')) });
    await expect(client.call('balances')).rejects.toThrow('a defect');
  });
});

describe("the service's time", () => {
  const DATE = { date: 'Wed, 23 Sep 2026 15:00:00 GMT' };
  const timed = (answered: HttpAnswer) => {
    const clock = fakeClock(NOW_MS);
    const serviceClock = new ServiceClock({ clock });
    return { ...rig([answered], { clock, serviceClock }), serviceClock };
  };

  it.each([
    [404, true],
    [403, true],
    [401, false],
    [200, false],
    [503, false],
  ])('asked for at a fresh address and answered %i: proved %s', async (status, isProved) => {
    const { client, script, serviceClock } = timed(envelope(status, 'said', DATE));
    await client.askTime();
    expect(script.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET https://api.example.com/sandbox/v2/transactions/00000000-0000-4000-8000-000000000000',
    ]);
    expect(serviceClock.isTimeProved()).toBe(isProved);
  });

  it('is proved by whatever answers a POST', async () => {
    const { client, serviceClock } = timed(envelope(400, 'invalid_request', DATE));
    await client.call('payouts.create', { body }, { idempotencyKey: 'key-12345' });
    expect(serviceClock.isTimeProved()).toBe(true);
  });

  it('is not proved by a read, whatever came of it', async () => {
    const { client, serviceClock } = timed(envelope(404, 'not_found', DATE));
    await client.call('transactions.get', { id: ID });
    expect([serviceClock.isTimeProved(), serviceClock.aheadMs !== null]).toEqual([false, true]);
  });

  it('that nobody says stays unknown', async () => {
    const { client, serviceClock } = timed(envelope(404, 'not_found'));
    await client.askTime();
    expect(serviceClock.isTimeProved()).toBe(false);
  });
});
