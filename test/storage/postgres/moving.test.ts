import { expect, it } from 'vitest';
import { movingSchemaLine } from '../../../src/storage/postgres/place.js';
import { HOSTILE_WORDS, wordsOf } from '../../support/typed.js';

const PLACE = { host: 'db.internal', port: 5433, database: 'payroll', schema: 'svc' };

it('renames the schema in the database that was meant', () => {
  expect(movingSchemaLine(PLACE, 1)).toBe(
    `psql -h db.internal -p 5433 -d payroll -c 'ALTER SCHEMA "svc" RENAME TO "svc_v1"'`,
  );
});

it.each(HOSTILE_WORDS)('keeps names as they are: %j', (name) => {
  const line = movingSchemaLine({ ...PLACE, database: name, schema: name }, 1);
  const quoted = name.replaceAll('"', '""');
  expect(wordsOf(line, 'psql')).toEqual([
    ...['-h', 'db.internal', '-p', '5433', '-d', name],
    ...['-c', `ALTER SCHEMA "${quoted}" RENAME TO "${quoted}_v1"`],
  ]);
});

it.each([
  ['host=other', "dbname='host=other'"],
  ['postgres://other/x', "dbname='postgres://other/x'"],
  ["a='b\\", "dbname='a=\\'b\\\\'"],
])('names a database that psql would take for an address: %s', (database, word) => {
  expect(wordsOf(movingSchemaLine({ ...PLACE, database }, 1), 'psql')[5]).toBe(word);
});

it('gives no name that PostgreSQL would cut, which might be that of before', () => {
  const schema = 'é'.repeat(31);
  expect(movingSchemaLine({ ...PLACE, schema }, 1)).toContain('RENAME TO "svc_v1"');
  const long = 's'.repeat(60);
  expect(movingSchemaLine({ ...PLACE, schema: long }, 1)).toContain(`RENAME TO "${long}_v1"`);
});
