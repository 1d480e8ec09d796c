/** The tables of the state: made by their owner, and looked at before anything is read out of them. */
import type { Environment } from '../contract/access.js';
import { Failure } from '../runtime/failure.js';
import type { Connection } from './connection.js';
import { SCHEMA_VERSION, TABLES } from './schema.js';

interface Meta {
  readonly version: number;
  readonly least_writer: number;
  readonly least_reader: number;
  readonly environment: Environment;
}

/** Everything that `svc state init` does, as SQL. One schema belongs to one environment. @param schema as it is called */
export function initialSql(schema: string, environment: Environment): string {
  const quoted = `"${schema.replaceAll('"', '""')}"`;
  const meta =
    'INSERT INTO svc.meta (version, least_writer, least_reader, environment) VALUES ' +
    `(${String(SCHEMA_VERSION)}, ${String(SCHEMA_VERSION)}, ${String(SCHEMA_VERSION)}, '${environment}');`;
  return `CREATE SCHEMA IF NOT EXISTS ${quoted};${TABLES}${meta}\nINSERT INTO svc.changes (count) VALUES (0);\n`.replaceAll(
    /\bsvc\./g,
    `${quoted}.`,
  );
}

/** @throws Failure `local_state` where there are no tables that this program knows */
export async function requireTables(connection: Connection): Promise<Meta> {
  const { rows } = await connection.run<Meta>(
    'SELECT version, least_writer, least_reader, environment FROM svc.meta',
  );
  const [meta] = rows;
  if (meta === undefined || meta.version < SCHEMA_VERSION) throw unusable('is from an older svc');
  if (meta.least_writer > SCHEMA_VERSION)
    throw unusable('was made by a newer svc: update svc, then run this again');
  return meta;
}

function unusable(what: string): Failure {
  return new Failure('local_state', `The state in the database ${what}. Nothing was sent.`, {
    code: 'state_unusable',
    outcome: 'not_sent',
  });
}
