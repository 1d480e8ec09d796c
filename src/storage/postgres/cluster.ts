import type { Connection } from './connection.js';
import { hasSqlState } from './failures.js';

/** If cluster or timeline changes between two queries, a failover may have lost commits. */
export interface Cluster {
  readonly cluster: string;
  readonly timeline: number | null;
}

export interface ClusterSql {
  readonly cluster: string;
  readonly timeline: string;
}

/** The timeline is taken from the name of the WAL file, because after a promotion the last checkpoint still has the old timeline. */
const TIMELINE = "('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint::integer";
const SYSTEM_IDENTIFIER = '(SELECT system_identifier::text FROM pg_control_system())';
const SERVER_ADDRESS = "coalesce(host(inet_server_addr()), 'here') || ':' || coalesce(inet_server_port(), 0)";

const NOT_CALLABLE_STATES: readonly string[] = ['42883', '0A000', '42501'];

export async function clusterSqlOf(connection: Connection): Promise<ClusterSql> {
  const fullSql = { cluster: SYSTEM_IDENTIFIER, timeline: TIMELINE };
  if (await canRun(connection, fullSql)) return fullSql;
  const withoutTimeline = { ...fullSql, timeline: 'NULL::integer' };
  return (await canRun(connection, withoutTimeline))
    ? withoutTimeline
    : { ...withoutTimeline, cluster: SERVER_ADDRESS };
}

export async function clusterOf(connection: Connection, sql: ClusterSql): Promise<Cluster> {
  const [server] = (await readCluster(connection, sql)) as Cluster[];
  return server ?? { cluster: '', timeline: null };
}

async function canRun(connection: Connection, sql: ClusterSql): Promise<boolean> {
  return readCluster(connection, sql).then(
    () => true,
    (error: unknown) => {
      if (NOT_CALLABLE_STATES.some((state) => hasSqlState((error as Error).cause, state))) return false;
      throw error;
    },
  );
}

function readCluster(connection: Connection, { cluster, timeline }: ClusterSql): Promise<readonly unknown[]> {
  return connection.runPatiently(async () => {
    try {
      return (await connection.runOnce(`SELECT ${cluster} AS cluster, ${timeline} AS timeline`)).rows;
    } catch (error) {
      throw convertReplicaError(error);
    }
  });
}

export function convertReplicaError(error: unknown): unknown {
  if (!hasSqlState(error, '55000')) return error;
  return Object.assign(new Error('it is a replica'), { code: '25006' });
}
