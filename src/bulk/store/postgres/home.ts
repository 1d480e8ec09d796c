/**
 * The server that a worker has joined at. Another one may have forgotten what was acknowledged, of this worker or of others: a worker that is
 * answered by it is at an end, and whoever resumes looks at everything first.
 */
import { type Cluster, clusterOf, type ClusterSql, clusterSqlOf } from '../../../state/cluster.js';
import type { Connection } from '../../../state/connection.js';

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
