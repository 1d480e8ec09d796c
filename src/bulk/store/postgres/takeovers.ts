/** Whether what was acknowledged about a batch may be forgotten: another server took over since, or the state was put back or moved. */
import type { Cluster } from '../../../state/cluster.js';
import type { Connection } from '../../../state/connection.js';
import type { BatchStore } from '../batch-store.js';
import type { Servers } from './home.js';

const KEPT = 'SELECT cluster, timeline FROM svc.batches WHERE batch = $1';
const TRUST = 'UPDATE svc.batches SET cluster = $2, timeline = $3 WHERE batch = $1';

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
