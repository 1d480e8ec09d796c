/**
 * Which server keeps the state, and how often another one has taken over. When either changes, acknowledged commits may be
 * forgotten.
 */
import type { Connection } from './connection.js';
import { isState } from './failures.js';

/** Equal for as long as nothing that was acknowledged can have been forgotten. */
export interface Cluster {
  /** The identifier of the database cluster; when that can't be asked, the server's address. */
  readonly cluster: string;
  /** Grows with every server that takes over; null where it can't be asked. */
  readonly timeline: number | null;
}

/** How the two are asked, as SQL. */
export interface ClusterSql {
  readonly cluster: string;
  readonly timeline: string;
}

/** What a checkpoint says of it is late: after a promotion it still names the old one. */
const TIMELINE = "('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint::integer";
const SYSTEM = '(SELECT system_identifier::text FROM pg_control_system())';
const ADDRESS = "coalesce(host(inet_server_addr()), 'here') || ':' || coalesce(inet_server_port(), 0)";

/** There is no such function here, or this user may not call it. */
const MISSING: readonly string[] = ['42883', '0A000', '42501'];

export async function clusterSqlOf(connection: Connection): Promise<ClusterSql> {
  const all = { cluster: SYSTEM, timeline: TIMELINE };
  if (await can(connection, all)) return all;
  const system = { ...all, timeline: 'NULL::integer' };
  return (await can(connection, system)) ? system : { ...system, cluster: ADDRESS };
}

/** @throws Failure `local_state` */
export async function clusterOf(connection: Connection, sql: ClusterSql): Promise<Cluster> {
  const [there] = (await patiently(connection, sql)) as Cluster[];
  return there ?? { cluster: '', timeline: null };
}

async function can(connection: Connection, sql: ClusterSql): Promise<boolean> {
  return patiently(connection, sql).then(
    () => true,
    (error: unknown) => {
      if (MISSING.some((state) => isState((error as Error).cause, state))) return false;
      throw error;
    },
  );
}

function patiently(connection: Connection, { cluster, timeline }: ClusterSql): Promise<readonly unknown[]> {
  return connection.patiently(async () => {
    try {
      return (await connection.once(`SELECT ${cluster} AS cluster, ${timeline} AS timeline`)).rows;
    } catch (error) {
      throw replicaIsAway(error);
    }
  });
}

/** What a replica says that is asked who it is, as it says that it cannot be written: it is waited for. */
export function replicaIsAway(error: unknown): unknown {
  // To wait for the server that took over is to wait for this one too.
  if (!isState(error, '55000')) return error;
  return Object.assign(new Error('it is a replica'), { code: '25006' });
}
