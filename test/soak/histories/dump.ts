import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { initialSql } from '../../../src/storage/postgres/make-tables.js';
import type { Site } from '../state/site.js';

interface DumpedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly numbered: readonly string[];
}

export interface Dump {
  readonly tables: readonly DumpedTable[];
  readonly folder: string;
}

const NOBODY = 65_534;

export async function dumpOf(site: Site): Promise<Dump> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-dump-'));
  if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY);
  const tables = (await site.server.query(
    `SELECT table_name AS name, array_agg(column_name::text) AS columns,
       coalesce(array_agg(column_name::text) FILTER (WHERE is_identity = 'YES'), '{}') AS numbered
     FROM information_schema.columns WHERE table_schema = $1 AND is_generated = 'NEVER' GROUP BY table_name`,
    [site.schema],
  )) as unknown as DumpedTable[];
  const into = (table: DumpedTable) =>
    `COPY ${table.name} (${listOf(table)}) TO '${join(folder, table.name)}'`;
  const copies = `SET LOCAL search_path TO "${site.schema}"; ${tables.map(into).join('; ')}`;
  await site.server.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${copies}; COMMIT`);
  return { tables, folder };
}

export async function restore(site: Site, { tables, folder }: Dump): Promise<void> {
  const schema = `"${site.schema}"`;
  const numbered = (name: string, column: string): string =>
    `SELECT setval(pg_get_serial_sequence('${schema}.${name}', '${column}'), coalesce(max(${column}), 0) + 1, false) FROM ${name}`;
  const copies = tables.flatMap((table) => [
    `DELETE FROM ${table.name}`,
    `COPY ${table.name} (${listOf(table)}) FROM '${join(folder, table.name)}'`,
    ...table.numbered.map((column) => numbered(table.name, column)),
  ]);
  await site.server.query(
    `BEGIN; DROP SCHEMA ${schema} CASCADE; ${initialSql(site.schema, 'sandbox', null)}
     SET LOCAL search_path TO ${schema}; SET LOCAL session_replication_role = replica; ${copies.join('; ')}; COMMIT`,
  );
}

export function removeDump({ folder }: Dump): void {
  rmSync(folder, { recursive: true, force: true });
}

function listOf({ columns }: DumpedTable): string {
  return columns.map((column) => `"${column}"`).join(', ');
}
