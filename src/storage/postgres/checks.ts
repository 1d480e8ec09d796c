import type { Environment } from '../../contract/access.js';
import type { FailureKind } from '../../runtime/failure.js';
import { requireTables, type StateOptions, type TableVersions, withConnection } from './open.js';
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
  readonly clockOwner: 'service' | 'machine';
  readonly aheadMs: number;
  readonly isPooled: boolean;
  readonly activeWorkers: readonly { readonly batch: string; readonly workers: string }[];
}

const MAJOR_VERSION_MIN = 14;
const SKEW_WARNING_MS = 30_000;
const SKEW_MAX_MS = 5 * 60_000;

export function hasOtherLocks(version: string): boolean {
  return /CockroachDB|YugabyteDB|-YB-/i.test(version);
}

const checkWith =
  (status: StateCheck['status'], kind: FailureKind | null = null) =>
  (check: string, detail: string): StateCheck => ({ check, status, detail, kind });
const [pass, warn, fail] = [checkWith('ok'), checkWith('warning'), checkWith('error', 'local_state')];

export function checksOf(database: DatabaseFacts, state: StateFacts): StateCheck[] {
  const { tables, hasKey, isLoopback, isPooled, activeWorkers } = state;
  const { recovering, reading, user, sends, rewrites, standbys } = database;
  const isLive = tables.environment === 'live';
  const workerTexts = activeWorkers.map(({ batch, workers }) => `${batch} by ${workers}`);
  return [
    databaseCheck(database.version),
    recovering || reading
      ? fail('writable', `no: it is ${recovering ? 'a replica' : 'read only'}, so svc cannot send`)
      : pass('writable', 'yes'),
    tables.least_writer <= SCHEMA_VERSION
      ? pass('schema', `version ${String(tables.version)}, ${tables.environment}`)
      : warn('schema', `version ${String(tables.version)}: this svc may only read it. Update svc`),
    rewrites
      ? warn('user', `${user} may change amounts: "svc state init" grants less to a worker`)
      : sends
        ? pass('user', `${user} may send, but may not change amounts`)
        : warn('user', `${user} may only read`),
    durabilityCheck(database, isLive),
    standbys === ''
      ? warn('standbys', 'commits wait for none: a failover may lose them')
      : pass('standbys', standbys),
    isLoopback
      ? pass('encrypted', 'no: it is on this machine')
      : database.encrypted === false
        ? warn('encrypted', 'only to the pooler: from there on it is not')
        : pass('encrypted', 'yes, and the certificate is for its host name'),
    hasKey
      ? pass('sealed', 'yes, with the key of SVC_STATE_KEY_FILE')
      : warn(
          'sealed',
          'no: anybody who reaches the database can read and change what is paid. SVC_STATE_KEY_FILE seals it',
        ),
    clockCheck(state),
    pass('pooler', isPooled ? 'there is one, and it does no harm' : 'none seen'),
    pass('workers', workerTexts.length === 0 ? 'none' : workerTexts.join('; ')),
  ];
}

function databaseCheck(version: string): StateCheck {
  const name = version.split(' on ')[0] ?? version;
  if (hasOtherLocks(version)) return fail('database', `${name}: its locks differ from those of PostgreSQL`);
  const majorVersion = Number(/^PostgreSQL (\d+)/.exec(version)?.[1] ?? 0);
  if (majorVersion < MAJOR_VERSION_MIN)
    return warn('database', `${name}: svc is tested with ${String(MAJOR_VERSION_MIN)} and later`);
  return pass('database', name);
}

function durabilityCheck({ fsync, pages, commit }: DatabaseFacts, isLive: boolean): StateCheck {
  const text = `fsync ${fsync}, full_page_writes ${pages}, synchronous_commit ${commit}`;
  if (fsync === 'on' && pages === 'on' && commit !== 'off') return pass('durable', text);
  return (isLive ? fail : warn)('durable', `${text}: confirmed changes may be lost`);
}

function clockCheck({ aheadMs, clockOwner }: StateFacts): StateCheck {
  const offSeconds = Math.round(Math.abs(aheadMs) / 1000);
  const ownerText = clockOwner === 'service' ? 'of the service' : 'of this machine';
  if (Math.abs(aheadMs) <= SKEW_WARNING_MS) return pass('clock', `agrees with the clock ${ownerText}`);
  const text = `${String(offSeconds)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock ${ownerText}`;
  return clockOwner === 'service' && Math.abs(aheadMs) > SKEW_MAX_MS
    ? fail('clock', `${text}: svc sends nothing`)
    : warn('clock', text);
}

const DATABASE_FACTS = `
SELECT version() AS version, pg_is_in_recovery() AS recovering, current_setting('transaction_read_only') = 'on' AS reading, current_setting('synchronous_commit') AS commit,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
  current_setting('synchronous_standby_names') AS standbys,
  (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS encrypted, current_user AS "user",
  has_column_privilege($1, 'state', 'UPDATE') AS sends, has_column_privilege($1, 'amount', 'UPDATE') AS rewrites`;
const DATABASE_TIME = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now';
const ACTIVE_WORKERS = `
SELECT b.name AS batch, string_agg(w.name, ', ' ORDER BY w.worker) AS workers FROM svc.workers w JOIN svc.batches b USING (batch)
WHERE w.ended_at IS NULL AND w.lease_until > clock_timestamp() GROUP BY b.name ORDER BY b.name`;

export async function healthOf(
  options: StateOptions,
  referenceClock: { readonly clockOwner: StateFacts['clockOwner']; now(): number },
) {
  const { clock, key, place } = options;
  return withConnection(options, async (connection) => {
    await connection.run('SELECT 1');
    const startMs = clock.monotonic();
    await connection.run('SELECT 1');
    const reachableMs = Math.round(clock.monotonic() - startMs);
    const tables = await requireTables(connection, key);
    const [database] = (
      await connection.run<DatabaseFacts>(DATABASE_FACTS, [`${quotedName(place.schema)}.rows`])
    ).rows;
    const startNowMs = referenceClock.now();
    const [{ now } = { now: startNowMs }] = (await connection.run<{ now: number }>(DATABASE_TIME)).rows;
    const state = {
      ...{
        tables,
        hasKey: key !== null,
        isLoopback: place.tls === null,
        clockOwner: referenceClock.clockOwner,
      },
      aheadMs: now - (startNowMs + referenceClock.now()) / 2,
      isPooled: await connection.runPatiently(() => connection.isPooled()),
      activeWorkers: (await connection.run<{ batch: string; workers: string }>(ACTIVE_WORKERS)).rows,
    };
    const checks = database === undefined ? [] : checksOf(database, state);
    const { version, environment } = tables;
    return { schema_version: version, environment, reachable_ms: reachableMs, checks };
  });
}
