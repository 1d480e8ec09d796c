/** The first tier starts no PostgreSQL: tests of both kinds of store use files there. */
import type { PostgresDatabase } from './postgres.js';
import { IS_REST } from './rest.js';

/** Call it at the top of a test file. */
export async function postgresHere(): Promise<PostgresDatabase | null> {
  if (!IS_REST) return null;
  const { openDatabaseHere } = await import('./postgres.js');
  return openDatabaseHere();
}
