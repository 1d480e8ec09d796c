/** Opens the shared state for every store: a connection, and a check that the tables belong to this program, environment and key. */
import type { Environment } from '../contract/access.js';
import { Failure } from '../runtime/failure.js';
import { connect, type Connection, type ConnectionOptions } from './connection.js';
import { stateOfOther } from './failures.js';
import { keyProblem, type StateKey } from './key.js';
import { SCHEMA_VERSION } from './schema.js';

export interface StateOptions extends ConnectionOptions {
  readonly key: StateKey | null;
}

/** Which programs may use the tables. */
export interface TableVersions {
  readonly version: number;
  /** The oldest program that may write them, */
  readonly least_writer: number;
  /** and the oldest that may read them. */
  readonly least_reader: number;
}

/** What the tables say of themselves. */
export interface KnownTables extends TableVersions {
  readonly environment: Environment;
  /** Of the key that it was made with; null for none. */
  readonly key_check: Uint8Array | null;
  readonly key_salt: Uint8Array;
}

/**
 * The caller closes it.
 * @throws Failure `local_state` where it can't be reached, or holds no tables that this program knows; `unsafe` for those of another environment
 */
export async function openState(
  options: StateOptions,
): Promise<{ readonly connection: Connection; readonly tables: KnownTables }> {
  const connection = connect(options);
  try {
    return { connection, tables: await requireTables(connection, options.key) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** The same for one piece of work. @throws as `openState` */
export async function withState<T>(
  options: StateOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  return withConnection(options, async (connection) => {
    await requireTables(connection, options.key);
    return work(connection);
  });
}

/** To make the tables, or to ask what is wrong with them: nothing is checked before. */
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
  if (meta === undefined)
    throw new Failure(
      'local_state',
      'The shared state is not complete: run "svc state init". Nothing was sent.',
      { code: 'state_unusable', outcome: 'not_sent' },
    );
  if (useOf(meta, (version) => connection.moving(version)) === 'read') connection.onlyRead();
  if (connection.environment !== null && connection.environment !== meta.environment)
    throw stateOfOther(meta.environment, connection.environment);
  const problem = keyProblem(meta, key);
  if (problem !== null) throw problem;
  return meta;
}

/**
 * What a program may do with them.
 * @param known the version that the program knows
 * @param moving the line that moves tables of that version away
 * @throws Failure `local_state` where it may not even read them (`store_newer`), or they are older (`state_unusable`)
 */
export function useOf(
  tables: TableVersions,
  moving: (version: number) => string,
  known = SCHEMA_VERSION,
): 'write' | 'read' {
  const version = String(tables.version);
  if (known < tables.least_reader)
    throw new Failure(
      'local_state',
      `A newer svc made the shared state: it has version ${version}, but this svc knows ${String(known)}. ` +
        'Nothing was sent. Update svc, then run this again.',
      { code: 'store_newer' },
    );
  if (known > tables.version)
    throw new Failure(
      'local_state',
      `An older, unreleased version of svc made the shared state: it has version ${version}, but this svc needs ${String(known)}. ` +
        'Nothing was sent or changed. Once no run uses it, move it away, as the owner of its tables. Then "svc state init" makes a new one. ' +
        'It may hold requests without an answer: look for their references in "svc events list --all".',
      { code: 'state_unusable', nextCommand: moving(tables.version) },
    );
  return known < tables.least_writer ? 'read' : 'write';
}
