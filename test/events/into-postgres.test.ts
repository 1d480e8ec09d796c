import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/runtime/clock.js';
import { Stopped } from '../../src/runtime/ports.js';
import { ids } from '../feed/feed.js';
import { FEED_ENV, feedLine, listFeed, type FeedAnswer } from '../support/feed-line.js';
import { type IntoTables, postgresTables } from '../support/into-tables.js';
import { startPostgres } from '../support/postgres.js';
import { eachWorld, type Result, type RunOptions } from '../support/svc.js';

const server = await startPostgres();
afterAll(() => server?.stop());

const schemaOf = ({ into }: IntoTables): string => new URL(into).searchParams.get('schema')!;

describe.skipIf(server === null)('into PostgreSQL', () => {
  const home = eachWorld();
  let tables: IntoTables;
  beforeEach(() => (tables = postgresTables(server!)));

  const tailInto = (into: string, answer = listFeed(ids(2)), words = '', options: RunOptions = {}) => {
    const env = { ...FEED_ENV, ...(options.env ?? tables.env) };
    const argv = ['events', 'tail', '--into', into, ...words.split(' ').filter(Boolean)];
    return home.svc(argv, { transport: feedLine(answer), ...options, env });
  };
  const tail = (answer?: FeedAnswer, words = '--create --no-follow', options: RunOptions = {}) =>
    tailInto(tables.into, answer, words, options);
  const rows = async (): Promise<unknown[]> =>
    (await tables.query('SELECT id FROM svc_events ORDER BY number')).map(({ id }) => id);
  const following = async (
    events: string[],
    until: number,
    meanwhile: () => Promise<void>,
  ): Promise<Result> => {
    const controller = new AbortController();
    const watch = (async () => {
      const count = async (): Promise<number> => (await rows().catch(() => [])).length;
      while ((await count()) < 3) await systemClock.sleep(20);
      await meanwhile();
      events.push(...ids(until - events.length, events.length + 1));
      for (let left = 300; (await count()) < until && left > 0; left -= 1) await systemClock.sleep(20);
      controller.abort(new Stopped('SIGTERM', 143));
    })();
    const sleep: typeof systemClock.sleep = (ms, signal) => systemClock.sleep(Math.min(ms, 50), signal);
    const options = { signal: controller.signal, clock: { ...systemClock, sleep } };
    const result = await tail((cursor, count) => listFeed(events)(cursor, count), '--create', options);
    await watch;
    return result;
  };

  it('keeps amounts as numbers, times as times and the event as jsonb', async () => {
    expect((await tail(listFeed(ids(3)))).exitCode).toBe(0);
    const columns = ['amount', 'occurred_at', 'reference'];
    const types = columns.map((column) => `pg_typeof(${column})::text AS ${column}`);
    const row = `SELECT ${types.join(', ')} FROM (SELECT 1) AS one LEFT JOIN svc_operations ON true`;
    expect(await tables.query(row)).toEqual([
      { amount: 'numeric', occurred_at: 'timestamp with time zone', reference: 'text' },
    ]);
    const inside = "SELECT raw->'data'->>'reference' AS reference FROM svc_events WHERE id = 'e2'";
    expect(await tables.query(inside)).toEqual([{ reference: 'ref-e2' }]);
  });

  it.each([
    ['a wrong password', { SVC_INTO_PASSWORD: 'wrong-wrong-wrong' }, '/postgres?', 'the password is wrong'],
    ['no password', {}, '/postgres?', 'SVC_INTO_PASSWORD'],
    ['no such database', null, '/nowhere?', 'does not exist'],
  ])('with %s is 16, which says so', async (_what, env, database, said) => {
    const into = tables.into.replace('/postgres?', database);
    const failed = await tailInto(into, undefined, '--create', { env: env ?? tables.env });
    expect(failed.error()).toMatchObject({ exit_code: 16, code: 'into_unusable' });
    expect(failed.error()['message']).toContain(said);
    expect(failed.stderr).not.toContain('wrong-wrong-wrong');
  });

  it('reads the password from a file', async () => {
    const file = join(home.home, 'password');
    writeFileSync(file, `${server!.address.password}\n`);
    for (const [env, exitCode] of [
      [{ SVC_INTO_PASSWORD_FILE: file }, 0],
      [{ SVC_INTO_PASSWORD_FILE: `${file}-none` }, 16],
      [{ SVC_INTO_PASSWORD: '' }, 2],
    ] as const)
      expect(await tail(undefined, undefined, { env })).toMatchObject({ exitCode });
  });

  it.each([
    ['a password', 'postgres://u:hunter22@127.0.0.1/d', 'SVC_INTO_PASSWORD'],
    ['no user', 'postgres://127.0.0.1/d', 'postgres://USER@HOST/DATABASE'],
    ['a host that is none', 'postgres://u@a,b/d', 'several hosts'],
    ['something else', 'mysql://u@h/d', 'sqlite:FILE'],
    ['no file', 'sqlite:', 'sqlite:events.db'],
    ['memory', 'sqlite::memory:', 'sqlite:events.db'],
  ])('with %s in the address is 2', async (_what, into, said) => {
    for (const words of [['--into', into], [`--into=${into}`]]) {
      const { error, stderr } = await home.svc(['events', 'tail', ...words], { env: FEED_ENV });
      expect(error()).toMatchObject({ exit_code: 2 });
      expect(error()['message']).toContain(said);
      expect(stderr).not.toContain('hunter22');
    }
  });

  it.each([
    "svc.') THEN CREATE TABLE public.p(); END IF; END $svc_into$;--",
    "'; svc. $svc$",
    'a "svc.b" .svc_events',
  ])('writes into the schema %s, whose name is a name and no SQL', async (schema) => {
    const into = `${tables.into.replace(/schema=.*/, '')}schema=${encodeURIComponent(schema)}`;
    const run = await tailInto(into, undefined, '--create --no-follow');
    expect(run.exitCode, run.stderr).toBe(0);
    const made = 'SELECT schemaname FROM pg_tables WHERE tablename = ANY ($1) AND schemaname IN ($2, $3)';
    const found = await server!.query(made, [['svc_events', 'p'], schema, 'public']);
    expect(found).toEqual([{ schemaname: schema }]);
  });

  it('off this machine goes nowhere without a certificate', async () => {
    const plain = await tailInto('postgres://u@db.example.com/d?sslmode=disable', listFeed([]));
    expect(plain.error()).toMatchObject({ exit_code: 13, code: 'state_not_encrypted' });
    const untrusted = await tailInto(`${tables.into}&sslmode=verify-full`, listFeed([]));
    expect(untrusted.error()).toMatchObject({ exit_code: 16, code: 'into_unusable' });
    expect(untrusted.error()['message']).toContain('--ca-file');
  });

  it('needs the right to write, and none to make tables that are there', async () => {
    await tail();
    const name = `reader_${String(Date.now())}`;
    const own = `SCHEMA "${schemaOf(tables)}" TO ${name}`;
    await server!.query(`CREATE ROLE ${name} LOGIN PASSWORD 'reader of tests'`);
    await server!.query(`GRANT USAGE ON ${own}; GRANT SELECT ON ALL TABLES IN ${own}`);
    const into = tables.into.replace('owner@', `${name}@`);
    const env = { SVC_INTO_PASSWORD: 'reader of tests' };
    const as = (words: string) => tailInto(into, listFeed(ids(3)), words, { env });
    expect((await as('--no-follow')).error()).toMatchObject({
      ...{ exit_code: 16, code: 'into_unusable', message: expect.stringContaining('INSERT') as string },
    });
    await server!.query(`GRANT INSERT, UPDATE ON ALL TABLES IN ${own}`);
    const written = await as('--create --no-follow');
    expect(written.exitCode, written.stderr).toBe(0);
    expect(await rows()).toHaveLength(3);
  });

  it('does not take tables of such names that are not its own', async () => {
    await server!.query(`CREATE SCHEMA IF NOT EXISTS "${schemaOf(tables)}"`);
    await tables.change('CREATE TABLE svc_events (mine text)');
    const message = expect.stringContaining('?schema=NAME') as string;
    expect((await tail()).error()).toMatchObject({ exit_code: 16, code: 'into_unusable', message });
  });

  it('that is not there is waited for three times with --no-follow, and for ever while it follows', async () => {
    const into = 'postgres://u@127.0.0.1:1/d';
    const once = await tailInto(into, undefined, '--no-follow');
    expect(once.error()).toMatchObject({ exit_code: 16, code: 'into_unreachable', retryable: true });
    expect(once.stderr.match(/Trying again/g)).toHaveLength(2);
    const controller = new AbortController();
    let notes = 0;
    const onNote = (text: string): void => {
      notes += text.includes('Trying again') ? 1 : 0;
      if (notes === 6) controller.abort(new Stopped('SIGTERM', 143));
    };
    const follows = await tailInto(into, undefined, '', { onNote, signal: controller.signal });
    expect(follows.exitCode).toBe(143);
  });

  const refuses = async (state: string): Promise<void> => {
    await tables.change(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'for a while' USING ERRCODE = '${state}'; END $$`,
    );
    await tables.change('CREATE TRIGGER refusing BEFORE INSERT ON svc_events EXECUTE FUNCTION refuse()');
    void systemClock.sleep(500).then(() => tables.change('DROP FUNCTION refuse() CASCADE'));
  };
  const FORGETS = `BEGIN; DELETE FROM svc_events WHERE number > 2; UPDATE svc_feed SET sequence = sequence - 1, events = 2, position = '{"cursor":"2","ids":[]}'; COMMIT`;

  it.each<[string, () => Promise<void>]>([
    ['restarts', () => server!.restart('fast')],
    ['restarts at once', () => server!.restart('immediate')],
    ['refuses for a while with 57014', () => refuses('57014')],
    ['refuses for a while with 53100', () => refuses('53100')],
    ['refuses for a while with 58030', () => refuses('58030')],
    ['has forgotten what it acknowledged', () => tables.change(FORGETS)],
  ])(
    'that %s is gone on with, and nothing is missing',
    async (what, meanwhile) => {
      const result = await following(ids(4), 9, meanwhile);
      expect(result.exitCode, result.stderr).toBe(143);
      if (what.startsWith('refuses')) expect(result.stderr).toContain('Trying again');
      expect(await rows()).toEqual(ids(9));
    },
    60_000,
  );

  it('whose tables are gone while it follows says how to make them', async () => {
    const result = await following(ids(4), 9, async () => {
      await tables.change('DROP TABLE svc_feed');
      await tables.change('DROP TABLE svc_events');
      await tables.change('CREATE TABLE svc_events (id text, number bigint)');
      await tables.change("INSERT INTO svc_events SELECT 'e', n FROM generate_series(1, 9) n");
      await systemClock.sleep(1500);
    });
    expect(result.exitCode).not.toBe(0);
  }, 60_000);
});
