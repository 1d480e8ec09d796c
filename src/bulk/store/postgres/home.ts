/**
 * The database server that a worker joined at. Another server may have lost commits of this worker or of others. A worker that gets an answer
 * from another server ends, and a resume checks everything first.
 */
import { type Cluster, clusterOf, type ClusterSql, clusterSqlOf } from '../../../state/cluster.js';
import type { Connection } from '../../../state/connection.js';
import type { BatchStore } from '../batch-store.js';

/** The servers behind one address, of which one answers. */
export interface Servers {
  /** The one that answers now. @throws Failure `local_state` */
  now(): Promise<Cluster>;
  /** A statement that asks who answers it. @throws Failure `local_state` */
  text(statement: (sql: ClusterSql) => string): Promise<string>;
}

/** How they can be asked is found out once. */
export function serversOf(connection: Connection): Servers {
  let known: ClusterSql | null = null;
  const sql = async (): Promise<ClusterSql> => (known ??= await clusterSqlOf(connection));
  const texts = new Map<(sql: ClusterSql) => string, string>();
  return {
    now: async () => clusterOf(connection, await sql()),
    text: async (statement) => {
      const text = texts.get(statement) ?? statement(await sql());
      texts.set(statement, text);
      return text;
    },
  };
}

/** Whether the server that answers is the one that is named. @param named its cluster and its timeline, as parameters of the statement */
export const isHome = ({ cluster, timeline }: ClusterSql, [at, since]: readonly [string, string]): string =>
  `(${cluster} IS NOT DISTINCT FROM ${at}::text AND ${timeline} IS NOT DISTINCT FROM ${since}::integer)`;

const KEPT = 'SELECT cluster, timeline FROM svc.batches WHERE batch = $1';
const TRUST = 'UPDATE svc.batches SET cluster = $2, timeline = $3 WHERE batch = $1';

/** Whether what was acknowledged about a batch may be forgotten: another server took over since, or the state was put back or moved. */
export function takeoversOver(connection: Connection, servers: Servers): Pick<BatchStore, 'doubt' | 'trust'> {
  return {
    doubt: async (batch) => {
      const now = await servers.now();
      const [kept] = (await connection.run<Cluster>(KEPT, [batch])).rows;
      const isSame = kept?.cluster === now.cluster && kept.timeline === now.timeline;
      return isSame ? null : now;
    },
    trust: async (batch, { cluster, timeline }) => {
      await connection.run(TRUST, [batch, cluster, timeline]);
    },
  };
}
