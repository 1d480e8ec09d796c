/** The way to the database: what is in a statement's way passes by itself, and a connection that gave no answer in time is not used again. */
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { connect, type Connection, type ConnectionOptions } from '../../src/state/connection.js';
import { systemClock } from '../../src/runtime/clock.js';
import type { StatePlace } from '../../src/state/place.js';
import { startPostgres } from '../support/postgres.js';

const server = await startPostgres(['max_connections=20']);
afterAll(() => server?.stop());

describe.skipIf(server === null)('a connection to the state', () => {
  const place = (): StatePlace => ({ ...server!.address, schema: 'none', tls: null });
  const withOne = async (
    options: Partial<ConnectionOptions>,
    work: (connection: Connection) => Promise<void>,
  ): Promise<void> => {
    const connection = connect({
      ...{ place: place(), clock: systemClock, patienceMs: 0, say: () => undefined },
      ...options,
    });
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
      // 55P03.
      await server!.query(`ALTER ROLE ${server!.address.user} SET lock_timeout = '1ms'`);
      const changed = await connection.run('UPDATE locked SET a = a + 1 RETURNING a');
      expect(changed).toEqual({ rows: [{ a: 3 }], count: 1 });
      expect([waits, said]).toEqual([1, []]);
    }).finally(() => server!.query(`ALTER ROLE ${server!.address.user} RESET lock_timeout`));
    await holder.end();
  });

  it('is another one after an answer that did not come in time', async () => {
    const PID = 'SELECT pg_backend_pid() AS pid';
    await withOne({ statementMs: 300 }, async (connection) => {
      const [before] = (await connection.run<{ pid: number }>(PID)).rows;
      await expect(connection.once('SELECT pg_sleep(60)')).rejects.toThrow('timeout');
      const [after] = (await connection.run<{ pid: number }>(PID)).rows;
      expect(after?.pid).not.toBe(before?.pid);
    });
  });

  it('is the same one after a statement that was refused', async () => {
    const PID = 'SELECT pg_backend_pid() AS pid';
    await withOne({}, async (connection) => {
      const [before] = (await connection.run<{ pid: number }>(PID)).rows;
      await expect(connection.once('SELECT 1/0')).rejects.toThrow('zero');
      expect((await connection.run<{ pid: number }>(PID)).rows).toEqual([before]);
    });
  });
});
