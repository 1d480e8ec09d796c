import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { forSqlite } from '../../../src/storage/tables/dialect.js';

it('names each value where it stands, as often as it stands there, and a list as its values', () => {
  const text = 'SELECT $2::text, $1 FROM svc.rows r WHERE r.state = ANY ($3) AND r.batch = $1';
  expect(forSqlite(text, [7, 'x', ['planned', 'intent']])).toEqual({
    sql: 'SELECT ?, ? FROM rows r WHERE r.state IN (?, ?) AND r.batch = ?',
    parameters: ['x', 7, 'planned', 'intent', 7],
  });
});

it.each([
  ['an empty list holds nothing', "SELECT 'a' = ANY ($1) AS it", [[]], 0],
  ['bytes are digits', "SELECT encode(b, 'hex') AS it FROM (SELECT $1 AS b)", [Buffer.from([0xff])], 'ff'],
  ['nothing is not distinct from nothing', 'SELECT $1 IS NOT DISTINCT FROM $2 AS it', [null, null], 1],
])('%s', (_what, text, values, it) => {
  const { sql, parameters } = forSqlite(text, values);
  const db = new DatabaseSync(':memory:');
  expect(db.prepare(sql).get(...parameters)).toEqual({ it });
  db.close();
});
