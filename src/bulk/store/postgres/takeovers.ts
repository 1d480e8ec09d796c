/** Whether what was acknowledged about a batch may be forgotten: another server took over since, or the state was put back or moved. */
import { type Cluster, clusterOf, type ClusterSql, clusterSqlOf } from '../../../state/cluster.js';
import type { Connection } from '../../../state/connection.js';
import type { BatchStore } from '../batch-store.js';

const KEPT = 'SELECT cluster, timeline FROM svc.batches WHERE batch = $1';
const TRUST = 'UPDATE svc.batches SET cluster = $2, timeline = $3 WHERE batch = $1';

type Takeovers = Pick<BatchStore, 'doubt' | 'trust'> & {
  /** The server that keeps the state now. */
  readonly server: () => Promise<Cluster>;
};

export function takeoversOver(connection: Connection): Takeovers {
  let sql: Promise<ClusterSql> | null = null;
  const server = async (): Promise<Cluster> => {
    sql ??= clusterSqlOf(connection);
    return clusterOf(connection, await sql);
  };
  return {
    server,
    doubt: async (batch) => {
      const now = await server();
      const [kept] = (await connection.run<Cluster>(KEPT, [batch])).rows;
      const isSame = kept?.cluster === now.cluster && kept.timeline === now.timeline;
      return isSame ? null : now;
    },
    trust: async (batch, { cluster, timeline }) => {
      await connection.run(TRUST, [batch, cluster, timeline]);
    },
  };
}
