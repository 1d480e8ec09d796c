/** A database that machines share, on a server that no other file uses: for what a server does that dies. */
import { startPostgres, type PostgresServer } from './postgres.js';
import { sharedIn, type SharedDatabase } from './shared-state.js';

/** Null where none can be started here. To be called at the top of a file. */
export async function sharedServer(): Promise<SharedDatabase<PostgresServer> | null> {
  return sharedIn(await startPostgres());
}
