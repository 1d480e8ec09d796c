import { expect, it } from 'vitest';
import { EventBatch, tableFillerOf, type OpenTable } from '../../../src/events/into/batch.js';
import { rowsOf } from '../../../src/events/into/rows.js';
import { positionIn } from '../../../src/events/into/table.js';
import { eventJson, page } from '../../feed/feed.js';
import { settled } from '../../feed/manual-clock.js';

it('is one batch, while another one is written', async () => {
  const writes: (() => void)[] = [];
  const write: OpenTable['write'] = () => new Promise((resolve) => void writes.push(resolve));
  const nothing = { position: null, count: 0, newestOperation: null, loss: new AbortController().signal };
  const { checkpoint } = tableFillerOf({ ...nothing, write });
  await checkpoint.save({ cursor: 'a', ids: [] });
  let isSaved = false;
  const second = Promise.resolve(checkpoint.save({ cursor: 'b', ids: [] })).then(() => (isSaved = true));
  await settled();
  expect([isSaved, writes.length]).toEqual([false, 1]);
  writes[0]?.();
  await second;
  writes[1]?.();
});

it('has each event where it came first, and of each operation what counts', () => {
  const batch = new EventBatch(7);
  const failed = { id: 'op', status: 'failed' };
  const texts = [
    eventJson('e1', { id: 'op', status: 'confirmed' }),
    eventJson('e1', { id: 'op', status: 'confirmed', amount: '12.00' }),
    eventJson('e2', failed).replace('payout.confirmed', 'payout.failed'),
  ];
  const read = page(texts, null);
  batch.add(read, read.events);
  expect(batch.lastNumber).toBe(10);
  expect(batch.events.map(({ number, id }) => [number, id])).toEqual([
    [8, 'e1'],
    [10, 'e2'],
  ]);
  expect(batch.operations).toMatchObject([{ id: 'op', status: 'confirmed', amount: '12.00' }]);
});

const rowOf = (text: string) => {
  const read = page([text], null);
  return rowsOf(read, read.events[0]!).event;
};

it('holds an id of 200 characters, and of one that no table holds a digest', () => {
  expect(rowOf(eventJson('e'.repeat(200))).id).toBe('e'.repeat(200));
  for (const id of ['e'.repeat(201), 'e'.repeat(5000), 'a\0b'])
    expect(rowOf(eventJson(id)).id).toMatch(/^sha256:[0-9a-f]{64}$/);
  const read = page([eventJson('e1', { id: 'o'.repeat(301), status: 'confirmed' })], null);
  expect(rowsOf(read, read.events[0]!).operation?.id).toMatch(/^sha256:[0-9a-f]{64}$/);
});

it.each([
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
])('holds the moment %s', (text, moment) => {
  expect(rowOf(eventJson('e1').replace('2026-09-23T15:00:00Z', text)).occurred_at).toBe(moment);
});

it.each(['{"cursor":"a","ids":[7]}', '{"cursor":7,"ids":[]}', '{"cursor":"a"}', '"a"', '{'])(
  'goes on from no place that svc did not write: %s',
  (text) => {
    expect(() => positionIn(text)).toThrow(expect.objectContaining({ facts: { code: 'into_damaged' } }));
  },
);
