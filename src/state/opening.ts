/** Opens the shared state for every store: a connection, and a check that the tables belong to this program, environment and key. */
import type { Environment } from '../contract/access.js';
import { Failure } from '../runtime/failure.js';
import { connect, type Connection, type ConnectionOptions } from './connection.js';
import { stateOfOther } from './failures.js';
import { keyProblem, type StateKey } from './key.js';
import { type TableVersions, useOf } from './versions.js';

export interface StateOptions extends ConnectionOptions {
  /** Null where none is set. */
  readonly key: StateKey | null;
}

/** What the tables say of themselves. */
export interface KnownTables extends TableVersions {
  readonly environment: Environment;
  /** Of the key that it was made with; null for none. */
  readonly key_check: Uint8Array | null;
  readonly key_salt: Uint8Array;
}

export interface OpenState {
  readonly connection: Connection;
  /** What they say of themselves. */
  readonly tables: KnownTables;
}

/**
 * The caller closes it.
 * @throws Failure `local_state` where it can't be reached, or holds no tables that this program knows; `unsafe` for those of another environment
 */
export async function openState(options: StateOptions): Promise<OpenState> {
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
  const { connection } = await openState(options);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
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
  if (meta === undefined) throw unusable('is not complete: run "svc state init"');
  if (useOf(meta, (version) => connection.moving(version)) === 'read') connection.onlyRead();
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
