import { describe, expect, it } from 'vitest';
import { EVENT_TYPES, type EventType } from '../../../src/contract/events.js';
import { readEvent } from '../../../src/events/webhooks/delivery.js';
import { sampleEvent } from '../../../src/events/webhooks/sample.js';
import { SAMPLE_IDS } from './samples.js';

function data(type: EventType, ...set: [string, string][]): Record<string, unknown> {
  const asked = set.map(([path, value]) => ({ path: path.split('.'), text: value }));
  const text = sampleEvent(type, SAMPLE_IDS, asked);
  return (JSON.parse(text) as { data: Record<string, unknown> }).data;
}

it.each(EVENT_TYPES)('%s is an event whose data fits its type', (type) => {
  const read = readEvent(Buffer.from(sampleEvent(type, SAMPLE_IDS, [])));
  expect(read).toMatchObject({ event: { id: 'e1', type, occurred_at: SAMPLE_IDS.nowIso } });
  if (type === 'test.ping') return;
  const [direction, status] = type.split('.');
  expect(data(type)).toMatchObject({ type: direction, status, id: SAMPLE_IDS.operationId });
});

it('a test.ping carries what section 6 says', () => {
  const id = '00000000-0000-0000-0000-000000000000';
  expect(data('test.ping')).toMatchObject({
    id,
    status: 'pending',
    amount: '0.00',
    metadata: { test: true },
  });
});

describe('an override', () => {
  it.each<[EventType, string, string, object]>([
    ['payin.confirmed', 'amount', '1.10', { amount: '1.10' }],
    ['payout.failed', 'failure.code', 'expired', { failure: { code: 'expired' } }],
    ['payin.confirmed', 'metadata.order', '7', { metadata: { order: '7' } }],
    ['payin.confirmed', 'metadata', '{"order":7}', { metadata: { order: 7 } }],
    ['payin.confirmed', 'pending_reason', 'processing', { pending_reason: 'processing' }],
    ['test.ping', 'metadata.test', 'false', { metadata: { test: false } }],
  ])('of %s: %s=%s', (type, path, text, expected) => {
    expect(data(type, [path, text])).toMatchObject(expected);
  });

  it.each<[EventType, string, string]>([
    ['payin.confirmed', 'nope', '1'],
    ['payin.confirmed', 'failure.code', 'expired'],
    ['payin.confirmed', 'amount.value', '1'],
    ['payin.confirmed', 'metadata.a.b', '1'],
    ['payin.confirmed', 'metadata', 'text'],
    ['payin.confirmed', 'metadata.__proto__', '{}'],
    ['payin.confirmed', '__proto__.x', '1'],
    ['test.ping', 'metadata.test', 'perhaps'],
  ])('that matches nothing, or does not fit, is refused: %s %s=%s', (type, path, text) => {
    expect(() => data(type, [path, text])).toThrow(RangeError);
  });
});
