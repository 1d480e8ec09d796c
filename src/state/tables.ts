/** The tables of the state: made by their owner, and looked at before anything is read out of them. */
import type { Environment } from '../contract/access.js';
import { Failure } from '../runtime/failure.js';
import type { Connection } from './connection.js';
import { stateOfOther } from './failures.js';
import { keyProblem, type StateKey } from './key.js';
import { MIGRATIONS } from './migrations.js';
import { inSchema, quotedName } from './roles.js';
import { SCHEMA_VERSION, TABLES } from './schema.js';
import { stepsTo, type TableVersions, useOf } from './versions.js';

/** What the tables say of themselves. */
export interface KnownTables extends TableVersions {
  readonly environment: Environment;
  /** Of the key that it was made with; null for none. */
  readonly key_check: Uint8Array | null;
  readonly key_salt: Uint8Array;
}

/**
 * Everything that `svc state init` does, as SQL. One schema belongs to one environment, and to one key.
 * @param schema as it is called
 * @throws Failure `unsafe` for a live one without a key
 */
export function initialSql(schema: string, environment: Environment, key: StateKey | null): string {
  const problem = keyProblem({ environment, key_check: key?.check ?? null }, key);
  if (problem !== null) throw problem;
  // Whoever may work with tables that came to this version may with these.
  const { leastWriter = SCHEMA_VERSION, leastReader = SCHEMA_VERSION } = MIGRATIONS.at(-1) ?? {};
  const meta =
    'INSERT INTO svc.meta (version, least_writer, least_reader, environment, key_check) VALUES ' +
    `(${String(SCHEMA_VERSION)}, ${String(leastWriter)}, ${String(leastReader)}, '${environment}', ${checkOf(key)});`;
  const made = `${TABLES}${meta}\nINSERT INTO svc.changes (count) VALUES (0);\n`;
  return `CREATE SCHEMA IF NOT EXISTS ${quotedName(schema)};\n${inSchema(made, schema)}`;
}

function checkOf(key: StateKey | null): string {
  return key === null ? 'NULL' : `'\\x${Buffer.from(key.check).toString('hex')}'`;
}

/**
 * Where a newer program has changed them so that this one may only read, its writes are refused from then on.
 * @throws Failure `local_state` where there are no tables that this program knows, or those of another key; `unsafe` where a key is needed
 * that is not there
 */
export async function requireTables(connection: Connection, key: StateKey | null): Promise<KnownTables> {
  const { rows } = await connection.run<KnownTables>(
    'SELECT version, least_writer, least_reader, environment, key_check, key_salt FROM svc.meta',
  );
  const [meta] = rows;
  if (meta === undefined) throw unusable('is not complete: run "svc state init"');
  stepsTo(meta.version, MIGRATIONS, (version) => connection.moving(version));
  if (useOf(meta, SCHEMA_VERSION, (command) => connection.next(command)) === 'read') connection.onlyRead();
  if (connection.environment !== null && connection.environment !== meta.environment)
    throw stateOfOther(meta.environment, connection.environment);
  const problem = keyProblem(meta, key);
  if (problem !== null) throw problem;
  return meta;
}

function unusable(what: string): Failure {
  return new Failure('local_state', `The shared state ${what}. Nothing was sent.`, {
    code: 'state_unusable',
    outcome: 'not_sent',
  });
}
