/** Versions of the shared state on a real PostgreSQL: which program may use which tables, and how older ones come to the newest. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/runtime/clock.js';
import type { Failure } from '../../src/runtime/failure.js';
import { makeTables } from '../../src/state/making.js';
import { migrateTables, printedMigration } from '../../src/state/migrating.js';
import type { StatePlace } from '../../src/state/place.js';
import { ROLES } from '../../src/state/roles.js';
import { SCHEMA_VERSION } from '../../src/state/schema.js';
import { LEASES, MIGRATIONS, type StateMigration, useOf } from '../../src/state/versions.js';
import { openPostgres } from '../bulk/store/opening.js';
import { planned, plannedRow } from '../bulk/given.js';
import { SENDABLE } from '../../src/bulk/row-state.js';
import { startPostgres } from '../support/postgres.js';
import { wordsInShell } from '../support/typed.js';
import { claimedAt } from '../support/moments.js';

const PSQL = '/usr/bin/psql';
const server = await startPostgres();
afterAll(() => server?.stop());

/** What the next two steps would be, behind those that there are. */
const [NEXT, LATER] = [SCHEMA_VERSION + 1, SCHEMA_VERSION + 2];
const FIRST: StateMigration = {
  ...{ to: NEXT, leastWriter: 1, leastReader: 1 },
  sql: "ALTER TABLE svc.batches ADD COLUMN later_note text NOT NULL DEFAULT 'none';",
};
const SECOND: StateMigration = {
  ...{ to: LATER, leastWriter: NEXT, leastReader: 1 },
  sql: 'ALTER TABLE svc.batches DROP COLUMN later_note;\nCREATE TABLE svc.later_notes (note text);',
};
const BROKEN: StateMigration = {
  ...SECOND,
  sql: 'CREATE TABLE svc.later_notes (note text);\nDROP TABLE svc.nowhere;',
};
const ROWS = [plannedRow(0, 100n), plannedRow(1, 250n)];
const CLAIM = { after: -1, count: 1, states: SENDABLE, ...claimedAt(7) };

const failureOf = async (work: Promise<unknown>): Promise<Failure> => {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  return error as Failure;
};

describe('a program', () => {
  const tables = { version: 5, least_writer: 4, least_reader: 3 };
  it('writes what it knows, reads what it may, and else says which of the two is too old', () => {
    expect(useOf(tables, 5)).toBe('write');
    expect(useOf(tables, 4)).toBe('write');
    expect(useOf(tables, 3)).toBe('read');
    expect(() => useOf(tables, 2)).toThrow('A newer svc made the shared state');
    expect(() => useOf(tables, 6)).toThrow('run "svc state migrate"');
    const facts: unknown = expect.objectContaining({ nextCommand: 'svc state migrate --live' });
    expect(() => useOf(tables, 6, (command) => `svc ${command} --live`)).toThrow(
      expect.objectContaining({ facts }),
    );
  });

  it('knows the version that its own migrations come to, each of them one more', () => {
    const made = MIGRATIONS.map(({ to }) => to);
    expect(made).toEqual(made.map((_, at) => SCHEMA_VERSION - made.length + 1 + at));
  });
});

describe.skipIf(server === null)('the tables of an older version', () => {
  let place: StatePlace;
  const sql = (text: string) => server!.queryIn(place, text);
  const options = () => ({
    ...{ place, clock: systemClock, patienceMs: 2000, say: () => undefined, key: null },
  });
  const version = async () => (await sql('SELECT version, least_writer, least_reader FROM svc.meta'))[0];
  beforeEach(async () => {
    place = await server!.place();
  });

  it('come to the newest, step by step, once', async () => {
    expect(await migrateTables(options(), ROLES)).toEqual({ schema_version: SCHEMA_VERSION, made: [] });
    expect(await migrateTables(options(), ROLES, [FIRST])).toEqual({ schema_version: NEXT, made: [NEXT] });
    const store = await openPostgres(place);
    const batch = await planned(store, ROWS);
    // Older programs pass over what was made for newer ones.
    expect([...(await store.exchange(batch.id, [], CLAIM))]).toHaveLength(1);
    await store.close();
    expect(await migrateTables(options(), ROLES, [FIRST, SECOND])).toEqual({
      schema_version: LATER,
      made: [LATER],
    });
    expect(await version()).toEqual({ version: LATER, least_writer: NEXT, least_reader: 1 });
    expect(await migrateTables(options(), ROLES, [FIRST, SECOND])).toEqual({
      schema_version: LATER,
      made: [],
    });
    expect((await failureOf(migrateTables(options(), ROLES, [FIRST]))).facts.code).toBe('store_newer');
  });

  it('stay as they are where a step fails, all of them', async () => {
    const before = await version();
    const { exitCode } = await failureOf(migrateTables(options(), ROLES, [FIRST, BROKEN]));
    expect(exitCode).toBe(16);
    expect(await version()).toEqual(before);
    expect(await migrateTables(options(), ROLES, [FIRST, SECOND])).toMatchObject({ made: [NEXT, LATER] });
  });

  it('that come half the way by somebody else meanwhile are not said to have come all of it', async () => {
    const other = new pg.Client(server!.address);
    await other.connect();
    const half = `${FIRST.sql}\nUPDATE svc.meta SET version = ${String(NEXT)}`;
    await other.query(`BEGIN; ${half.replaceAll('svc.', `"${place.schema}".`)}`);
    const failure = failureOf(migrateTables(options(), ROLES, [FIRST, SECOND]));
    let waiting: unknown[] = [];
    while (waiting.length === 0) waiting = await server!.query('SELECT FROM pg_locks WHERE NOT granted');
    await other.query('COMMIT');
    await other.end();
    expect(await failure).toMatchObject({ exitCode: 16, facts: { code: 'state_unusable' } });
    expect(await migrateTables(options(), ROLES, [FIRST, SECOND])).toMatchObject({ made: [LATER] });
  });

  it('are left alone while somebody is at work', async () => {
    const store = await openPostgres(place, { name: 'pod-7' });
    const batch = await planned(store, ROWS);
    await store.exchange(batch.id, [], CLAIM);
    const failure = await failureOf(migrateTables(options(), ROLES, [FIRST]));
    expect(failure).toMatchObject({ exitCode: 13, facts: { code: 'state_in_use' } });
    expect(failure.message).toContain('pod-7 is using the shared state');
    // Nor by whoever looked before it came.
    const printed = await printedMigration(options(), ROLES, [FIRST]);
    await expect(server!.query(printed)).rejects.toThrow('Another run is using the shared state');
    expect(await version()).toMatchObject({ version: SCHEMA_VERSION });
    await store.close();
    await server!.query(printed);
    expect(await version()).toMatchObject({ version: NEXT });
    await expect(server!.query(printed)).rejects.toThrow(`do not have version ${SCHEMA_VERSION}.`);
    expect(await printedMigration(options(), ROLES, [FIRST])).toMatch(/^-- Nothing to do/);
  });

  it('stop a worker of before in the middle, and let it read', async () => {
    const store = await openPostgres(place);
    const batch = await planned(store, ROWS);
    await store.exchange(batch.id, [], CLAIM);
    await sql("UPDATE svc.workers SET lease_until = '2000-01-01'");
    await migrateTables(options(), ROLES, [FIRST, SECOND]);
    expect((await failureOf(store.exchange(batch.id, [], CLAIM))).facts.code).toBe('store_newer');
    await store.close().catch(() => undefined);
    const reading = await openPostgres(place);
    expect(await reading.list()).toMatchObject([{ name: batch.name }]);
    expect(await reading.tally(batch.id)).toHaveLength(2);
    const writes: (() => Promise<unknown>)[] = [
      () => reading.join(batch.id, 'send'),
      () => reading.confirm(batch.id, 1, new Map()),
      () => reading.exchange(batch.id, [], CLAIM),
      () => reading.discard(batch.id),
      () => planned(reading, ROWS),
    ];
    for (const write of writes) expect((await failureOf(write())).facts.code).toBe('store_newer');
    await reading.close();
    await sql(`UPDATE svc.meta SET least_reader = ${NEXT}`);
    expect((await failureOf(openPostgres(place))).facts.code).toBe('store_newer');
  });

  it('that no step begins with are refused and left alone, and what is typed then makes room for new ones', async () => {
    await sql('UPDATE svc.meta SET version = -7, least_reader = -7, least_writer = -7');
    const before = await version();
    const refusals = [
      await failureOf(openPostgres(place)),
      await failureOf(migrateTables(options(), ROLES)),
      await failureOf(migrateTables(options(), ROLES, [FIRST, SECOND])),
      await failureOf(printedMigration(options(), ROLES)),
    ];
    for (const { exitCode, message, facts } of refusals) {
      expect([exitCode, facts.code]).toEqual([16, 'state_unusable']);
      expect(message).toContain('An older, unreleased version of svc made the shared state');
    }
    expect(await version()).toEqual(before);
    const words = wordsInShell(refusals[0]?.facts.nextCommand ?? '', 'psql');
    expect(words.slice(0, 6)).toEqual(['-h', place.host, '-p', String(place.port), '-d', place.database]);
    if (existsSync(PSQL)) {
      const { user, password } = server!.address;
      const env = { ...process.env, PGUSER: user, PGPASSWORD: password };
      execFileSync('sh', ['-c', refusals[0]?.facts.nextCommand ?? ''], { env });
    } else await server!.query(words.at(-1) ?? '');
    expect(await makeTables(options(), 'sandbox', ROLES)).toMatchObject({ created: true });
    await (await openPostgres(place)).close();
    expect(await server!.query(`SELECT version FROM "${place.schema}_v-7".meta`)).toEqual([{ version: -7 }]);
  });

  it('belong to one environment, whatever program comes', async () => {
    const of = (environment: 'live' | 'sandbox') => openPostgres({ ...place, environment });
    await (await of('sandbox')).close();
    const refused = { exitCode: 13, facts: { code: 'state_of_other_environment' } };
    expect(await failureOf(of('live'))).toMatchObject(refused);
    await sql("UPDATE svc.meta SET environment = 'live'");
    expect(await failureOf(of('sandbox'))).toMatchObject(refused);
  });

  it('are looked at wherever somebody may be at work', async () => {
    const leased = await server!.query(
      "SELECT table_name FROM information_schema.columns WHERE table_schema = $1 AND column_name = 'lease_until'",
      [place.schema],
    );
    const named = LEASES.map((lease) => /^svc\.(\w+) /.exec(lease)?.[1]);
    expect(named.toSorted()).toEqual(leased.map(({ table_name: name }) => name).toSorted());
  });
});
