/** A database that the machines of a test share, as their environment says it. */
import type { PostgresDatabase } from './postgres.js';
import { postgresHere } from './postgres-here.js';

export interface SharedDatabase<Database extends PostgresDatabase = PostgresDatabase> {
  readonly server: Database;
  /** A schema of its own, with no tables yet. */
  env(): Readonly<Record<string, string>>;
  schemaOf(env: Readonly<Record<string, string>>): string;
  /** As its owner, in the schema that such an environment names: `svc.` stands for it. */
  query(env: Readonly<Record<string, string>>, text: string): Promise<Record<string, unknown>[]>;
}

function schemaOf(env: Readonly<Record<string, string>>): string {
  const schema = new URL(env['SVC_STATE'] ?? '').searchParams.get('schema');
  if (schema === null) throw new Error('an environment of a test names its schema');
  return schema;
}

/** Null where no PostgreSQL can be started here. To be called at the top of a file. */
export async function sharedDatabase(): Promise<SharedDatabase | null> {
  return sharedIn(await postgresHere());
}

/** The same on that server. */
export function sharedIn<Database extends PostgresDatabase>(
  server: Database | null,
): SharedDatabase<Database> | null {
  if (server === null) return null;
  const { host, port, user, password, database } = server.address;
  let schemas = 0;
  return {
    server,
    schemaOf,
    query: (env, text) => server.queryIn({ schema: schemaOf(env) }, text),
    env: () => ({
      SVC_STATE: `postgres://${user}@${host}:${String(port)}/${database}?schema=shared_${String((schemas += 1))}`,
      SVC_STATE_PASSWORD: password,
    }),
  };
}
