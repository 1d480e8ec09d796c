import type { Environment } from '../../contract/access.js';
import { Failure } from '../../runtime/failure.js';
import { hasOtherLocks } from './checks.js';
import type { Connection } from './connection.js';
import { hasSqlState, UNIQUE_VIOLATION } from './failures.js';
import { keyProblem, type StateKey } from './key.js';
import { requireTables, type StateOptions, withConnection } from './open.js';
import { grantsSql, type RoleNames } from './roles.js';
import { SCHEMA_VERSION, TABLES } from './schema.js';
import { inSchema, quotedName } from './sql.js';

const ALREADY_MADE: readonly string[] = ['42P07', '42P06', UNIQUE_VIOLATION];
const PERMISSION_DENIED = '42501';

export async function makeTables(options: StateOptions, environment: Environment, roles: RoleNames) {
  const { schema } = options.place;
  return withConnection(options, async (connection) => {
    const answer = await connection.run<{ version: string }>('SELECT version()');
    const [{ version: serverVersion } = { version: '' }] = answer.rows;
    if (hasOtherLocks(serverVersion)) {
      const text = `This is ${serverVersion}. Its locks differ from those of PostgreSQL, so svc cannot use it. Nothing was made.`;
      throw new Failure('local_state', text, { code: 'state_unusable' });
    }
    const created = await connection.runPatiently(async () => {
      try {
        await connection.script(initialSql(schema, environment, options.key));
        return true;
      } catch (cause) {
        if (ALREADY_MADE.some((state) => hasSqlState(cause, state))) return false;
        if (!hasSqlState(cause, PERMISSION_DENIED)) throw cause;
        if (await hasTables(connection)) return false;
        const text =
          'This user may not create a schema in the database. Nothing was made. "svc state init --print" prints the SQL for somebody who may.';
        throw new Failure('local_state', text, { code: 'state_unusable', cause });
      }
    });
    const { version, environment: stateEnvironment } = await requireTables(connection, options.key);
    await connection.runPatiently(() => connection.script(grantsSql(schema, roles)));
    const values = [[roles.worker, roles.reader], `${quotedName(schema)}.batches`];
    const { rows } = await connection.run<{ role: string }>(SELECT_GRANTED_ROLES, values);
    return {
      schema_version: version,
      environment: stateEnvironment,
      created,
      granted: rows.map(({ role }) => role),
    };
  });
}

export type MadeTables = Awaited<ReturnType<typeof makeTables>>;

function hasTables(connection: Connection): Promise<boolean> {
  return connection.runOnce('SELECT FROM svc.meta').then(
    () => true,
    () => false,
  );
}

const SELECT_GRANTED_ROLES =
  "SELECT rolname AS role FROM pg_roles WHERE rolname = ANY ($1) AND has_table_privilege(oid, $2, 'SELECT') ORDER BY rolname DESC";

export function initialSql(schema: string, environment: Environment, key: StateKey | null): string {
  const problem = keyProblem({ environment, key_check: key?.check ?? null }, key);
  if (problem !== null) throw problem;
  const version = String(SCHEMA_VERSION);
  const check = key === null ? 'NULL' : `'\\x${Buffer.from(key.check).toString('hex')}'`;
  const meta =
    'INSERT INTO svc.meta (version, least_writer, least_reader, environment, key_check) VALUES ' +
    `(${version}, ${version}, ${version}, '${environment}', ${check});`;
  const tablesSql = `${TABLES}${meta}\nINSERT INTO svc.changes (count) VALUES (0);\n`;
  return `CREATE SCHEMA IF NOT EXISTS ${quotedName(schema)};\n${inSchema(tablesSql, schema)}`;
}
