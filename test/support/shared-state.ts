import type { PostgresDatabase } from './postgres.js';
import { postgresHere } from './postgres-here.js';

export interface SharedDatabase<Database extends PostgresDatabase = PostgresDatabase> {
  readonly server: Database;
  env(): Readonly<Record<string, string>>;
  schemaOf(env: Readonly<Record<string, string>>): string;
  query(env: Readonly<Record<string, string>>, text: string): Promise<Record<string, unknown>[]>;
}

function schemaOf(env: Readonly<Record<string, string>>): string {
  const schema = new URL(env['SVC_STATE'] ?? '').searchParams.get('schema');
  if (schema === null) throw new Error('an environment of a test names its schema');
  return schema;
}

export async function sharedDatabase(): Promise<SharedDatabase | null> {
  return sharedIn(await postgresHere());
}

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
