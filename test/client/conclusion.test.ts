import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOperation } from '../../src/contract/operation-facts.js';
import type { Attempt, AttemptKind, CallAttempts } from '../../src/contract/attempt.js';
import { conclude, type Conclusion, type Criterion } from '../../src/client/conclusion.js';
import { type RetryClass, endpoint, ENDPOINT_IDS, type EndpointId } from '../../src/contract/endpoints.js';
import {
  attemptOf,
  awaitingCode,
  cancelled,
  confirmed,
  createRefused,
  KINDS,
  processing,
  refused,
  rejected,
  succeeded,
} from './attempts.js';
import { failedOperation, ID, operation } from './doubles.js';

const KEY = 'a'.repeat(32);

function tried(
  endpointId: EndpointId,
  attempts: readonly Attempt[],
  lookup: Attempt | null = null,
): CallAttempts {
  const row = endpoint(endpointId);
  return {
    ...{ endpointId, retry: row.retry, id: row.path.includes('{id}') ? ID : null },
    ...{ idempotencyKey: row.retry === 'keyed' ? KEY : null, attempts },
    ...{ create: row.retry === 'keyed' ? { firstLeftMs: null, isOwnKey: false } : null, lookup },
  };
}

const facts = ({ exitCode, outcome, retryable }: Conclusion) => [exitCode, outcome, retryable];
const thrice = (attempt: Attempt): Attempt[] => [attempt, attempt, attempt];
const get = { kind: 'get', endpointId: 'payins.get', id: ID };

const CALLS: Record<RetryClass, EndpointId> = {
  ...{ safe: 'payins.get', keyed: 'payins.create', once: 'payins.confirm' },
};

describe('every retry class and every kind of attempt', () => {
  const TABLE: Record<RetryClass, Record<AttemptKind, [number, string, boolean, string | null]>> = {
    safe: {
      ...{ success: [0, 'sent', false, null], refused: [6, 'sent', false, null] },
      ...{ unavailable: [10, 'sent', true, 'same'], server_error: [10, 'sent', true, 'same'] },
      ...{ broken: [1, 'sent', false, null], mismatched: [1, 'sent', false, null] },
      ...{ unreadable: [1, 'sent', false, null], lost: [11, 'sent', true, 'same'] },
      not_sent: [11, 'not_sent', true, 'same'],
    },
    keyed: {
      ...{ success: [0, 'sent', false, null], refused: [6, 'sent', false, null] },
      ...{ unavailable: [10, 'sent', true, 'same'], server_error: [12, 'unknown', false, 'repeat'] },
      ...{ broken: [12, 'unknown', false, 'repeat'], mismatched: [12, 'unknown', false, 'repeat'] },
      ...{ unreadable: [12, 'unknown', false, 'repeat'], lost: [12, 'unknown', false, 'repeat'] },
      not_sent: [11, 'not_sent', true, 'same'],
    },
    once: {
      ...{ success: [0, 'sent', false, null], refused: [6, 'sent', false, null] },
      ...{ unavailable: [10, 'sent', false, 'get'], server_error: [12, 'unknown', false, 'get'] },
      ...{ broken: [1, 'sent', false, 'get'], mismatched: [12, 'unknown', false, 'get'] },
      ...{ unreadable: [12, 'unknown', false, 'get'], lost: [12, 'unknown', false, 'get'] },
      not_sent: [11, 'not_sent', true, 'same'],
    },
  };
  const cells = (Object.keys(TABLE) as RetryClass[]).flatMap((retry) =>
    KINDS.map((kind) => [retry, kind] as const),
  );

  it.each(cells)('%s, %s', (retry, kind) => {
    const attempts = retry === 'once' ? [attemptOf(kind)] : thrice(attemptOf(kind));
    const conclusion = conclude(tried(CALLS[retry], attempts));
    const [exitCode, outcome, retryable, next] = TABLE[retry][kind];
    expect([...facts(conclusion), conclusion.next?.kind ?? null]).toEqual([
      ...[exitCode, outcome, retryable, next],
    ]);
  });
});

describe('a refusal', () => {
  it.each([
    [400, 'amount_out_of_range', 6],
    [401, 'unauthorized', 4],
    [403, 'scope_missing', 4],
    [404, 'not_found', 5],
    [409, 'idempotency_key_reused', 7],
    [429, 'slow_down', 10],
    [503, 'temporarily_unavailable', 10],
  ] as const)('with %i %s ends in %i, for each class', (status, code, exitCode) => {
    for (const id of Object.values(CALLS)) {
      const { error, ...rest } = conclude(tried(id, [refused(status, code)]));
      expect(rest).toMatchObject({ exitCode, outcome: 'sent' });
      expect(error).toMatchObject({ code, status });
    }
  });

  it('that the contract does not know breaks it, and leaves the outcome of a create unknown', () => {
    const conclude405 = (id: EndpointId): Conclusion =>
      conclude(tried(id, [refused(405, 'method_not_allowed')]));
    for (const id of [CALLS.safe, CALLS.once]) {
      expect(conclude405(id)).toMatchObject({
        ...{ exitCode: 1, outcome: 'sent', error: { code: 'contract_broken' } },
      });
    }
    expect(conclude405(CALLS.keyed)).toMatchObject({ exitCode: 12, outcome: 'unknown' });
  });

  it('of a call that is made once names the get that comes first', () => {
    expect(conclude(tried('payins.cancel', [refused(409, 'not_cancellable')])).next).toEqual(get);
    expect(conclude(tried('payouts.cancel', [refused(503, 'temporarily_unavailable')])).next).toEqual({
      ...get,
      endpointId: 'payouts.get',
    });
  });

  it('of a create for the moment is to be tried again with the key it had', () => {
    expect(conclude(tried('payouts.create', thrice(refused(503, 'temporarily_unavailable')))).next).toEqual({
      kind: 'same',
      key: KEY,
    });
  });

  it('of a registration leads to no lookup: there is none', () => {
    const conclusion = conclude(tried('webhooks.register', [refused(503, 'temporarily_unavailable')]));
    expect([...facts(conclusion), conclusion.next]).toEqual([10, 'sent', false, { kind: 'same', key: null }]);
  });

  it('for a scope names the scope', () => {
    expect(conclude(tried('balances', [refused(403, 'scope_missing')])).error?.message).toMatch(
      /[^.]: this needs the scope saldos:leer[.]$/,
    );
  });
});

describe('an answer that never came whole', () => {
  it.each([
    ['reset', 11],
    ['timeout', 11],
    ['truncated', 11],
    ['too_large', 1],
    ['encoding', 1],
    ['malformed', 1],
  ] as const)('%s ends a read in %i and a create in 12', (reason, exitCode) => {
    const attempts = thrice(attemptOf('lost', { reason }));
    expect(conclude(tried('events.list', attempts)).exitCode).toBe(exitCode);
    expect(facts(conclude(tried('payins.create', attempts)))).toEqual([12, 'unknown', false]);
  });
});

describe('where attempts differ', () => {
  const ends = (endpointId: EndpointId, ...kinds: (AttemptKind | Attempt)[]) =>
    conclude(
      tried(
        endpointId,
        kinds.map((kind) => (typeof kind === 'string' ? attemptOf(kind) : kind)),
      ),
    );

  it.each([
    [['lost', 'unavailable', 'unavailable']],
    [['lost', 'refused']],
    [['unreadable', 'not_sent', 'not_sent']],
    [['server_error', 'broken']],
    [['broken', 'refused']],
    [['mismatched', 'refused']],
    [['not_sent', 'lost', 'not_sent']],
  ] as [AttemptKind[]][])('a create once unknown stays unknown: %j', (kinds) => {
    const conclusion = ends('payins.create', ...kinds);
    expect(facts(conclusion)).toEqual([12, 'unknown', false]);
    expect(conclusion.next).toEqual({ kind: 'repeat', key: KEY });
  });

  it('not even a reused key tells what became of the attempt before', () => {
    expect(ends('payins.create', 'lost', refused(409, 'idempotency_key_reused')).exitCode).toBe(12);
    expect(ends('payins.create', 'lost', refused(401, 'unauthorized')).exitCode).toBe(12);
  });

  it('an operation in hand ends it, whatever came before', () => {
    expect(ends('payouts.create', 'lost', 'server_error', succeeded(confirmed)).exitCode).toBe(0);
    expect(ends('payouts.create', 'lost', succeeded(failedOperation('rejected'))).exitCode).toBe(9);
  });

  it('the worst counts, in any order, where none of them settles it', () => {
    expect(ends('balances', 'unavailable', 'lost', 'not_sent').exitCode).toBe(10);
    expect(ends('balances', 'lost', 'not_sent', 'unavailable').exitCode).toBe(10);
    expect(ends('balances', 'unreadable', 'lost', 'unavailable').exitCode).toBe(1);
    expect(ends('payins.create', 'unavailable', 'not_sent', 'not_sent').exitCode).toBe(10);
  });

  it('an operation in hand ends it, whatever came after', () => {
    expect(ends('payouts.create', succeeded(confirmed), 'lost').exitCode).toBe(0);
  });

  it('a definite last answer counts before what went wrong on the way to it', () => {
    expect(ends('balances', 'unreadable', refused(404, 'not_found')).exitCode).toBe(5);
    expect(ends('payins.create', 'not_sent', 'unavailable', 'refused').exitCode).toBe(6);
  });
});

describe('an operation that was there before a create left', () => {
  const LEFT_MS = Date.parse('2026-09-23T15:00:00Z');
  const created = (createdAt: string | undefined, isOwnKey: boolean, status = 'confirmed'): Conclusion =>
    conclude({
      ...tried('payouts.create', [succeeded(operation(status, { created_at: createdAt }))]),
      create: { firstLeftMs: LEFT_MS, isOwnKey },
    });

  it.each([
    ['2026-09-23T15:00:00Z', false],
    ['2026-09-23T14:50:00Z', false],
    ['2026-09-23T14:49:59Z', true],
    ['2025-09-23T15:00:00Z', true],
    ['2026-09-23T18:00:00Z', false],
    ['yesterday', false],
    [undefined, false],
  ])('made %s is an older payment: %s', (createdAt, isOlder) => {
    const generated = created(createdAt, false);
    expect(facts(generated)).toEqual(isOlder ? [12, 'unknown', false] : [0, 'sent', false]);
    if (isOlder) expect(generated.error).toMatchObject({ code: 'older_payment' });
    expect(generated.next).toEqual(isOlder ? { kind: 'repeat', key: KEY } : null);
    expect(created(createdAt, true)).toMatchObject({ exitCode: 0, outcome: 'sent', isOlder });
  });

  it('under a key of the caller ends by its state, and is known to be older', () => {
    expect(created('2026-09-20T15:00:00Z', true, 'failed')).toMatchObject({ exitCode: 9, isOlder: true });
  });

  it('is taken for the one that was asked for where it is not known when that left', () => {
    const call = tried('payouts.create', [
      succeeded(operation('confirmed', { created_at: '2020-01-01T00:00:00Z' })),
    ]);
    expect(conclude(call)).toMatchObject({ exitCode: 0, isOlder: false });
  });
});

describe('an address that may not be the service', () => {
  it.each([
    [301, '', true],
    [308, '', true],
    [404, 'not_found', true],
    [405, 'method_not_allowed', true],
    [409, 'other_conflict', false],
    [418, 'teapot', false],
  ])('answers a create with %i %s: %s', (status, code, mayBeElsewhere) => {
    const attempt = createRefused(status, code);
    expect(conclude(tried('payouts.create', [attempt]))).toMatchObject({ exitCode: 12, mayBeElsewhere });
  });

  it('is not meant by an answer that was lost', () => {
    expect(conclude(tried('payouts.create', [attemptOf('lost')])).mayBeElsewhere).toBe(false);
  });
});

describe('the state of an operation', () => {
  const judged = (id: EndpointId, body: object, criterion?: Criterion) =>
    conclude(tried(id, [succeeded(body)]), criterion);

  it.each<[EndpointId, object, number, number]>([
    ['payins.create', confirmed, 0, 0],
    ['payins.create', awaitingCode, 0, 8],
    ['payouts.create', processing, 0, 8],
    ['payouts.create', rejected, 9, 9],
    ['payins.confirm', confirmed, 0, 0],
    ['payins.confirm', processing, 0, 8],
    ['payins.confirm', rejected, 9, 9],
    ['payins.get', rejected, 0, 9],
    ['transactions.get', confirmed, 0, 0],
    ['transactions.get', processing, 0, 8],
    ['payouts.get', operation('settling'), 0, 8],
    ['payins.resend', awaitingCode, 0, 8],
    ['payins.cancel', cancelled, 0, 0],
    ['payouts.cancel', cancelled, 0, 0],
    ['payouts.cancel', processing, 1, 1],
    ['payouts.cancel', confirmed, 1, 1],
    ['payouts.cancel', operation('cancelled'), 0, 0],
  ])('%s with %j', (id, body, byAnswer, byStatus) => {
    expect(judged(id, body).exitCode).toBe(byAnswer);
    expect(judged(id, body, 'status').exitCode).toBe(byStatus);
    expect(judged(id, body).outcome).toBe('sent');
  });

  it('says why it failed, by the code of the failure', () => {
    const { error, next } = judged('payins.confirm', rejected);
    expect(error).toMatchObject({ code: 'code_rejected', status: 200 });
    expect(error?.message).toContain('It was not to be.');
    expect(next).toBeNull();
  });

  it('while pending says who can go on', () => {
    expect(judged('payins.get', awaitingCode, 'status').next).toEqual({ kind: 'confirm', id: ID });
    expect(judged('payins.get', processing, 'status').next).toEqual({
      ...{ kind: 'wait', endpointId: 'transactions.get', id: ID },
    });
  });
});

describe('a lost answer that was looked up', () => {
  const looked = (id: EndpointId, body: object | null, criterion?: Criterion) =>
    conclude(tried(id, [attemptOf('lost')], body === null ? null : succeeded(body)), criterion);

  it.each<[EndpointId, object, number]>([
    ['payins.confirm', confirmed, 0],
    ['payins.confirm', rejected, 9],
    ['payins.confirm', processing, 0],
    ['payins.confirm', awaitingCode, 12],
    ['payins.confirm', operation('settling'), 12],
    ['payins.resend', awaitingCode, 12],
    ['payins.resend', confirmed, 7],
    ['payins.resend', rejected, 7],
    ['payins.resend', processing, 7],
    ['payins.cancel', cancelled, 0],
    ['payins.cancel', failedOperation('expired'), 7],
    ['payins.cancel', confirmed, 7],
    ['payins.cancel', operation('pending', { pending_reason: 'awaiting_payment' }), 12],
    ['payouts.cancel', cancelled, 0],
    ['payouts.cancel', failedOperation('rejected'), 7],
    ['payouts.cancel', operation('failed'), 7],
    ['payouts.cancel', processing, 12],
  ])('%s and now %j ends in %i', (id, body, exitCode) => {
    const conclusion = looked(id, body);
    expect(conclusion.exitCode).toBe(exitCode);
    expect(conclusion.outcome).toBe(exitCode === 12 ? 'unknown' : 'sent');
    expect(conclusion.operation).toEqual(readOperation(body));
    expect(conclusion.answer).not.toBeNull();
    expect(conclusion.next?.kind ?? null).toBe(exitCode === 12 ? 'get' : null);
    expect(conclusion.error === null).toBe(exitCode === 0);
  });

  it('settles a confirmation that is waited for only when that is final', () => {
    expect(looked('payins.confirm', processing, 'status').exitCode).toBe(8);
    expect(looked('payins.confirm', confirmed, 'status').exitCode).toBe(0);
  });

  it('in vain stays unknown', () => {
    expect(looked('payins.confirm', null).exitCode).toBe(12);
    for (const kind of KINDS.filter((kind) => kind !== 'success')) {
      const conclusion = conclude(tried('payins.confirm', [attemptOf('lost')], attemptOf(kind)));
      expect([...facts(conclusion), conclusion.next]).toEqual([12, 'unknown', false, get]);
    }
  });

  it('of a registration says to register again', () => {
    const conclusion = conclude(tried('webhooks.register', [attemptOf('unreadable')]));
    expect([...facts(conclusion), conclusion.next]).toEqual([
      ...[12, 'unknown', false],
      { kind: 'register-again' },
    ]);
    expect(conclusion.error?.message).toMatch(/previous secret stays valid for 24 hours/);
  });
});

describe('a request that is no row of the table', () => {
  const raw = (retry: RetryClass, attempt: Attempt): CallAttempts => ({
    ...{ endpointId: null, retry, id: null, idempotencyKey: null, attempts: [attempt], create: null },
    lookup: null,
  });

  it('ends by the same rules', () => {
    expect(facts(conclude(raw('safe', attemptOf('lost'))))).toEqual([11, 'sent', true]);
    expect(facts(conclude(raw('once', attemptOf('lost'))))).toEqual([12, 'unknown', false]);
    expect(conclude(raw('once', attemptOf('lost'))).next).toBeNull();
    expect(conclude(raw('once', attemptOf('success', { operation: null }))).exitCode).toBe(0);
  });
});

describe('for any call and any attempts', () => {
  const UNKNOWN: readonly AttemptKind[] = ['lost', 'unreadable', 'server_error', 'mismatched'];
  const UNKNOWN_OF_CREATE: readonly AttemptKind[] = [...UNKNOWN, 'broken'];
  const samples = [
    ...KINDS.map((kind) => attemptOf(kind)),
    refused(401, 'unauthorized'),
    refused(404, 'not_found'),
    refused(409, 'not_cancellable'),
    attemptOf('lost', { reason: 'truncated' }),
    ...[awaitingCode, processing, rejected, cancelled].map(succeeded),
  ];
  const anyAttempt = fc.constantFrom(...samples);
  const anyTried = fc
    .record({
      endpointId: fc.constantFrom(...ENDPOINT_IDS),
      attempts: fc.array(anyAttempt, { minLength: 1, maxLength: 4 }),
      lookup: fc.option(anyAttempt),
    })
    .map(({ endpointId, attempts, lookup }) => tried(endpointId, attempts, lookup));
  const anyCriterion = fc.constantFrom<Criterion>('answer', 'status');

  it('unknown is 12 and 12 is unknown, an error stands exactly where the exit is not 0', () => {
    fc.assert(
      fc.property(anyTried, anyCriterion, (call, criterion) => {
        const { exitCode, outcome, error, retryable, next } = conclude(call, criterion);
        expect(outcome === 'unknown').toBe(exitCode === 12);
        expect(error === null).toBe(exitCode === 0);
        expect(outcome === 'not_sent').toBe(call.attempts.every(({ kind }) => kind === 'not_sent'));
        if (exitCode === 0) expect(next).toBeNull();
        if (retryable) expect([10, 11]).toContain(exitCode);
        if (call.retry === 'once') expect(retryable).toBe(outcome === 'not_sent');
        if (error !== null) expect(error.message).not.toMatch(/undefined|null|^$|\.\.|: \./);
      }),
    );
  });

  it('a write with an unknown attempt and no operation in hand ends in 12, and is never simply made again', () => {
    fc.assert(
      fc.property(anyTried, anyCriterion, (call, criterion) => {
        fc.pre(call.retry !== 'safe' && call.attempts.some(({ kind }) => UNKNOWN.includes(kind)));
        fc.pre(!call.attempts.some(({ kind }) => kind === 'success') && call.lookup?.kind !== 'success');
        const { exitCode, next } = conclude(call, criterion);
        expect(exitCode).toBe(12);
        expect(next?.kind).toBe(
          call.retry === 'keyed'
            ? 'repeat'
            : call.endpointId === 'webhooks.register'
              ? 'register-again'
              : 'get',
        );
      }),
    );
  });

  it('a create that ends in 0, 4, 6, 7, 10 or 11 without an operation was not carried out: no attempt is unknown', () => {
    fc.assert(
      fc.property(fc.array(anyAttempt, { minLength: 1, maxLength: 3 }), (attempts) => {
        const conclusion = conclude(tried('payouts.create', attempts));
        fc.pre(conclusion.operation === null && conclusion.exitCode !== 12);
        expect(attempts.filter(({ kind }) => UNKNOWN_OF_CREATE.includes(kind))).toEqual([]);
      }),
    );
  });

  it('the order of attempts that settle nothing does not matter', () => {
    const open = samples.filter(({ kind }) => !['success', 'refused', 'broken'].includes(kind));
    fc.assert(
      fc.property(
        fc.constantFrom(...ENDPOINT_IDS),
        fc.array(fc.constantFrom(...open), { minLength: 2, maxLength: 3 }),
        (endpointId, attempts) => {
          const codes = [attempts, attempts.toReversed()].map(
            (order) => conclude(tried(endpointId, order)).exitCode,
          );
          expect(codes[0]).toBe(codes[1]);
        },
      ),
    );
  });
});
