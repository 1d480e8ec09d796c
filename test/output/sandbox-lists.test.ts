import { expect, it } from 'vitest';
import { renderSandboxList } from '../../src/sandbox/view.js';
import { json, readerOf } from './samples.js';

const REQUEST = {
  ...{ id: 7, at: '2026-09-23T15:00:00Z', wall_at: '2026-09-23T15:00:00.000Z', method: 'POST' },
  ...{ path: '/sandbox/v2/payouts', endpoint: 'payouts.create', company: 'default', status: 400, ms: 1 },
  ...{ idempotency_key: null, replayed: false, fault: null, refused: 'The header is missing.' },
};

it('a request that was refused says why, one that was cut says so', () => {
  const requests = [REQUEST, { ...REQUEST, id: 6, status: null, fault: 'drop-after', refused: null }];
  const text = renderSandboxList(json({ requests }), 'requests', readerOf(120));
  expect(text).toMatch(/ 7 +✗ 400 +POST +\/sandbox\/v2\/payouts .*The header is missing\./);
  expect(text).toMatch(/ 6 +✗ cut .*drop-after/);
  expect(text).not.toContain('null');
});

it('a fault is named with what belongs to it', () => {
  const faults = [
    { id: 1, route: 'balances', kind: 'status', status: 502, after: true, remaining: 1 },
    { id: 2, route: 'balances', kind: 'outcome', pending: true, remaining: 1 },
    { id: 3, route: 'balances', kind: 'silent', remaining: 1 },
  ];
  const text = renderSandboxList(json({ faults }), 'faults', readerOf(120));
  expect(text).toMatch(/status 502 after it is carried out +1\n/);
  expect(text).toMatch(/outcome pending +1\n/);
  expect(text).toMatch(/silent +1\n/);
});

it.each([40, 60, 80, 120])(
  'an operation in %i columns has its money, its state and what it waits for',
  (width) => {
    const operation = {
      ...{ id: '7bb1c4a9-abe9-412e-a7b5-b624fd094fa4', type: 'payout', amount: '10.00', currency: 'VES' },
    };
    const operations = [
      { operation: { ...operation, status: 'pending' }, waits_for: { kind: 'bank', until: null } },
      { operation: { ...operation, status: 'failed' }, waits_for: null },
    ];
    const text = renderSandboxList(json({ operations }), 'operations', readerOf(width));
    for (const part of ['10.00 VES', '○ pending', '✗ failed', 'bank', operation.id.slice(0, 8)])
      expect(text).toContain(part);
    expect(text).not.toContain('null');
  },
);

it.each([60, 80, 120])('a delivery in %i columns says how it stands, without its bytes', (width) => {
  const id = '955f181a-4e64-4f2c-a185-2b0d328fe99b';
  const attempts = [{ at: '2026-09-23T15:00:00Z', status: null, error: 'refused', request: { body: '{}' } }];
  const delivery = {
    ...{ id, event_id: id, type: 'payout.confirmed', url: 'http://localhost:3000/', attempts },
    ...{ reference: 'order-1', amount: '10.00', currency: 'VES', fault: null },
  };
  const deliveries = [
    { ...delivery, status: 'pending', result: 'refused', next_attempt_at: '2026-09-23T15:00:30Z' },
    {
      ...delivery,
      ...{ status: 'delivered', result: 'delivered', attempts: [{ status: 204 }], next_attempt_at: null },
    },
    { ...delivery, status: 'pending', result: null, fault: 'hold', attempts: [], next_attempt_at: null },
  ];
  const text = renderSandboxList(json({ deliveries }), 'deliveries', readerOf(width));
  const parts = ['○ pending', '✓ delivered', '✗ refused', '○ held (hold)', 'order-1', '10.00 VES'];
  for (const part of [...parts, id.slice(0, 8)]) expect(text).toContain(part);
  for (const part of ['null', 'event_id', '{']) expect(text).not.toContain(part);
  expect(text.split('\n').filter((line) => line.startsWith('955f181a'))).toHaveLength(3);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
});

it('of nothing they say so, and any other list is shown as it comes', () => {
  expect(renderSandboxList(json({ requests: [] }), 'requests', readerOf(80))).toContain('No requests.');
  expect(renderSandboxList(json({ deliveries: [{ id: 'x' }] }), 'deliveries', readerOf(80))).toContain('x');
  const pings = renderSandboxList(json({ pings: [{ event_id: 'x' }] }), 'pings', readerOf(80));
  expect(pings).toContain('Event id');
});
