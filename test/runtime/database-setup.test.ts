/** A file of another version is left as it is, even where another process makes it one at the last moment. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/runtime/database.js';
import { prepareSchema } from '../../src/runtime/database-setup.js';
import { statementsOf } from '../../src/runtime/database-statements.js';
import { testFolder } from '../sandbox/store/program.js';

const KIND = { name: 'test database', schema: 'CREATE TABLE meta (name TEXT)', version: 3, applicationId: 7 };

function asVersion(file: string, version: number): void {
  openDatabase(file, KIND).close();
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA user_version = ${version}`);
  db.close();
}

it.each([
  [2, 'older'],
  [4, 'newer'],
])('of version %i it is %s', (version, problem) => {
  const file = join(testFolder(), 'x.db');
  asVersion(file, version);
  expect(() => openDatabase(file, KIND)).toThrow(expect.objectContaining({ problem, exitCode: 16 }));
  const db = new DatabaseSync(file);
  expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: version });
  db.close();
});

it('of a newer version once its turn has come it is `newer`', () => {
  const file = join(testFolder(), 'x.db');
  const connection = new DatabaseSync(file);
  const late = new Proxy(connection, {
    get: (target, name) =>
      name !== 'exec'
        ? (Reflect.get(target, name) as () => unknown).bind(target)
        : (sql: string) => {
            if (sql === 'BEGIN IMMEDIATE') asVersion(file, 4);
            target.exec(sql);
          },
  });
  expect(() => prepareSchema(late, statementsOf(late), file, KIND)).toThrow(
    expect.objectContaining({ problem: 'newer' }),
  );
  connection.close();
});
