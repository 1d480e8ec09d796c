import fc from 'fast-check';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { chooseEvent, preferredSql } from '../../src/contract/operation-facts.js';

const known = fc.record({
  status: fc.constantFrom('confirmed', 'failed', 'settled'),
  eventId: fc.constantFrom('a', 'b', 'B', 'é'),
  occurredAtMs: fc.integer({ min: 0, max: 2 }),
});

it('SQL keeps of two events the one that the program keeps', () => {
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE o (id INTEGER PRIMARY KEY, status, event, occurred_at, said)');
  const put = db.prepare(
    'INSERT INTO o VALUES (1, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET status = excluded.status, ' +
      `event = excluded.event, occurred_at = excluded.occurred_at, said = excluded.said WHERE ${preferredSql('event', '')}`,
  );
  fc.assert(
    fc.property(known, known, (first, second) => {
      db.exec('DELETE FROM o');
      const said = [first, second];
      for (const [at, { status, eventId, occurredAtMs }] of said.entries())
        put.run(status, eventId, occurredAtMs, at);
      expect(said[Number(db.prepare('SELECT said FROM o').get()?.['said'])]).toBe(chooseEvent(first, second));
    }),
    { numRuns: 300 },
  );
  db.close();
});
