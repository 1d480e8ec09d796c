/** Migrates the tables of the shared state to this program's version: all or nothing, and only while nobody is at work. */
import { Failure } from '../runtime/failure.js';
import type { Connection } from './connection.js';
import { isState } from './failures.js';
import { grantsSql, type RoleNames } from './roles.js';
import { doBlock, inSchema } from './sql.js';
import { type StateOptions, withConnection } from './opening.js';
import {
  knownVersion,
  LEASES,
  MIGRATIONS,
  type StateMigration,
  stepsTo,
  type TableVersions,
  useOf,
} from './versions.js';

export interface Migrated {
  readonly schema_version: number;
  /** Versions that were made now. */
  readonly made: readonly number[];
}

/** Somebody is at work, and another one has migrated: as the statements below say it. */
const IN_USE = '55006';
const OTHER_VERSION = '55000';

/**
 * @param migrations replaced in tests
 * @throws Failure `unsafe` (`state_in_use`) while somebody is at work, `local_state`
 */
export async function migrateTables(
  options: StateOptions,
  roles: RoleNames,
  migrations = MIGRATIONS,
): Promise<Migrated> {
  return withConnection(options, async (connection) => {
    const left = await leftOf(connection, migrations);
    if (left.length === 0) return { schema_version: knownVersion(migrations), made: [] };
    await requireNobody(connection);
    const text = migrationSql(options.place.schema, left, roles);
    const made = await connection.patiently(async () => {
      try {
        await connection.script(text);
      } catch (error) {
        if (isState(error, IN_USE)) throw inUse([]);
        if (!isState(error, OTHER_VERSION)) throw error;
        // The answer was lost, or somebody else was quicker.
        const still = await leftOf(connection, migrations);
        if (still.length > 0) throw error;
      }
      return left.map(({ to }) => to);
    });
    return { schema_version: knownVersion(migrations), made };
  });
}

/** The same as SQL, for the owner of the tables; nothing is done. @throws Failure `local_state` */
export async function printedMigration(
  options: StateOptions,
  roles: RoleNames,
  migrations = MIGRATIONS,
): Promise<string> {
  return withConnection(options, async (connection) => {
    const left = await leftOf(connection, migrations);
    if (left.length > 0) return `BEGIN;\n${migrationSql(options.place.schema, left, roles)}COMMIT;\n`;
    return `-- Nothing to do: the tables have version ${String(knownVersion(migrations))}.\n`;
  });
}

/** Steps that are still to be done. @throws Failure `local_state` (`store_newer`, `state_unusable`) */
async function leftOf(
  connection: Connection,
  migrations: readonly StateMigration[],
): Promise<readonly StateMigration[]> {
  const sql = 'SELECT version, least_writer, least_reader FROM svc.meta';
  const [tables] = (await connection.run<TableVersions>(sql)).rows;
  const version = tables?.version ?? 0;
  // Tables of a newer program stay as they are.
  if (tables !== undefined && version > knownVersion(migrations))
    useOf({ ...tables, least_reader: version }, knownVersion(migrations));
  return stepsTo(version, migrations, (found) => connection.moving(found));
}

async function requireNobody(connection: Connection): Promise<void> {
  const names = LEASES.map((lease) => `SELECT name FROM ${lease}`).join(' UNION ');
  const { rows } = await connection.run<{ name: string }>(names);
  if (rows.length > 0) throw inUse(rows.map(({ name }) => name));
}

function inUse(names: readonly string[]): Failure {
  const who =
    names.length === 0 ? 'Another run is' : `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'}`;
  return new Failure(
    'unsafe',
    `${who} using the shared state. Nothing was changed. Wait until that ends. A dead run is released when its lease ends.`,
    { code: 'state_in_use', retryable: true },
  );
}

/** @param left behind the version that there is, at least one */
function migrationSql(schema: string, left: readonly StateMigration[], roles: RoleNames): string {
  const named = (text: string): string => inSchema(text, schema);
  const from = (left[0]?.to ?? 1) - 1;
  const busy = LEASES.map((lease) => `EXISTS (SELECT FROM ${lease})`).join(' OR ');
  const tables = LEASES.map((lease) => lease.split(' ')[0] ?? '').join(', ');
  const steps = left.map(
    ({ to, sql, leastWriter, leastReader }) =>
      `${sql.trim()}\nUPDATE svc.meta SET version = ${String(to)}, least_writer = ${String(leastWriter)}, least_reader = ${String(leastReader)};\n`,
  );
  const guard = `SET LOCAL lock_timeout = '5s';
${named(`LOCK TABLE svc.meta, ${tables} IN SHARE ROW EXCLUSIVE MODE;`)}
${doBlock(
  named(`BEGIN
  IF (SELECT version FROM svc.meta) <> ${String(from)} THEN
    RAISE EXCEPTION 'The tables do not have version ${String(from)}.' USING ERRCODE = '${OTHER_VERSION}';
  END IF;
  IF ${busy} THEN
    RAISE EXCEPTION 'Another run is using the shared state.' USING ERRCODE = '${IN_USE}';
  END IF;
END`),
)}`;
  return `${guard}${steps.map(named).join('')}${grantsSql(schema, roles)}`;
}
