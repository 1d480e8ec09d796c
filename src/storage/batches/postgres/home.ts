import { type Cluster, clusterOf, type ClusterSql, clusterSqlOf } from '../../postgres/cluster.js';
import type { Connection } from '../../postgres/connection.js';
import type { BatchStore } from '../batch-store.js';

export type Servers = ReturnType<typeof serversOf>;

export function serversOf(connection: Connection) {
  let cachedSql: ClusterSql | null = null;
  const sql = async (): Promise<ClusterSql> => (cachedSql ??= await clusterSqlOf(connection));
  const texts = new Map<(sql: ClusterSql) => string, string>();
  return {
    now: async (): Promise<Cluster> => clusterOf(connection, await sql()),
    text: async (statement: (sql: ClusterSql) => string): Promise<string> => {
      const text = texts.get(statement) ?? statement(await sql());
      texts.set(statement, text);
      return text;
    },
  };
}

export const isHome = (
  { cluster, timeline }: ClusterSql,
  [clusterParameter, timelineParameter]: readonly [string, string],
): string =>
  `(${cluster} IS NOT DISTINCT FROM ${clusterParameter}::text AND ${timeline} IS NOT DISTINCT FROM ${timelineParameter}::integer)`;

export function takeoverChecks(
  connection: Connection,
  servers: Servers,
): Pick<BatchStore, 'findChangedServer' | 'trustServer'> {
  return {
    findChangedServer: async (batch) => {
      const server = await servers.now();
      const sql = 'SELECT cluster, timeline FROM svc.batches WHERE batch = $1';
      const [trustedServer] = (await connection.run<Cluster>(sql, [batch])).rows;
      const isSame = trustedServer?.cluster === server.cluster && trustedServer.timeline === server.timeline;
      return isSame ? null : server;
    },
    trustServer: async (batch, { cluster, timeline }) => {
      const sql = 'UPDATE svc.batches SET cluster = $2, timeline = $3 WHERE batch = $1';
      await connection.run(sql, [batch, cluster, timeline]);
    },
  };
}
