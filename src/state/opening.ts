/** The way in for every book: a connection, and the tables behind it known to be those of this program, this environment and this key. */
import { connect, type Connection, type ConnectionOptions } from './connection.js';
import type { StateKey } from './key.js';
import { type KnownTables, requireTables } from './tables.js';

export interface StateOptions extends ConnectionOptions {
  /** Null where none is set. */
  readonly key: StateKey | null;
}

export interface OpenState {
  readonly connection: Connection;
  /** What they say of themselves. */
  readonly tables: KnownTables;
}

/**
 * To be closed by whoever opens it.
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

/** For whoever makes the tables, or asks what is wrong with them: nothing is looked at before. */
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
