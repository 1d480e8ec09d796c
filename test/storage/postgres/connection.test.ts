import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import {
  connect,
  type Connection,
  type ConnectionOptions,
} from '../../../src/storage/postgres/connection.js';
import { healthOf } from '../../../src/storage/postgres/checks.js';
import { makeTables } from '../../../src/storage/postgres/make-tables.js';
import { openState } from '../../../src/storage/postgres/open.js';
import { systemClock } from '../../../src/runtime/clock.js';
import type { StatePlace } from '../../../src/storage/postgres/place.js';
import { ROLES } from '../../../src/storage/postgres/roles.js';
import { SENDABLE } from '../../../src/storage/batches/row-state.js';
import { planned, plannedRow } from '../batches/given.js';
import { failing, openPostgres } from '../batches/opening.js';
import { claimedAt } from '../../support/moments.js';
import { startPostgres } from '../../support/postgres.js';

const server = await startPostgres(['max_connections=20']);
afterAll(() => server?.stop());

const ONCE = { clock: systemClock, patienceMs: 0, say: () => undefined, key: null };

describe.skipIf(server === null)('a connection to the state', () => {
  const place = (): StatePlace => ({ ...server!.address, schema: 'none', tls: null });
  const withOne = async (
    options: Partial<ConnectionOptions>,
    work: (connection: Connection) => Promise<void>,
  ): Promise<void> => {
    const connection = connect({ ...ONCE, place: place(), ...options });
    try {
      await work(connection);
    } finally {
      await connection.close();
    }
  };

  it('gives a statement again that waited too long for a lock', async () => {
    await server!.query('CREATE TABLE locked (a integer); INSERT INTO locked VALUES (1)');
    const holder = new pg.Client(server!.address);
    await holder.connect();
    await holder.query('BEGIN; UPDATE locked SET a = 2');
    let waits = 0;
    const sleep = async (): Promise<void> => {
      waits += 1;
      await holder.query('COMMIT');
    };
    const said: string[] = [];
    const say = (text: string): void => void said.push(text);
    await withOne({ clock: { ...systemClock, sleep }, patienceMs: 60_000, say }, async (connection) => {
      await server!.query(`ALTER ROLE ${server!.address.user} SET lock_timeout = '1ms'`);
      const changed = await connection.run('UPDATE locked SET a = a + 1 RETURNING a');
      expect(changed).toEqual({ rows: [{ a: 3 }], count: 1 });
      expect([waits, said]).toEqual([1, []]);
    }).finally(() => server!.query(`ALTER ROLE ${server!.address.user} RESET lock_timeout`));
    await holder.end();
  });
  it.each([
    ['another', 'an answer that did not come in time', 'SELECT pg_sleep(60)', 'timeout'],
    ['the same', 'a statement that was refused', 'SELECT 1/0', 'zero'],
  ])('is %s one after %s', async (which, _what, text, why) => {
    await withOne({ statementMs: 300 }, async (connection) => {
      const pid = async () => (await connection.run('SELECT pg_backend_pid() AS pid')).rows[0]!['pid'];
      const before = await pid();
      await expect(connection.runOnce(text)).rejects.toThrow(why);
      expect((await pid()) === before).toBe(which === 'the same');
    });
  });

  it('is asked once where nobody waits, and not at all for a password that never was right', async () => {
    const sleep = (): Promise<void> => Promise.reject(new Error('it was waited'));
    const clock = { ...systemClock, monotonic: () => 7, sleep };
    const away = { ...place(), port: 1 };
    await withOne({ clock, place: away }, async (connection) => {
      const why = {
        ...failing(16, 'state_unreachable'),
        message: expect.stringContaining('cannot be reached') as string,
      };
      await expect(connection.run('SELECT 1')).rejects.toMatchObject(why);
    });
    const wrong = { ...place(), password: 'another one' };
    await withOne({ clock, place: wrong, patienceMs: 60_000 }, async (connection) => {
      const why = {
        ...failing(16, 'state_unusable'),
        message: expect.stringContaining('the password is wrong') as string,
      };
      await expect(connection.run('SELECT 1')).rejects.toMatchObject(why);
      await expect(connection.run('SELECT 1')).rejects.not.toThrow('another one');
    });
  });

  it('may be asked again and again whether somebody stands between', async () => {
    await withOne({}, async (connection) => {
      for (let times = 0; times < 3; times += 1) expect(await connection.isPooled()).toBe(false);
    });
  });

  it('ends where its tables are refused', async () => {
    const idle = "SELECT FROM pg_stat_activity WHERE application_name = 'svc' AND state = 'idle'";
    await expect(openState({ ...ONCE, place: place() })).rejects.toThrow('svc state init');
    let open = await server!.query(idle);
    for (let looks = 0; open.length > 0 && looks < 100; looks += 1) open = await server!.query(idle);
    expect(open).toEqual([]);
  });
});

describe.skipIf(server === null)('what is said of the state', () => {
  const said = async (at: StatePlace, check: string, times: number[] = []) => {
    const compared = { clockOwner: 'machine' as const, now: () => times.shift() ?? Date.now() };
    const { checks } = await healthOf({ ...ONCE, place: at }, compared);
    return checks.find((one) => one.check === check);
  };

  it('compares its clock with the middle of a question, however long the answer takes', async () => {
    const nowMs = Date.now();
    const times = [nowMs - 40_000, nowMs + 40_000];
    expect(await said(await server!.place(), 'clock', times)).toMatchObject({ status: 'ok' });
  });

  it('names who is at work, and nobody whose lease is over', async () => {
    const place = await server!.place();
    const store = await openPostgres(place, { name: 'pod-7' });
    const batch = await planned(store, [plannedRow(0, 1n)]);
    await store.exchange(batch.id, [], { after: -1, count: 1, states: SENDABLE, ...claimedAt(7) });
    expect((await said(place, 'workers'))?.detail).toBe(`${batch.name} by pod-7`);
    await server!.queryIn(place, "UPDATE svc.workers SET lease_until = '2000-01-01'");
    expect((await said(place, 'workers'))?.detail).toBe('none');
    await store.close();
  });

  it('is that there are no tables, where somebody may make none', async () => {
    await server!.query("CREATE ROLE makes_nothing LOGIN PASSWORD 'x'");
    const nobody = { user: 'makes_nothing', password: 'x', schema: 'no', tls: null };
    const place = { ...server!.address, ...nobody };
    const made = makeTables({ ...ONCE, place }, 'sandbox', ROLES);
    await expect(made).rejects.toThrow('may not create a schema in the database. Nothing was made');
  });
});
