/** The database of the state itself: what it is and does is looked at, and nothing is changed. */
import type { Environment } from '../contract/access.js';
import { type AskedState, checksOf, type StateCheck } from './checks.js';
import { type StateOptions, withConnection } from './opening.js';
import { quotedName } from './roles.js';
import { requireTables } from './tables.js';

export interface StateStanding {
  readonly schema_version: number;
  readonly environment: Environment;
  readonly reachable_ms: number;
  readonly checks: readonly StateCheck[];
}

/** Whose time that of the database is compared with: the service's decides what is sent again. */
export interface ComparedClock {
  readonly whose: 'service' | 'machine';
  now(): number;
}

/** $1 the table of rows with its schema, as it is written in SQL */
const ASK = `
SELECT version() AS version, pg_is_in_recovery() AS recovering, current_setting('transaction_read_only') = 'on' AS reading, current_setting('synchronous_commit') AS commit,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
  current_setting('synchronous_standby_names') AS standbys,
  (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS encrypted, current_user AS "user",
  has_column_privilege($1, 'state', 'UPDATE') AS sends, has_column_privilege($1, 'amount', 'UPDATE') AS rewrites`;
const NOW = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now';
const WORKING = `
SELECT b.name AS batch, string_agg(w.name, ', ' ORDER BY w.worker) AS workers FROM svc.workers w JOIN svc.batches b USING (batch)
WHERE w.ended_at IS NULL AND w.lease_until > clock_timestamp() GROUP BY b.name ORDER BY b.name`;

/** @throws Failure `local_state` where it can't be reached, or holds no tables that this program knows; `unsafe` for those of another environment */
export async function standingOf(options: StateOptions, compared: ComparedClock): Promise<StateStanding> {
  const { clock, key, place } = options;
  return withConnection(options, async (connection) => {
    await connection.run('SELECT 1');
    const startMs = clock.monotonic();
    await connection.run('SELECT 1');
    const reachableMs = Math.round(clock.monotonic() - startMs);
    const tables = await requireTables(connection, key);
    const [asked] = (await connection.run<AskedState>(ASK, [`${quotedName(place.schema)}.rows`])).rows;
    const before = compared.now();
    const [{ now } = { now: before }] = (await connection.run<{ now: number }>(NOW)).rows;
    const found = {
      ...{ tables, hasKey: key !== null, isLoopback: place.tls === null, whose: compared.whose },
      aheadMs: now - (before + compared.now()) / 2,
      isPooled: await connection.patiently(() => connection.isPooled()),
      working: (await connection.run<{ batch: string; workers: string }>(WORKING)).rows,
    };
    const checks = asked === undefined ? [] : checksOf(asked, found);
    const { version, environment } = tables;
    return { schema_version: version, environment, reachable_ms: reachableMs, checks };
  });
}
