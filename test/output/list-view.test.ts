import { describe, expect, it } from 'vitest';
import type { ResultKind } from '../../src/contract/endpoints.js';
import { renderList, renderView } from '../../src/output/views.js';
import { json, readerOf } from './samples.js';

const requests = [
  {
    ...{ key: 'rent-2026-11', endpoint: 'payouts.create', environment: 'sandbox' },
    ...{ amount: '40.00', reference: null },
  },
  { key: 'rent-2026-12', endpoint: 'payouts.create', environment: 'live', amount: '41.00', reference: 'r' },
];

describe('a list of a kind that has no view yet', () => {
  const row = { result: 'settlements' as ResultKind, list: 'settlements' };
  const settlements = [
    { id: 's1', currency: 'VES', amount: '1500.50' },
    { id: 's2', currency: 'CLP', amount: '12' },
  ];

  it('is a table, and says where the next page begins', () => {
    const text = renderView(row, json({ settlements, next_cursor: 'c2' }), readerOf(80));
    expect(text).toBe('id  currency  amount\ns1  VES       1500.50\ns2  CLP       12\n\nNext cursor: c2\n');
  });

  it('is found under another wrapper, and shown as it is where there is none', () => {
    const table = renderView(row, json({ settlements, next_cursor: null }), readerOf(80));
    expect(renderView(row, json({ items: settlements }), readerOf(80))).toBe(table);
    expect(renderView(row, json({ total: '3' }), readerOf(80))).toBe('total  3\n');
  });
});

describe('a list of anything', () => {
  it('is a table of its leaves, a null an empty cell', () => {
    expect(renderList(json({ requests }), 'requests', readerOf(80))).toBe(
      'key           endpoint        environment  amount  reference\n' +
        'rent-2026-11  payouts.create  sandbox      40.00\n' +
        'rent-2026-12  payouts.create  live         41.00   r\n',
    );
  });

  it('leaves nothing out where the width does not suffice: elements stand beneath each other', () => {
    const text = renderList(json({ requests }), 'requests', readerOf(45));
    expect(text).toContain('key          rent-2026-11\nendpoint     payouts.create\n');
    expect(text).toContain('amount       40.00\n');
  });

  it('keeps ids in one piece, and a time line a table of lines: an id stands beneath its line where there is no room beside it', () => {
    const id = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';
    const timeline = [
      { at: '2026-09-23T15:00:00Z', what: 'state', outcome: 'confirmed', detail: '00000001' },
      { at: '2026-09-23T15:00:00Z', what: 'event', outcome: 'payout.confirmed', detail: id },
    ];
    const text = (width: number) => renderList(json({ timeline }), 'timeline', readerOf(width));
    expect(text(100)).toMatch(
      new RegExp(`^2026-09-23 15:00:00Z {2}event {2}payout.confirmed {2}${id}$`, 'm'),
    );
    expect(text(60)).toMatch(
      new RegExp(`^2026-09-23 15:00:00Z {2}event {2}payout.confirmed\n {2}detail {2}${id}$`, 'm'),
    );
  });

  it('says that there is nothing', () => {
    expect(renderList(json({ requests: [] }), 'requests', readerOf(80))).toBe('No requests.\n');
  });

  it.each([{ other: 1 }, 'text', [null], { requests: [1, 'a', {}] }])('shows %j somehow', (value) => {
    expect(typeof renderList(json(value), 'requests', readerOf(60))).toBe('string');
  });
});
