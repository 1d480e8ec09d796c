import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import type { StatePlace } from '../../../src/storage/postgres/place.js';
import { requireRoles, ROLES, scriptOf } from '../../../src/storage/postgres/roles.js';
import { columnsFor, SCHEMA_VERSION, STATE_TABLES } from '../../../src/storage/postgres/schema.js';
import { initialSql } from '../../../src/storage/postgres/make-tables.js';
import { startPostgres } from '../../support/postgres.js';

const server = await startPostgres();
afterAll(() => server?.stop());
const PSQL = '/usr/bin/psql';

const DENIED = '42501';

async function tried(place: StatePlace, text: string): Promise<string> {
  const { host, port, user, password, database, schema } = place;
  const client = new pg.Client({ host, port, user, password, database });
  await client.connect();
  try {
    await client.query(text.replaceAll('svc.', `"${schema}".`));
    return 'done';
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    await client.end();
  }
}

describe.skipIf(server === null)('the grants of the shared state', () => {
  it('name every table and every column there is: whoever adds one says in its table what it is', async () => {
    const { schema } = await server!.place();
    const namesOf = async (which: string): Promise<string[]> => {
      const from = `FROM information_schema.columns WHERE table_schema = $1 ${which}`;
      const found = await server!.query(`SELECT table_name || '.' || column_name AS name ${from}`, [schema]);
      return found.map(({ name }) => String(name));
    };
    const there = await namesOf('');
    const tables = Object.keys(STATE_TABLES);
    const named = tables.flatMap((table) => columnsFor(table).all.map((column) => `${table}.${column}`));
    expect(named.toSorted()).toEqual(there.toSorted());
    const hidden = tables.flatMap((table) => columnsFor(table).hidden.map((column) => `${table}.${column}`));
    expect(there).toEqual(expect.arrayContaining(hidden));
    const bytes = await namesOf("AND data_type = 'bytea'");
    const shown = bytes.filter((name) => !hidden.includes(name));
    expect(shown.filter((name) => !/(seal|_mark|_check|_salt|signature)$/.test(name))).toEqual([]);
  });

  it('let a worker change nothing of what is paid', async () => {
    const place = await server!.place(null, 'worker');
    for (const text of [
      ...["UPDATE svc.rows SET amount = '1'", 'UPDATE svc.rows SET minor = 1'],
      ...["UPDATE svc.rows SET currency = 'USD'", "UPDATE svc.rows SET reference = 'x'"],
      ...["UPDATE svc.bodies SET body = ''", "UPDATE svc.batches SET name = 'x'"],
      "UPDATE svc.batches SET address = 'x'",
      'UPDATE svc.batches SET plan_head = NULL, plan_digest = NULL',
      ...["UPDATE svc.approvals SET signature = ''", 'DELETE FROM svc.approvals'],
      ...["UPDATE svc.meta SET environment = 'live'", 'DELETE FROM svc.meta', 'DELETE FROM svc.workers'],
      ...['UPDATE svc.workers SET worker = DEFAULT', 'DELETE FROM svc.decisions'],
      ...['TRUNCATE svc.rows CASCADE', 'DROP TABLE svc.rows CASCADE', 'ALTER TABLE svc.rows ADD x text'],
      'CREATE TABLE svc.mine (x text)',
    ])
      expect([text, await tried(place, text)]).toEqual([text, DENIED]);
    expect(await tried(place, "UPDATE svc.rows SET state = 'planned'")).toBe('done');
    const ask = 'SELECT rolconfig AS settings FROM pg_roles WHERE rolname = $1';
    const idle = 'idle_in_transaction_session_timeout=10s';
    const settings = ['synchronous_commit=on', idle, 'lock_timeout=5s'];
    expect(await server!.query(ask, [ROLES.worker])).toEqual([{ settings }]);
  });

  it('show a reader everything but bodies, and let it change nothing', async () => {
    const place = await server!.place(null, 'reader');
    for (const table of Object.keys(STATE_TABLES)) {
      const { hidden } = columnsFor(table);
      const all = await tried(place, `SELECT * FROM svc.${table}`);
      expect([table, all]).toEqual([table, hidden.length === 0 ? 'done' : DENIED]);
      for (const column of hidden)
        expect([table, await tried(place, `SELECT ${column} FROM svc.${table}`)]).toEqual([table, DENIED]);
    }
    for (const text of [
      "UPDATE svc.rows SET state = 'planned'",
      'DELETE FROM svc.batches',
      'INSERT INTO svc.changes (count) VALUES (1)',
    ])
      expect([text, await tried(place, text)]).toEqual([text, DENIED]);
  });

  it('are given to roles of any name, and again where a table was added since', async () => {
    const names = { owner: `o"w'n $svc$ er`, worker: 'a svc.worker \\ 1', reader: 'räder' };
    const schema = `a "$& svc.b`;
    const script = scriptOf(initialSql(schema, 'sandbox', null), schema, requireRoles(names));
    await server!.query(script);
    const ask =
      'SELECT count(*)::int AS tables, min(tableowner) AS owner FROM pg_tables WHERE schemaname = $1';
    const [owned] = await server!.query(ask, [schema]);
    expect(owned).toEqual({ tables: Object.keys(STATE_TABLES).length, owner: names.owner });
    for (const wrong of ['', 'public', 'pg_monitor', 'x'.repeat(64), 'a\nb'])
      expect(() => requireRoles({ ...ROLES, worker: wrong })).toThrow('The name of a role');
    expect(() => requireRoles({ ...ROLES, worker: ROLES.owner })).toThrow('three different roles');
  });

  it('are left out where somebody may not give them: the tables are made all the same', async () => {
    await server!.query("CREATE ROLE modest LOGIN PASSWORD 'modest'");
    await server!.query('GRANT CREATE ON DATABASE postgres TO modest');
    const place = { ...(await server!.place()), user: 'modest', password: 'modest', schema: 'modest' };
    const names = { owner: 'none_1', worker: 'none_2', reader: 'none_3' };
    expect(await tried(place, scriptOf(initialSql('modest', 'sandbox', null), 'modest', names))).toBe('done');
    expect(await server!.query("SELECT 1 FROM pg_roles WHERE rolname LIKE 'none\\_%'")).toEqual([]);
    expect(await server!.query('SELECT version FROM modest.meta')).toEqual([{ version: SCHEMA_VERSION }]);
  });

  it.skipIf(!existsSync(PSQL))('are what psql reads, as they are printed', () => {
    const { host, port, user, password, database } = server!.address;
    const words = ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-h', host, '-p', String(port), '-U', user, database];
    const input = scriptOf(initialSql('of psql', 'sandbox', null), 'of psql', ROLES);
    execFileSync(PSQL, words, { input, env: { ...process.env, PGPASSWORD: password } });
  });
});
