/** Checks the database of the shared state and describes the problems in words. Changes nothing. */
import type { Environment } from '../contract/access.js';
import type { FailureKind } from '../runtime/failure.js';
import { requireTables, type StateOptions, type TableVersions, withConnection } from './opening.js';
import { quotedName } from './sql.js';
import { SCHEMA_VERSION } from './schema.js';

export interface StateCheck {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'error';
  readonly detail: string;
  readonly kind: FailureKind | null;
}

export interface DatabaseFacts {
  readonly version: string;
  readonly recovering: boolean;
  /** True if the session is read-only, for example by a setting of the server. */
  readonly reading: boolean;
  readonly commit: string;
  readonly fsync: string;
  readonly pages: string;
  readonly standbys: string;
  readonly encrypted: boolean | null;
  readonly user: string;
  readonly sends: boolean;
  readonly rewrites: boolean;
}

export interface StateFacts {
  readonly tables: TableVersions & { readonly environment: Environment };
  readonly hasKey: boolean;
  readonly isLoopback: boolean;
  readonly whose: 'service' | 'machine';
  readonly aheadMs: number;
  readonly isPooled: boolean;
  readonly working: readonly { readonly batch: string; readonly workers: string }[];
}

/** The oldest major version that is tested. */
const LEAST_MAJOR = 14;
/** If two clocks differ by more, `svc` warns, because the ages of requests depend on them. */
const SKEW_WARNING_MS = 30_000;
/** If two clocks differ by more, nothing is sent. */
const SKEW_MS = 5 * 60_000;

/** True for databases that speak PostgreSQL's protocol but have other locks. */
export function isForeign(version: string): boolean {
  return /CockroachDB|YugabyteDB|-YB-/i.test(version);
}

const checkWith =
  (status: StateCheck['status'], kind: FailureKind | null = null) =>
  (check: string, detail: string): StateCheck => ({ check, status, detail, kind });
const [well, doubtful, unwell] = [checkWith('ok'), checkWith('warning'), checkWith('error', 'local_state')];

export function checksOf(database: DatabaseFacts, state: StateFacts): StateCheck[] {
  const { tables, hasKey, isLoopback, isPooled, working } = state;
  const { recovering, reading, user, sends, rewrites, standbys } = database;
  const isLive = tables.environment === 'live';
  const names = working.map(({ batch, workers }) => `${batch} by ${workers}`);
  return [
    databaseOf(database.version),
    recovering || reading
      ? unwell('writable', `no: it is ${recovering ? 'a replica' : 'read only'}, so svc cannot send`)
      : well('writable', 'yes'),
    tables.least_writer <= SCHEMA_VERSION
      ? well('schema', `version ${String(tables.version)}, ${tables.environment}`)
      : doubtful('schema', `version ${String(tables.version)}: this svc may only read it. Update svc`),
    rewrites
      ? doubtful('user', `${user} may change amounts: "svc state init" grants less to a worker`)
      : sends
        ? well('user', `${user} may send, but may not change amounts`)
        : doubtful('user', `${user} may only read`),
    durableOf(database, isLive),
    standbys === ''
      ? doubtful('standbys', 'commits wait for none: a failover may lose them')
      : well('standbys', standbys),
    isLoopback
      ? well('encrypted', 'no: it is on this machine')
      : database.encrypted === false
        ? doubtful('encrypted', 'only to the pooler: from there on it is not')
        : well('encrypted', 'yes, and the certificate is for its host name'),
    hasKey
      ? well('sealed', 'yes, with the key of SVC_STATE_KEY_FILE')
      : doubtful(
          'sealed',
          'no: anybody who reaches the database can read and change what is paid. SVC_STATE_KEY_FILE seals it',
        ),
    clockOf(state),
    well('pooler', isPooled ? 'there is one, and it does no harm' : 'none seen'),
    well('workers', names.length === 0 ? 'none' : names.join('; ')),
  ];
}

function databaseOf(version: string): StateCheck {
  const name = version.split(' on ')[0] ?? version;
  if (isForeign(version)) return unwell('database', `${name}: its locks differ from those of PostgreSQL`);
  const major = Number(/^PostgreSQL (\d+)/.exec(version)?.[1] ?? 0);
  if (major < LEAST_MAJOR)
    return doubtful('database', `${name}: svc is tested with ${String(LEAST_MAJOR)} and later`);
  return well('database', name);
}

function durableOf({ fsync, pages, commit }: DatabaseFacts, isLive: boolean): StateCheck {
  const text = `fsync ${fsync}, full_page_writes ${pages}, synchronous_commit ${commit}`;
  if (fsync === 'on' && pages === 'on' && commit !== 'off') return well('durable', text);
  return (isLive ? unwell : doubtful)('durable', `${text}: confirmed changes may be lost`);
}

function clockOf({ aheadMs, whose }: StateFacts): StateCheck {
  const off = Math.round(Math.abs(aheadMs) / 1000);
  const of = whose === 'service' ? 'of the service' : 'of this machine';
  if (Math.abs(aheadMs) <= SKEW_WARNING_MS) return well('clock', `agrees with the clock ${of}`);
  const text = `${String(off)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock ${of}`;
  return whose === 'service' && Math.abs(aheadMs) > SKEW_MS
    ? unwell('clock', `${text}: svc sends nothing`)
    : doubtful('clock', text);
}

/** Asks for settings of the server and rights of the user. $1 the table of rows with its schema, quoted for SQL */
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

/**
 * @param compared the service's clock, which decides what may be sent again; this machine's clock if the service's is unknown
 * @throws Failure `local_state` if the database cannot be reached or has unknown tables; `unsafe` if the tables are of another environment
 */
export async function healthOf(
  options: StateOptions,
  compared: { readonly whose: StateFacts['whose']; now(): number },
) {
  const { clock, key, place } = options;
  return withConnection(options, async (connection) => {
    await connection.run('SELECT 1');
    const startMs = clock.monotonic();
    await connection.run('SELECT 1');
    const reachableMs = Math.round(clock.monotonic() - startMs);
    const tables = await requireTables(connection, key);
    const [database] = (await connection.run<DatabaseFacts>(ASK, [`${quotedName(place.schema)}.rows`])).rows;
    const before = compared.now();
    const [{ now } = { now: before }] = (await connection.run<{ now: number }>(NOW)).rows;
    const state = {
      ...{ tables, hasKey: key !== null, isLoopback: place.tls === null, whose: compared.whose },
      aheadMs: now - (before + compared.now()) / 2,
      isPooled: await connection.patiently(() => connection.isPooled()),
      working: (await connection.run<{ batch: string; workers: string }>(WORKING)).rows,
    };
    const checks = database === undefined ? [] : checksOf(database, state);
    const { version, environment } = tables;
    return { schema_version: version, environment, reachable_ms: reachableMs, checks };
  });
}
