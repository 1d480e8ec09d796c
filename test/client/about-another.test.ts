import { describe, expect, it } from 'vitest';
import { NO_FACTS } from '../../src/contract/operation-facts.js';
import { createClient, type Conversation } from '../../src/client/client.js';
import { conclude } from '../../src/client/conclusion.js';
import { waitForOperation } from '../../src/client/wait.js';
import type { EndpointId } from '../../src/contract/endpoints.js';
import type { HttpAnswer, NotAnswered } from '../../src/runtime/transport.js';
import { fakeClock } from '../support/fake-clock.js';
import {
  answer,
  envelope,
  failedOperation,
  ID,
  lost,
  NOW_MS,
  operation,
  plainRandom,
  scripted,
} from './doubles.js';

const OTHER = ID.replace(/^./, 'f');
const body = Buffer.from('{"code":"123456"}');
const own = (status: string, more = {}): HttpAnswer => answer(200, operation(status, more));
const other = (status = 'confirmed'): HttpAnswer => own(status, { id: OTHER });

function rig(...parts: readonly (HttpAnswer | NotAnswered)[]) {
  const transport = scripted(...parts);
  const clock = fakeClock(NOW_MS);
  const place = { baseUrl: 'https://api.example.com/sandbox', key: 'svc_test_abc', userAgent: 'svc/1' };
  const client = createClient({ environment: 'sandbox', transport, clock, random: plainRandom(), ...place });
  const call = (id: EndpointId, input: object = {}): Promise<Conversation> =>
    client.call(id, { id: ID, ...input });
  return { client, clock, call, requests: transport.requests };
}

const READS = ['payins.get', 'payouts.get', 'transactions.get'] as const;
const CALLS = ['payins.confirm', 'payins.resend', 'payins.cancel', 'payouts.cancel'] as const;

describe.each(READS)('%s', (id) => {
  it('answered with another operation is asked once more, and then ends with 1 and both ids', async () => {
    const { call, requests } = rig(other(), other());
    const { exitCode, operation: inHand, error } = conclude(await call(id));
    expect({ exitCode, inHand, code: error?.code }).toEqual({
      ...{ exitCode: 1, inHand: null, code: 'contract_broken' },
    });
    expect(error?.message).toContain(ID);
    expect(error?.message).toContain(OTHER);
    expect(requests).toHaveLength(2);
  });

  it('is answered where only the first answer was about another', async () => {
    const conclusion = conclude(await rig(other(), own('pending')).call(id));
    expect(conclusion).toMatchObject({ exitCode: 0, operation: { id: ID, status: 'pending' } });
  });

  it('takes an id in either case for the same', async () => {
    expect(conclude(await rig(own('confirmed', { id: ID.toUpperCase() })).call(id)).exitCode).toBe(0);
    const typed = rig(own('confirmed'));
    expect(conclude(await typed.call(id, { id: ID.toUpperCase() })).exitCode).toBe(0);
  });

  it('by hand is held to the same', async () => {
    const { client } = rig(other(), other());
    const path = `/v2/${id.split('.')[0] ?? ''}/${ID}`;
    expect(conclude(await client.send(client.prepareRaw('GET', path))).exitCode).toBe(1);
  });
});

it.each<[EndpointId, string | undefined, number]>([
  ['payins.get', 'payin', 0],
  ['payins.get', 'payout', 1],
  ['payins.get', undefined, 0],
  ['payouts.get', 'payout', 0],
  ['payouts.get', 'payin', 1],
  ['payouts.get', undefined, 0],
  ['transactions.get', 'payin', 0],
  ['transactions.get', 'payout', 0],
])('%s answered with the type %s ends with %i', async (id, type, exitCode) => {
  const given = own('confirmed', type === undefined ? {} : { type });
  expect(conclude(await rig(given, given).call(id)).exitCode).toBe(exitCode);
});

describe.each(CALLS)('%s', (id) => {
  const type = id.startsWith('payins') ? 'payin' : 'payout';
  const lookup = `${type}s.get`;
  const done = (more: object): HttpAnswer =>
    answer(200, {
      ...(id.endsWith('cancel') ? failedOperation('cancelled') : operation('pending')),
      ...more,
    });

  it.each([
    ['another operation', done({ id: OTHER })],
    ['the other direction', done({ type: type === 'payin' ? 'payout' : 'payin' })],
  ])('answered with %s has an unknown outcome, and its operation is looked up once', async (_what, given) => {
    const { call, requests } = rig(given, own('pending', { pending_reason: 'awaiting_code' }));
    expect(conclude(await call(id, { body }))).toMatchObject({
      ...{ exitCode: 12, outcome: 'unknown', retryable: false, operation: { id: ID } },
      ...{ error: { code: 'outcome_unknown' }, next: { kind: 'get', endpointId: lookup, id: ID } },
    });
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  it('is settled by no lookup that is about another either', async () => {
    for (const first of [lost(), done({ id: OTHER })]) {
      const conclusion = conclude(
        await rig(first, done({ id: OTHER, status: 'confirmed' })).call(id, { body }),
      );
      expect(conclusion).toMatchObject({
        ...{ exitCode: 12, operation: null, answer: null, next: { kind: 'get', endpointId: lookup, id: ID } },
      });
      expect(conclusion.error?.message).toContain(OTHER);
    }
  });

  it('is what it was where the answer is about its own, in either case', async () => {
    const { call, requests } = rig(done({ id: ID.toUpperCase(), type }));
    expect(conclude(await call(id, { body })).exitCode).toBe(0);
    expect(requests).toHaveLength(1);
  });
});

it('a confirm that was answered about another is settled by the lookup of its own', async () => {
  const { call } = rig(own('failed', { id: OTHER }), own('confirmed'));
  expect(conclude(await call('payins.confirm', { body }))).toMatchObject({
    ...{ exitCode: 0, operation: { id: ID, status: 'confirmed' } },
  });
});

it('a refusal says what it says: it names no operation', async () => {
  expect(conclude(await rig(envelope(404, 'not_found')).call('payouts.get')).exitCode).toBe(5);
});

describe('a wait', () => {
  it('reads on past what is about another, and never takes its end for its own', async () => {
    const { client, clock } = rig(
      other(),
      own('confirmed', { type: 'payin' }),
      own('pending'),
      own('confirmed'),
    );
    const read = () => client.call('payouts.get', { id: ID }, { attemptsMax: 1 });
    const waited = await waitForOperation({ read, clock, timeoutMs: 60_000 });
    expect(waited).toMatchObject({ end: 'final', operation: { id: ID, status: 'confirmed' } });
  });

  it('is over with what was known where everything is about another', async () => {
    const { client, clock } = rig(...Array.from({ length: 9 }, () => other()));
    const read = () => client.call('payouts.get', { id: ID }, { attemptsMax: 1 });
    const known = { ...NO_FACTS, id: ID, status: 'pending' };
    const waited = await waitForOperation({ read, clock, timeoutMs: 10_000, operation: known });
    expect(waited).toMatchObject({ end: 'expired', operation: known, conversation: null });
  });
});
