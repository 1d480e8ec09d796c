import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { PostgresDatabase } from './postgres.js';

export interface IntoTables {
  readonly into: string;
  readonly env: Readonly<Record<string, string>>;
  query(sql: string): Promise<Record<string, unknown>[]>;
  change(sql: string): Promise<void>;
}

export function sqliteTables(folder: string, name = 'events.db'): IntoTables {
  const file = join(folder, name);
  const open = <T>(readOnly: boolean, work: (db: DatabaseSync) => T): T => {
    const db = new DatabaseSync(file, { readOnly });
    try {
      return work(db);
    } finally {
      db.close();
    }
  };
  return {
    ...{ into: `sqlite:${file}`, env: {} },
    query: (sql) =>
      Promise.resolve(
        open(true, (db) =>
          db
            .prepare(sql)
            .all()
            .map((row) => ({ ...row })),
        ),
      ),
    change: (sql) => {
      open(false, (db) => {
        db.exec(sql);
      });
      return Promise.resolve();
    },
  };
}

let schemas = 0;

export function postgresTables(server: PostgresDatabase, port = server.address.port): IntoTables {
  const schema = `into ${String((schemas += 1))}`;
  const { user, host, database, password } = server.address;
  const named = (sql: string): string => sql.replaceAll(/\bsvc_(?=[efo])/g, `"${schema}".svc_`);
  return {
    into: `postgres://${user}@${host}:${String(port)}/${database}?schema=${encodeURIComponent(schema)}`,
    env: { SVC_INTO_PASSWORD: password },
    query: (sql) => server.query(named(sql)),
    change: async (sql) => {
      await server.query(named(sql));
    },
  };
}
