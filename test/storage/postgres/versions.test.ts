import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.js';
import type { Failure } from '../../../src/runtime/failure.js';
import { makeTables } from '../../../src/storage/postgres/make-tables.js';
import { allowedUse } from '../../../src/storage/postgres/open.js';
import type { StatePlace } from '../../../src/storage/postgres/place.js';
import { ROLES } from '../../../src/storage/postgres/roles.js';
import { SCHEMA_VERSION } from '../../../src/storage/postgres/schema.js';
import { openPostgres, statesOf } from '../batches/opening.js';
import { planned, plannedRow } from '../batches/given.js';
import { SENDABLE } from '../../../src/storage/batches/row-state.js';
import { startPostgres } from '../../support/postgres.js';
import { wordsInShell } from '../../support/shell.js';
import { claimedAt } from '../../support/moments.js';

const PSQL = '/usr/bin/psql';
const server = await startPostgres();
afterAll(() => server?.stop());

const NEXT = SCHEMA_VERSION + 1;
const ROWS = [plannedRow(0, 100n), plannedRow(1, 250n)];
const CLAIM = { after: -1, count: 1, states: SENDABLE, ...claimedAt(7) };

const failureOf = async (work: Promise<unknown>): Promise<Failure> => {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  return error as Failure;
};

it('a program writes what it knows, reads what it may, and else says which of the two is too old', () => {
  const tables = { version: 5, least_writer: 4, least_reader: 3 };
  const use = (known: number) => allowedUse(tables, (version) => `move ${String(version)}`, known);
  expect([5, 4, 3].map(use)).toEqual(['write', 'write', 'read']);
  expect(() => use(2)).toThrow('A newer svc made the shared state');
  const facts: unknown = expect.objectContaining({ code: 'state_unusable', nextCommand: 'move 5' });
  expect(() => use(6)).toThrow(expect.objectContaining({ facts }));
});

describe.skipIf(server === null)('the tables of another version', () => {
  let place: StatePlace;
  const sql = (text: string) => server!.queryIn(place, text);
  const options = () => ({ place, clock: systemClock, patienceMs: 2000, say: () => undefined, key: null });
  const version = async () => (await sql('SELECT version, least_writer, least_reader FROM svc.meta'))[0];
  beforeEach(async () => {
    place = await server!.place();
  });

  it('stop a worker of this one in the middle, and let it read', async () => {
    const store = await openPostgres(place);
    const batch = await planned(store, ROWS);
    await store.exchange(batch.id, [], CLAIM);
    await sql('ALTER TABLE svc.rows ADD COLUMN later text');
    await sql(`UPDATE svc.meta SET version = ${NEXT}`);
    expect([...(await store.exchange(batch.id, [], CLAIM))]).toHaveLength(1);
    await sql(`UPDATE svc.meta SET least_writer = ${NEXT}`);
    const before = await statesOf(store, batch);
    expect((await failureOf(store.exchange(batch.id, [], CLAIM))).facts.code).toBe('store_newer');
    expect(await statesOf(store, batch)).toEqual(before);
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

  it('that are older are refused and left alone, and what is typed then makes room for new ones', async () => {
    await sql('UPDATE svc.meta SET version = -7, least_reader = -7, least_writer = -7');
    const before = await version();
    const making = failureOf(makeTables(options(), 'sandbox', ROLES));
    const refusals = [await failureOf(openPostgres(place)), await making];
    for (const { exitCode, message, facts } of refusals) {
      expect([exitCode, facts.code]).toEqual([16, 'state_unusable']);
      expect(message).toContain('An older, unreleased version of svc made the shared state');
    }
    expect(await version()).toEqual(before);
    const words = wordsInShell(refusals[0]?.facts.nextCommand ?? '', 'psql');
    expect(words.slice(0, 6)).toEqual(['-h', place.host, '-p', String(place.port), '-d', place.database]);
    const move = async (): Promise<unknown> => {
      if (!existsSync(PSQL)) return server!.query(words.at(-1) ?? '');
      const { user, password } = server!.address;
      const env = { ...process.env, PGUSER: user, PGPASSWORD: password };
      return execFileSync('sh', ['-c', refusals[0]?.facts.nextCommand ?? ''], { env, stdio: 'pipe' });
    };
    await move();
    expect(await makeTables(options(), 'sandbox', ROLES)).toMatchObject({ created: true });
    await expect(move()).rejects.toThrow('already exists');
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
});
