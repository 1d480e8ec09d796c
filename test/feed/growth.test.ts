import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { Mirror } from '../../src/storage/mirror/mirror.js';
import { syncMirror, type FeedVisit } from '../../src/feed/sync.js';
import { eventText, freshIn, HOUR_MS, mirrorFile, mirrorsAt, pageOf, START_MS } from './given.js';

const PER_PAGE = 50;
const TAIL_ROWS = 300;

async function* pages(count: number, first: number): AsyncGenerator<FeedVisit> {
  for (let at = first; at < count; at += 1) {
    await Promise.resolve();
    const events = Array.from({ length: PER_PAGE }, (_, event) => {
      const number = at * PER_PAGE + event;
      return eventText({ number, atMs: START_MS + number * (HOUR_MS / 6) });
    });
    yield { page: pageOf(events, null), next: String(at + 1) };
  }
}

async function most(count: number) {
  const file = mirrorFile();
  const { mirrors, mirror } = await freshIn(mirrorsAt(file, TAIL_ROWS));
  const look = new DatabaseSync(file);
  const tail = look.prepare('SELECT (SELECT max(row) FROM operations) - indexed AS rows FROM tail');
  const seen = { reading: 0, tail: 0, operations: 0 };
  const watched: Mirror = {
    ...mirror,
    commit: async (operations, reading) => {
      const isDone = await mirror.commit(operations, reading);
      const { rows } = tail.get() as { rows: number };
      seen.reading = Math.max(seen.reading, JSON.stringify(reading).length);
      seen.tail = Math.max(seen.tail, rows);
      seen.operations = Math.max(seen.operations, operations.length);
      return isDone;
    },
  };
  const report = await syncMirror(watched, (cursor) => pages(count, Number(cursor ?? 0)), { read: null });
  expect(report.operations).toBe(count * PER_PAGE);
  look.close();
  await mirrors.close();
  return seen;
}

it('four times the feed takes as much', async () => {
  const [short, long] = [await most(60), await most(240)];
  expect(short.operations).toBe(PER_PAGE);
  expect(short.tail).toBe(TAIL_ROWS - PER_PAGE);
  expect({ ...long, reading: 0 }).toEqual({ ...short, reading: 0 });
  expect(long.reading).toBeLessThan(short.reading * 1.2);
}, 180_000);
