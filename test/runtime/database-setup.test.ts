import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openDatabase, prepareSchema } from '../../src/runtime/database.js';
import { statementsOf } from '../../src/runtime/database-file.js';
import { testFolder } from '../support/test-folder.js';
import { meddle } from '../support/database-dump.js';
import { TOY } from './toy-store.js';

function asVersion(file: string, version: number): void {
  openDatabase(file, TOY).close();
  meddle(file, `PRAGMA user_version = ${version}`);
}

it.each([
  [2, 'older'],
  [4, 'newer'],
])('of version %i it is %s', (version, problem) => {
  const file = join(testFolder(), 'x.db');
  asVersion(file, version);
  expect(() => openDatabase(file, TOY)).toThrow(expect.objectContaining({ problem, exitCode: 16 }));
  const db = new DatabaseSync(file);
  expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: version });
  db.close();
});

it('of a newer version once its turn has come it is `newer`', () => {
  const file = join(testFolder(), 'x.db');
  const connection = new DatabaseSync(file);
  const late = new Proxy(connection, {
    get: (target, name) => {
      if (name === 'exec')
        return (sql: string) => {
          if (sql === 'BEGIN IMMEDIATE') asVersion(file, 4);
          target.exec(sql);
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  expect(() => prepareSchema(late, statementsOf(late), file, TOY)).toThrow(
    expect.objectContaining({ problem: 'newer' }),
  );
  connection.close();
});

it.each([1, 2, 3])('made by another process at the %ith look at it, it is ours, and whole', (look) => {
  const file = join(testFolder(), 'x.db');
  new DatabaseSync(file).close();
  const connection = new DatabaseSync(file);
  const prepare = statementsOf(connection);
  let looks = 0;
  const late: typeof prepare = (sql) => {
    const statement = prepare(sql);
    return new Proxy(statement, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as () => unknown;
        if (name !== 'get') return value.bind(target);
        return () => {
          const found = value.call(target);
          looks += 1;
          if (looks === look && !connection.isTransaction) openDatabase(file, TOY).close();
          return found;
        };
      },
    });
  };
  prepareSchema(connection, late, file, TOY);
  expect(prepare('PRAGMA user_version').get()).toEqual({ user_version: 3 });
  connection.close();
});
