/** A database that the machines of a test share, as their environment says it. */
import { afterAll } from 'vitest';
import { startPostgres, type PostgresServer } from './postgres.js';

export interface SharedDatabase {
  readonly server: PostgresServer;
  /** A schema of its own, with no tables yet. */
  env(): Readonly<Record<string, string>>;
}

/** Null where no PostgreSQL can be started here. To be called at the top of a file. */
export async function sharedDatabase(): Promise<SharedDatabase | null> {
  const server = await startPostgres();
  if (server === null) return null;
  afterAll(() => server.stop());
  const { host, port, user, password, database } = server.address;
  let schemas = 0;
  return {
    server,
    env: () => ({
      SVC_STATE: `postgres://${user}@${host}:${String(port)}/${database}?schema=shared_${String((schemas += 1))}`,
      SVC_STATE_PASSWORD: password,
    }),
  };
}
