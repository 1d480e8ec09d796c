/** The line that moves the tables of the shared state out of the way. Pure. */
import { commandLine } from '../runtime/shell.js';
import type { StatePlace } from './place.js';
import { quotedName } from './roles.js';

/** What PostgreSQL takes for a name, in bytes; what is longer it cuts. */
const NAME_BYTES = 63;

/** To be typed by whoever owns them. Where a schema of the new name is there already nothing is done. @param version of the tables */
export function movingSchemaLine(
  { host, port, database, schema }: Pick<StatePlace, 'host' | 'port' | 'database' | 'schema'>,
  version: number,
): string {
  const longer = `${schema}_v${String(version)}`;
  const moved = Buffer.byteLength(longer) > NAME_BYTES ? `svc_v${String(version)}` : longer;
  const sql = `ALTER SCHEMA ${quotedName(schema)} RENAME TO ${quotedName(moved)}`;
  return commandLine(['psql', '-h', host, '-p', String(port), '-d', databaseWord(database), '-c', sql]);
}

/** psql takes a name with one of these for a whole address. */
function databaseWord(database: string): string {
  return /[=/]/.test(database) ? `dbname='${database.replaceAll(/['\\]/g, '\\$&')}'` : database;
}
