import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../src/contract/events.js';
import { readOperations } from '../../src/feed/sync.js';
import { type KnownOperation, mergeOperations, chooseEvent } from '../../src/contract/operation-facts.js';
import { eventText, HOUR_MS, known, pageOf, START_MS, uuid } from './given.js';

const only = (event: string): KnownOperation => known(event)[0]!;

describe('an event', () => {
  it('becomes what it says of its operation, and nothing of people', () => {
    expect(known(eventText({ number: 3 }), eventText({ number: 4 }))).toEqual([
      {
        ...{ id: uuid(3), status: 'confirmed', code: null, failureReason: null, failureMessage: null },
        ...{ direction: 'payout', country: 'VE', amount: '3.50', currency: 'VES', method: 'mobile_payment' },
        ...{ reference: 'emp-3', bankReference: '00000003', createdAtMs: START_MS + 2 * HOUR_MS },
        ...{ confirmedAtMs: START_MS + 3 * HOUR_MS, occurredAtMs: START_MS + 3 * HOUR_MS },
        eventId: uuid(3, 5),
      },
      expect.objectContaining({
        ...{ status: 'failed', code: 'counterparty_rejected', failureReason: 'invalid_account' },
        ...{ bankReference: null, confirmedAtMs: null, amount: '4.50' },
      }),
    ]);
  });

  it.each([
    ['the operation', { number: 0, data: { type: 'payin' } }, 'payin'],
    ['the type of the event, where it is silent', { number: 0, data: { type: undefined } }, 'payout'],
    ['the type of the event, where it says nothing known', { number: 0, data: { type: 'refund' } }, 'payout'],
  ])('has the direction of %s', (_of, told, direction) => {
    expect(only(eventText(told)).direction).toBe(direction);
  });

  it('may lack whatever is not needed, and amounts may be numbers', () => {
    const silent = {
      ...{ reference: undefined, created_at: undefined, confirmed_at: 'yesterday', bank_reference: 7 },
    };
    expect(only(eventText({ number: 1, data: { ...silent, amount: 12.5, currency: null } }))).toMatchObject({
      ...{ reference: null, createdAtMs: null, confirmedAtMs: null },
      ...{ bankReference: null, amount: '12.5', currency: null },
    });
  });

  it('keeps a status that nobody knows, and counts it as no failure', () => {
    expect(only(eventText({ number: 1, data: { status: 'settled' } })).status).toBe('settled');
  });

  it('is passed over where it is a test or of a type that is not known, whatever it carries', () => {
    const passed = [
      eventText({ number: 1, type: 'test.ping', data: { status: 'pending' } }),
      eventText({ number: 2, type: 'payout.created', data: { id: 7 } }),
      '{"id":"x","type":"company.renamed"}',
    ];
    expect(known(...passed, eventText({ number: 3 }))).toMatchObject([{ id: uuid(3) }]);
  });

  it('of every published type but the test is read', () => {
    for (const type of EVENT_TYPES.filter((one) => one !== 'test.ping')) {
      const [noun, status] = type.split('.');
      const event = eventText({ number: 1, type, data: { status, type: undefined } });
      expect(only(event)).toMatchObject({ direction: noun, status });
    }
  });
});

describe('a feed is unreadable', () => {
  const timeless = eventText({ number: 1 }).replace(/"occurred_at":"[^"]*"/, '"occurred_at":"soon"');
  it.each([
    ['without an operation', '{"id":"e1","type":"payout.confirmed","occurred_at":"2026-09-01T00:00:00Z"}'],
    ['with an operation without a status', eventText({ number: 1, data: { status: undefined } })],
    ['with an operation without an id', eventText({ number: 1, data: { id: '' } })],
    ['without a time', timeless],
    ['without a type', '{"id":"e1"}'],
    ['that is no JSON', '{"id":"e1",}'],
    ['that says confirmed of an operation that failed', eventText({ number: 1, data: { status: 'failed' } })],
    ['that says failed of one that is pending', eventText({ number: 4, data: { status: 'pending' } })],
  ])('by an event %s', (_what, event) => {
    const read = () => known(eventText({ number: 0 }), event);
    const facts: unknown = expect.objectContaining({ code: 'feed_unreadable' });
    expect(read).toThrow(expect.objectContaining({ kind: 'defect', facts }) as Error);
  });

  it.each(['{"transactions":[]}', '[]'])('where it is empty and not called events: %s', (text) => {
    const body = Buffer.from(text);
    expect(() => readOperations({ body, events: [] })).toThrow('has no list of events');
    expect(readOperations({ body: Buffer.from('{"events":[]}'), events: [] })).toEqual([]);
  });

  it('by bytes that are no UTF-8: a reference would become another one', () => {
    const { body, events } = pageOf([eventText({ number: 1, data: { reference: 'caf?' } })], null);
    const broken = Buffer.from(body);
    broken[broken.indexOf('caf?') + 3] = 0xe9;
    expect(() => readOperations({ body: broken, events })).toThrow('is not JSON');
  });
});

describe('of two sayings about one operation', () => {
  const saying = fc.tuple(fc.constantFrom(0, 4), fc.nat(3), fc.nat(9)).map(([number, hour, event]) => ({
    ...only(eventText({ number, atMs: START_MS + hour * HOUR_MS, eventId: `${number}-${hour}-${event}` })),
    id: uuid(1),
  }));
  const two = (...events: [string, string]) => known(...events) as [KnownOperation, KnownOperation];

  it('the same is kept whatever comes first, and however often', () => {
    const sayings = fc.array(saying, { minLength: 1, maxLength: 6 });
    const kept = (list: readonly KnownOperation[]) => list.reduce((a, b) => chooseEvent(a, b));
    const seen = (a: KnownOperation, b: KnownOperation) => {
      const { replaces, ends } = mergeOperations(a, b);
      return { ...(replaces ? b : a), ends };
    };
    const inAnyOrder = fc.property(sayings, fc.infiniteStream(fc.nat()), (said, order) => {
      const keyed = said.map((one) => [order.next().value, one] as const).sort(([a], [b]) => a - b);
      const shuffled = keyed.map(([, one]) => one);
      expect(kept(shuffled)).toEqual(kept([...said, ...said]));
      const isBoth = new Set(said.map(({ status }) => status)).size > 1;
      expect(shuffled.reduce(seen).ends).toBe(isBoth ? 'both' : undefined);
    });
    fc.assert(inAnyOrder);
  });

  it('one that did not fail comes before one that did', () => {
    const late = eventText({ number: 0, atMs: START_MS + HOUR_MS });
    const [confirmed, failed] = two(late, eventText({ number: 4, atMs: START_MS }));
    expect([chooseEvent(confirmed, failed), chooseEvent(failed, confirmed)]).toEqual([confirmed, confirmed]);
  });

  it('of the same event what it says now', () => {
    const unsaid = eventText({ number: 0, data: { bank_reference: null } });
    const [before, now] = two(unsaid, eventText({ number: 0 }));
    expect(chooseEvent(before, now)).toBe(now);
  });
});
