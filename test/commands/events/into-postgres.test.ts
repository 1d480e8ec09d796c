/** `svc events tail --into postgres://...`: who may come there and how, and a database that is away, restarts, forgets or is pooled. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.js';
import { Stopped } from '../../../src/runtime/ports.js';
import { ids } from '../../events/feed.js';
import { FEED_ENV, feedLine, listFeed, type FeedAnswer } from '../../support/feed-line.js';
import { type IntoTables, postgresTables } from '../../support/into-tables.js';
import { startPostgres } from '../../support/postgres.js';
import { world, type Result, type RunOptions, type World } from '../../support/svc.js';

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(server === null)('into PostgreSQL', () => {
  let home: World;
  let tables: IntoTables;
  beforeEach(() => {
    home = world();
    tables = postgresTables(server!);
  });
  afterEach(() => home.remove());

  const tailInto = (
    into: string,
    answer: FeedAnswer,
    words = '',
    options: RunOptions = {},
  ): Promise<Result> =>
    home.svc(['events', 'tail', '--into', into, ...words.split(' ').filter(Boolean)], {
      transport: feedLine(answer),
      ...options,
      env: { ...FEED_ENV, ...(options.env ?? tables.env) },
    });
  const tail = (
    answer: FeedAnswer,
    words = '--create --no-follow',
    options: RunOptions = {},
  ): Promise<Result> => tailInto(tables.into, answer, words, options);
  const rows = async (): Promise<unknown[]> =>
    (await tables.query('SELECT id FROM svc_events ORDER BY number')).map(({ id }) => id);
  /** Follows until the table has so many rows; `meanwhile` happens once some are there. */
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
    const clock = {
      ...systemClock,
      sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 50), signal),
    };
    const result = await tail((cursor, count) => listFeed(events)(cursor, count), '--create', {
      signal: controller.signal,
      clock,
    });
    await watch;
    return result;
  };

  it('keeps amounts as numbers, times as times and the event as jsonb', async () => {
    expect((await tail(listFeed(ids(3)))).exitCode).toBe(0);
    const types = await tables.query(
      `SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_schema || '.' || table_name = (SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = 'svc_operations'::regclass) ORDER BY ordinal_position`,
    );
    expect(Object.fromEntries(types.map(({ name, type }) => [name, type]))).toMatchObject({
      ...{ amount: 'numeric', occurred_at: 'timestamp with time zone', reference: 'text' },
    });
    expect(
      await tables.query("SELECT raw->'data'->>'reference' AS reference FROM svc_events WHERE id = 'e2'"),
    ).toEqual([{ reference: 'ref-e2' }]);
  });

  it.each([
    [
      'a wrong password',
      { SVC_INTO_PASSWORD: 'wrong-wrong-wrong' },
      (into: string) => into,
      'the password is wrong',
    ],
    ['no password', {}, (into: string) => into, 'SVC_INTO_PASSWORD'],
    ['no such database', null, (into: string) => into.replace('/postgres?', '/nowhere?'), 'does not exist'],
  ])('with %s is 16, which says so', async (_what, env, into, said) => {
    const failed = await tailInto(into(tables.into), listFeed(ids(2)), '--create', {
      env: env ?? tables.env,
    });
    expect(failed.error()).toMatchObject({ exit_code: 16, code: 'into_unusable' });
    expect(failed.error()['message']).toContain(said);
    expect(failed.stderr).not.toContain('wrong-wrong-wrong');
  });

  it('reads the password from a file, and hides it', async () => {
    const file = join(home.home, 'password');
    writeFileSync(file, `${server!.address.password}\n`);
    const { exitCode, stderr } = await tail(listFeed(ids(2)), undefined, {
      env: { SVC_INTO_PASSWORD_FILE: file },
    });
    expect(exitCode, stderr).toBe(0);
    const missing = await tail(listFeed(ids(2)), undefined, {
      env: { SVC_INTO_PASSWORD_FILE: `${file}-none` },
    });
    expect(missing.exitCode).toBe(16);
    expect((await tail(listFeed(ids(2)), undefined, { env: { SVC_INTO_PASSWORD: '' } })).exitCode).toBe(2);
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
    const run = await tailInto(into, listFeed(ids(2)), '--create --no-follow');
    expect(run.exitCode, run.stderr).toBe(0);
    const made = 'SELECT schemaname FROM pg_tables WHERE tablename = ANY ($1) AND schemaname IN ($2, $3)';
    expect(await server!.query(made, [['svc_events', 'p'], schema, 'public'])).toEqual([
      { schemaname: schema },
    ]);
  });

  it('off this machine goes nowhere without a certificate', async () => {
    const plain = await tailInto('postgres://u@db.example.com/d?sslmode=disable', listFeed([]));
    expect(plain.error()).toMatchObject({ exit_code: 13, code: 'state_not_encrypted' });
    const untrusted = await tailInto(`${tables.into}&sslmode=verify-full`, listFeed([]));
    expect(untrusted.error()).toMatchObject({ exit_code: 16, code: 'into_unusable' });
    expect(untrusted.error()['message']).toContain('--ca-file');
  });

  it('needs the right to write, and none to make tables that are there', async () => {
    await tail(listFeed(ids(2)));
    const name = `reader_${String(Date.now())}`;
    const { schema } = Object.fromEntries(new URL(tables.into).searchParams);
    await server!.query(`CREATE ROLE ${name} LOGIN PASSWORD 'reader of tests'`);
    await server!.query(
      `GRANT USAGE ON SCHEMA "${schema!}" TO ${name}; GRANT SELECT ON ALL TABLES IN SCHEMA "${schema!}" TO ${name}`,
    );
    const as = (words: string) =>
      tailInto(tables.into.replace('owner@', `${name}@`), listFeed(ids(3)), words, {
        env: { SVC_INTO_PASSWORD: 'reader of tests' },
      });
    expect((await as('--no-follow')).error()).toMatchObject({ exit_code: 16, code: 'into_unusable' });
    expect((await as('--no-follow')).error()['message']).toContain('INSERT');
    await server!.query(`GRANT INSERT, UPDATE ON ALL TABLES IN SCHEMA "${schema!}" TO ${name}`);
    const written = await as('--create --no-follow');
    expect(written.exitCode, written.stderr).toBe(0);
    expect(await rows()).toHaveLength(3);
  });

  it('does not take tables of such names that are not its own', async () => {
    await tables.change(
      'CREATE SCHEMA IF NOT EXISTS svc_e'.replace(
        'svc_e',
        `"${new URL(tables.into).searchParams.get('schema')!}"`,
      ),
    );
    await tables.change('CREATE TABLE svc_events (mine text)');
    const failed = await tail(listFeed(ids(2)));
    expect(failed.error()).toMatchObject({ exit_code: 16, code: 'into_unusable' });
    expect(failed.error()['message']).toContain('?schema=NAME');
  });

  it('that is not there is waited for three times with --no-follow, and for ever while it follows', async () => {
    const into = 'postgres://u@127.0.0.1:1/d';
    const once = await tailInto(into, listFeed(ids(2)), '--no-follow');
    expect(once.error()).toMatchObject({ exit_code: 16, code: 'into_unreachable', retryable: true });
    expect(once.stderr.match(/Trying again/g)).toHaveLength(2);
    const controller = new AbortController();
    let notes = 0;
    const onNote = (text: string): void => {
      notes += text.includes('Trying again') ? 1 : 0;
      if (notes === 6) controller.abort(new Stopped('SIGTERM', 143));
    };
    expect((await tailInto(into, listFeed(ids(2)), '', { onNote, signal: controller.signal })).exitCode).toBe(
      143,
    );
  });

  it.each(['fast', 'immediate'] as const)(
    'that restarts (%s) is gone on with, and nothing is missing',
    async (how) => {
      const result = await following(ids(4), 9, () => server!.restart(how));
      expect(result.exitCode, result.stderr).toBe(143);
      expect(await rows()).toEqual(ids(9));
    },
    60_000,
  );

  it.each(['57014', '53100', '58030'])(
    'that refuses for a while with %s is gone on with, and nothing is missing',
    async (state) => {
      const result = await following(ids(4), 9, async () => {
        await tables.change(
          `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'for a while' USING ERRCODE = '${state}'; END $$`,
        );
        await tables.change('CREATE TRIGGER refusing BEFORE INSERT ON svc_events EXECUTE FUNCTION refuse()');
        void systemClock.sleep(500).then(() => tables.change('DROP FUNCTION refuse() CASCADE'));
      });
      expect(result.exitCode, result.stderr).toBe(143);
      expect(result.stderr).toContain('Trying again');
      expect(await rows()).toEqual(ids(9));
    },
    60_000,
  );

  it('that has forgotten what it acknowledged is read into again from its own place', async () => {
    const result = await following(ids(4), 9, async () => {
      // What a replica that was behind has, to which a pooler leads without a word.
      await tables.change(
        `BEGIN; DELETE FROM svc_events WHERE number > 2; UPDATE svc_feed SET sequence = sequence - 1, events = 2, position = '{"cursor":"2","ids":[]}'; COMMIT`,
      );
    });
    expect(result.exitCode, result.stderr).toBe(143);
    expect(await rows()).toEqual(ids(9));
  }, 60_000);

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
