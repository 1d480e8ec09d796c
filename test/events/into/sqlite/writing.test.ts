import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { EventBatch } from '../../../../src/events/into/batch.js';
import type { OperationRow } from '../../../../src/events/into/rows.js';
import { BEGIN_FEED_FILE, INTO_KIND, fileWriter } from '../../../../src/events/into/sqlite/sqlite-table.js';
import { TableAway } from '../../../../src/events/into/table.js';
import { openDatabase } from '../../../../src/runtime/database.js';
import { testFolder } from '../../../support/test-folder.js';
import { eventJson, page } from '../../../feed/feed.js';

const POSITION = { cursor: 'c', eventId: null } as never;

function opened() {
  const file = join(testFolder(), 'books.db');
  const db = openDatabase(file, INTO_KIND);
  onTestFinished(() => db.close());
  db.run(BEGIN_FEED_FILE, 'sandbox', 'https://api.example.com');
  const writer = fileWriter(db, { events: 0, indexed: 0, sequence: 0 }, { now: () => 0 });
  return { file, db, writer };
}

function operation(about: Partial<OperationRow>): OperationRow {
  const nothing = {
    ...{ failure_code: null, failure_reason: null, amount: '1.50', currency: 'VES', country: null },
    ...{ method: null, reference: 'pay-1', bank_reference: null, created_at: null, confirmed_at: null },
  };
  return {
    ...{ id: 'op-1', direction: 'payout', status: 'confirmed', ...nothing },
    ...{ occurred_at: '2026-09-01T12:00:00Z', occurredAtMs: Date.parse('2026-09-01T12:00:00Z') },
    ...{ event: 'event-1', eventId: 'event-1' },
    ...about,
  };
}

const batchOf = (lastNumber: number, about: Partial<OperationRow>): EventBatch =>
  ({
    lastNumber,
    events: [],
    operations: [operation(about)],
    newestOperation: 'op-1',
  }) as unknown as EventBatch;

it('says of a file that another program holds that it is away, so that the follower comes back', async () => {
  const { file, db, writer } = opened();
  db.query('PRAGMA busy_timeout = 0').get();
  const backup = new DatabaseSync(file);
  backup.exec('BEGIN IMMEDIATE');
  const refused = await writer.write(batchOf(1, {}), POSITION).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(TableAway);
  backup.exec('COMMIT');
  backup.close();
  await writer.write(batchOf(1, {}), POSITION);
  expect(db.query('SELECT id FROM svc_operations').all()).toEqual([{ id: 'op-1' }]);
});

it('keeps of an event that comes again what it says now, and of two the first one', async () => {
  const { db, writer } = opened();
  const amounts = () => db.query<{ amount: string }>('SELECT amount FROM svc_operations').all();
  await writer.write(batchOf(1, {}), POSITION);
  await writer.write(batchOf(2, { amount: '2.50' }), POSITION);
  expect(amounts()).toEqual([{ amount: '2.50' }]);
  const later = { amount: '9.00', event: 'event-2', occurred_at: '2026-09-02T12:00:00Z' };
  await writer.write(batchOf(3, later), POSITION);
  expect(amounts()).toEqual([{ amount: '2.50' }]);
});

const eventsBehind = (lastNumber: number, ...texts: readonly string[]): EventBatch => {
  const batch = new EventBatch(lastNumber);
  const read = page(texts, null);
  batch.add(read, read.events);
  return batch;
};

it('makes its index in a first reading that rests, and not between two batches', async () => {
  const { db, writer } = opened();
  const indexed = () => db.query<{ indexed: number }>('SELECT indexed FROM svc_feed').get()?.indexed;
  await writer.write(eventsBehind(1000, eventJson('e1')), POSITION);
  writer.indexIfIdle();
  await writer.write(eventsBehind(2000, eventJson('e2')), POSITION);
  writer.indexIfIdle();
  expect(indexed()).toBe(0);
  writer.indexIfIdle();
  expect(indexed()).toBe(1);
});

it('has what came twice in a first reading where it came first, as it is now', async () => {
  const { db, writer } = opened();
  await writer.write(eventsBehind(1000, eventJson('e1')), POSITION);
  await writer.write(eventsBehind(2000, eventJson('e1', { id: 'op-9' })), POSITION);
  writer.index();
  expect(db.query('SELECT number, operation FROM svc_events').all()).toEqual([
    { number: 1001, operation: 'op-9' },
  ]);
});
