/** A PostgreSQL where one can be started. The first tier starts none: what is held in two kinds of store is tried on files there. */
import type { PostgresDatabase } from './postgres.js';
import { IS_REST } from './rest.js';

/** To be called at the top of a file. */
export async function postgresHere(): Promise<PostgresDatabase | null> {
  if (!IS_REST) return null;
  const { openDatabaseHere } = await import('./postgres.js');
  return openDatabaseHere();
}
