import type { Environment } from '../../contract/access.js';
import { Failure } from '../../runtime/failure.js';
import { connect, type Connection, type ConnectionOptions } from './connection.js';
import { otherStateFailure } from './failures.js';
import { keyProblem, type StateKey } from './key.js';
import { SCHEMA_VERSION } from './schema.js';

export interface StateOptions extends ConnectionOptions {
  readonly key: StateKey | null;
}

export interface TableVersions {
  readonly version: number;
  readonly least_writer: number;
  readonly least_reader: number;
}

export interface StateMeta extends TableVersions {
  readonly environment: Environment;
  readonly key_check: Uint8Array | null;
  readonly key_salt: Uint8Array;
}

export async function openState(
  options: StateOptions,
): Promise<{ readonly connection: Connection; readonly tables: StateMeta }> {
  const connection = connect(options);
  try {
    return { connection, tables: await requireTables(connection, options.key) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

export async function withState<T>(
  options: StateOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  return withConnection(options, async (connection) => {
    await requireTables(connection, options.key);
    return work(connection);
  });
}

export async function withConnection<T>(
  options: ConnectionOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = connect(options);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

export async function requireTables(connection: Connection, key: StateKey | null): Promise<StateMeta> {
  const sql = 'SELECT version, least_writer, least_reader, environment, key_check, key_salt FROM svc.meta';
  const [meta] = (await connection.run<StateMeta>(sql)).rows;
  if (meta === undefined) {
    const text = 'The shared state is not complete: run "svc state init". Nothing was sent.';
    throw new Failure('local_state', text, { code: 'state_unusable', outcome: 'not_sent' });
  }
  if (allowedUse(meta, (version) => connection.moveCommand(version)) === 'read') connection.refuseWrites();
  if (connection.environment !== null && connection.environment !== meta.environment)
    throw otherStateFailure(meta.environment, connection.environment);
  const problem = keyProblem(meta, key);
  if (problem !== null) throw problem;
  return meta;
}

export function allowedUse(
  tables: TableVersions,
  moveCommand: (version: number) => string,
  programVersion = SCHEMA_VERSION,
): 'write' | 'read' {
  const version = String(tables.version);
  if (programVersion < tables.least_reader) {
    const text =
      `A newer svc made the shared state: it has version ${version}, but this svc knows ${String(programVersion)}. ` +
      'Nothing was sent. Update svc, then run this again.';
    throw new Failure('local_state', text, { code: 'store_newer' });
  }
  if (programVersion > tables.version) {
    const text =
      `An older, unreleased version of svc made the shared state: it has version ${version}, but this svc needs ${String(programVersion)}. ` +
      'Nothing was sent or changed. Once no run uses it, move it away, as the owner of its tables. Then "svc state init" makes a new one. ' +
      'It may hold requests without an answer: look for their references in "svc events list --all".';
    throw new Failure('local_state', text, {
      code: 'state_unusable',
      nextCommand: moveCommand(tables.version),
    });
  }
  return programVersion < tables.least_writer ? 'read' : 'write';
}
