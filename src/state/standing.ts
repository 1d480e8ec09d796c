/** The database of the state itself: its tables are made once, and what it is and does is looked at. */
import type { Environment } from '../contract/access.js';
import { Failure } from '../runtime/failure.js';
import { connect, type Connection, type ConnectionOptions } from './connection.js';
import { isState } from './failures.js';
import type { StateKey } from './key.js';
import { grantsSql, quotedName, type RoleNames } from './roles.js';
import { initialSql, requireTables } from './tables.js';

export interface StateCheck {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface StateStanding {
  readonly schema_version: number;
  readonly environment: Environment;
  readonly reachable_ms: number;
  readonly checks: readonly StateCheck[];
}

export interface StateOptions extends ConnectionOptions {
  /** Null where none is set. */
  readonly key: StateKey | null;
}

/** What speaks like PostgreSQL and locks otherwise. */
const OTHERS = /CockroachDB|YugabyteDB|-YB-/i;
const THERE: readonly string[] = ['42P07', '42P06', '23505'];

export interface Made {
  readonly schema_version: number;
  readonly environment: Environment;
  readonly created: boolean;
  /** Roles that may do their part now. */
  readonly granted: readonly string[];
}

/** Makes the tables unless they are there, and says what roles that are there may do. @throws Failure `local_state` */
export async function makeTables(
  options: StateOptions,
  environment: Environment,
  roles: RoleNames,
): Promise<Made> {
  const { schema } = options.place;
  return withConnection(options, async (connection) => {
    await requirePostgres(connection);
    const created = await connection.patiently(() =>
      // All of it in one transaction, as several statements in one question are.
      connection.script(initialSql(schema, environment, options.key)).then(
        () => true,
        (error: unknown) => {
          if (THERE.some((state) => isState(error, state))) return false;
          throw error;
        },
      ),
    );
    const { version, environment: of } = await requireTables(connection, options.key);
    await connection.patiently(() => connection.script(grantsSql(schema, roles)));
    const names = [roles.worker, roles.reader];
    const { rows } = await connection.run<{ role: string }>(GRANTED, [
      names,
      `${quotedName(schema)}.batches`,
    ]);
    return { schema_version: version, environment: of, created, granted: rows.map(({ role }) => role) };
  });
}

const GRANTED =
  "SELECT rolname AS role FROM pg_roles WHERE rolname = ANY ($1) AND has_table_privilege(oid, $2, 'SELECT') ORDER BY rolname DESC";

interface Settings {
  readonly version: string;
  readonly recovering: boolean;
  readonly commit: string;
  readonly fsync: string;
  readonly pages: string;
  readonly standbys: string;
  readonly encrypted: boolean | null;
}

const SETTINGS = `
SELECT version() AS version, pg_is_in_recovery() AS recovering, current_setting('synchronous_commit') AS commit,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
  current_setting('synchronous_standby_names') AS standbys,
  (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS encrypted`;

/** @throws Failure `local_state` where it can't be reached, or holds no tables that this program knows */
export async function standingOf(options: StateOptions): Promise<StateStanding> {
  const { clock } = options;
  return withConnection(options, async (connection) => {
    await connection.run('SELECT 1');
    const startMs = clock.monotonic();
    await connection.run('SELECT 1');
    const reachableMs = Math.round(clock.monotonic() - startMs);
    const { version, environment } = await requireTables(connection, options.key);
    const [settings] = (await connection.run<Settings>(SETTINGS)).rows;
    const checks = settings === undefined ? [] : [...checksOf(settings), sealedCheck(options.key)];
    return { schema_version: version, environment, reachable_ms: reachableMs, checks };
  });
}

function checksOf({
  version,
  recovering,
  commit,
  fsync,
  pages,
  standbys,
  encrypted,
}: Settings): StateCheck[] {
  const isDurable = fsync === 'on' && pages === 'on' && commit !== 'off';
  return [
    { check: 'database', ok: !OTHERS.test(version), detail: version },
    { check: 'writable', ok: !recovering, detail: recovering ? 'a replica, which nobody can write' : 'yes' },
    {
      check: 'durable',
      ok: isDurable,
      detail: `fsync ${fsync}, full_page_writes ${pages}, synchronous_commit ${commit}`,
    },
    {
      check: 'standbys',
      ok: standbys !== '',
      detail: standbys === '' ? 'none is waited for: commits may be lost at a failover' : standbys,
    },
    {
      check: 'encrypted',
      ok: encrypted === true,
      detail: encrypted === true ? 'yes' : 'no: only for this machine',
    },
  ];
}

function sealedCheck(key: StateKey | null): StateCheck {
  const detail =
    key === null
      ? 'no: whoever reaches the database can read and change what is paid there, unless SVC_STATE_KEY_FILE seals it'
      : 'yes, by the key of SVC_STATE_KEY_FILE';
  return { check: 'sealed', ok: key !== null, detail };
}

async function requirePostgres(connection: Connection): Promise<void> {
  const [{ version } = { version: '' }] = (await connection.run<{ version: string }>('SELECT version()'))
    .rows;
  if (!OTHERS.test(version)) return;
  throw new Failure(
    'local_state',
    `This is ${version}, whose locks are not those of PostgreSQL. Nothing was made.`,
    {
      code: 'state_unusable',
    },
  );
}

export async function withConnection<T>(
  options: ConnectionOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = connect(options);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}
