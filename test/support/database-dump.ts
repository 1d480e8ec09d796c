import { DatabaseSync } from 'node:sqlite';
import { MADE_BY } from '../../src/runtime/database-file.js';

export interface Dump {
  readonly version: unknown;
  readonly shape: Readonly<Record<string, unknown>>;
  readonly rows: Readonly<Record<string, readonly unknown[]>>;
}

export function dump(file: string): Dump {
  const db = new DatabaseSync(file);
  try {
    const all = (sql: string, ...values: string[]): Record<string, unknown>[] =>
      db
        .prepare(sql)
        .all(...values)
        .map((row) => ({ ...row }));
    const tables = all("SELECT name, strict, wr FROM pragma_table_list WHERE schema = 'main' ORDER BY name")
      .filter(({ name }) => name !== MADE_BY && !String(name).startsWith('sqlite_'))
      .map((table) => ({ ...table, name: String(table['name']) }));
    const shape = tables.map((table) => {
      const indexes = all(
        'SELECT name, "unique", origin, partial FROM pragma_index_list(?) ORDER BY name',
        table.name,
      ).map((index) => [
        index,
        all('SELECT name, "desc", coll, key FROM pragma_index_xinfo(?)', String(index['name'])),
      ]);
      return [
        table.name,
        { table, columns: all('SELECT * FROM pragma_table_xinfo(?)', table.name), indexes },
      ];
    });
    const rows = tables.map(({ name }) => [
      name,
      all(`SELECT * FROM "${name}"`)
        .map((row) => JSON.stringify(Object.values(row).map(plain)))
        .toSorted(),
    ]);
    return {
      version: db.prepare('PRAGMA user_version').get()?.['user_version'],
      shape: Object.fromEntries(shape) as Dump['shape'],
      rows: Object.fromEntries(rows) as Dump['rows'],
    };
  } finally {
    db.close();
  }
}

export function integrity(file: string): unknown {
  const db = new DatabaseSync(file);
  try {
    return db.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
  } finally {
    db.close();
  }
}

export function meddle(file: string, sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

function plain(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
}
