import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SCHEMA_VERSION } from '../../../src/storage/postgres/schema.js';
import { batchHome } from '../../support/batch-home.js';
import { people } from '../../support/payroll.js';
import { sharedDatabase } from '../../support/shared-state.js';

const shared = await sharedDatabase();
const here = batchHome(people(2), 'sandbox', 'real');
const { svc } = here;

const refused = (exit_code: number, code: string, said: string) => ({
  ...{ exit_code, code, message: expect.stringContaining(said) as string },
});
const unusable = (said: string) => refused(16, 'state_unusable', said);

describe.skipIf(shared === null)('svc state init', () => {
  it('makes the tables, and says so where they are there', async () => {
    const env = shared!.env();
    const made = { environment: 'sandbox', schema_version: SCHEMA_VERSION, url: env['SVC_STATE'] };
    for (const created of [true, false])
      expect((await svc('state init --json', { env })).json()).toMatchObject({ ...made, created });
    expect((await svc('state status --json', { env })).json()).toMatchObject(made);
  });

  it('leaves what a newer svc has made, and what an older one has', async () => {
    const env = shared!.env();
    await svc('state init', { env });
    await shared!.query(env, 'UPDATE svc.meta SET version = 1007, least_writer = 1006, least_reader = 1006');
    const newer = { exit_code: 16, code: 'store_newer' };
    expect((await svc('batches list', { env })).error()).toMatchObject(newer);
    await shared!.query(env, 'UPDATE svc.meta SET least_reader = 1');
    expect((await svc('batches list --json', { env })).json()).toEqual({ batches: [] });
    await shared!.query(env, 'UPDATE svc.meta SET version = 0, least_writer = 0, least_reader = 0');
    for (const line of ['batches list', 'requests list', 'state status', 'state init'])
      expect((await svc(line, { env })).error(), line).toMatchObject({
        ...{ exit_code: 16, code: 'state_unusable', outcome: 'not_sent' },
        next_command: expect.stringMatching(/^psql -h .* -c 'ALTER SCHEMA /) as string,
      });
  });

  it('prints the SQL and does nothing with --print', async () => {
    const env = shared!.env();
    const { stdout } = await svc('state init --print', { env });
    expect(stdout).toContain('CREATE TABLE "shared_3".rows');
    expect((await svc('state status --json', { env })).error()).toMatchObject(unusable('svc state init'));
    await shared!.server.query(stdout);
    expect((await svc('state status --json', { env })).exitCode).toBe(0);
  });

  it.each([`svc."; $svc$ '; CREATE TABLE public.p(); --`, 'a "svc.b" .rows'])(
    'makes them in the schema %s, whose name is a name and no SQL',
    async (schema) => {
      const bare = shared!.env();
      const SVC_STATE = bare['SVC_STATE']!.replace(/schema=.*/, `schema=${encodeURIComponent(schema)}`);
      const env = { ...bare, SVC_STATE };
      await shared!.server.query((await svc('state init --print', { env })).stdout);
      expect((await svc('state init --json', { env })).json()).toMatchObject({ created: false });
      const made = 'SELECT schemaname FROM pg_tables WHERE tablename = ANY ($1) AND schemaname IN ($2, $3)';
      const found = await shared!.server.query(made, [['rows', 'p'], schema, 'public']);
      expect(found).toEqual([{ schemaname: schema }]);
    },
  );

  it('makes those of one key, and prints no key', async () => {
    const env = { ...shared!.env(), SVC_STATE_KEY_FILE: join(here.home.home, 'state.key') };
    const text = Buffer.alloc(32, 5).toString('base64');
    writeFileSync(env.SVC_STATE_KEY_FILE, `${text}\n`, { mode: 0o600 });
    const printed = await svc('state init --print', { env });
    expect(printed.stdout).not.toContain(text);
    for (const created of [true, false])
      expect((await svc('state init --json', { env })).json()).toMatchObject({ created });
    const { checks } = (await svc('state status --json', { env })).json();
    expect(checks).toContainEqual(expect.objectContaining({ check: 'sealed', ok: true }));
    const { SVC_STATE_KEY_FILE: _none, ...bare } = env;
    const missing = refused(13, 'state_key_missing', 'SVC_STATE_KEY_FILE=FILE');
    expect((await svc('state status', { env: bare })).error()).toMatchObject(missing);
    writeFileSync(env.SVC_STATE_KEY_FILE, Buffer.alloc(32, 6).toString('base64'));
    const differs = refused(16, 'state_key_differs', '');
    expect((await svc('state status', { env })).error()).toMatchObject(differs);
    writeFileSync(env.SVC_STATE_KEY_FILE, text.slice(1));
    const wrong = await svc('state init', { env });
    expect(wrong.error()).toMatchObject({ exit_code: 2 });
    expect(wrong.stderr).not.toContain(text.slice(2, 30));
  });

  it('says who may do what, and whoever may only read sees how batches stand', async () => {
    const env = shared!.env();
    const words = '--owner pay_owner --worker pay_worker --reader pay_reader';
    await shared!.server.query((await svc(`state init --print ${words}`, { env })).stdout);
    const names = ['pay_worker', 'pay_reader'];
    for (const name of names) await shared!.server.query(`ALTER ROLE ${name} PASSWORD 'x'`);
    const nobody = '--worker nobody_1 --reader nobody_2';
    for (const typed of [words, nobody, words]) {
      const granted = typed === nobody ? [] : names;
      expect((await svc(`state init --json ${typed}`, { env })).json()).toMatchObject({ granted });
    }
    const as = (name: string) => ({
      env: { SVC_STATE: env['SVC_STATE']!.replace('owner', name), SVC_STATE_PASSWORD: 'x' },
    });
    const worker = as('pay_worker');
    expect((await svc('state init --json', worker)).json()).toMatchObject({ created: false });
    const elsewhere = { env: { ...worker.env, SVC_STATE: `${worker.env.SVC_STATE}_2` } };
    expect((await svc('state init', elsewhere)).error()).toMatchObject(unusable('svc state init --print'));
    expect((await here.pay(people(2), 'march', '', worker)).json()).toMatchObject({ confirmed: 2 });
    const listed = await svc('batches list --json', as('pay_reader'));
    expect(listed.json()).toMatchObject({ batches: [{ batch: 'march', confirmed: 2 }] });
    expect((await svc('batches status march --json', as('pay_reader'))).exitCode).toBe(0);
    const rights = unusable('does not give this user the rights');
    expect((await svc('batches forget march', as('pay_reader'))).error()).toMatchObject(rights);
    expect((await svc('state init --worker public', { env })).exitCode).toBe(2);
  });

  it('makes none for live without a key, and none where nothing is shared', async () => {
    const live = { env: { ...shared!.env(), SVC_ENV: 'live' } };
    const missing = { exit_code: 13, code: 'state_key_missing', outcome: 'not_sent' };
    for (const line of ['state init', 'state init --print'])
      expect((await svc(line, live)).error()).toMatchObject(missing);
    expect((await svc('state status', live)).error()).toMatchObject(unusable(''));
    expect((await svc('state init')).exitCode).toBe(2);
  });
});

type Checks = { check: string; status: string; detail: string }[];
const statuses = (state: Record<string, unknown>) =>
  Object.fromEntries((state['checks'] as Checks).map(({ check, status }) => [check, status]));
const detail = (state: Record<string, unknown>, name: string) =>
  (state['checks'] as Checks).find(({ check }) => check === name)?.detail;

describe.skipIf(shared === null)('svc state status', () => {
  it('says where it is and what it is like', async () => {
    const env = shared!.env();
    await svc('state init', { env });
    const state = (await svc('state status --json', { env })).json();
    const known = { url: env['SVC_STATE'], environment: 'sandbox', schema_version: SCHEMA_VERSION };
    expect(state).toMatchObject(known);
    expect(Object.keys(state)).toEqual(['url', 'schema_version', 'environment', 'reachable_ms', 'checks']);
    // The server of the tests does not sync to disk, and its owner may do everything.
    expect(statuses(state)).toEqual({
      ...{ database: 'ok', writable: 'ok', schema: 'ok', user: 'warning', durable: 'warning' },
      ...{ standbys: 'warning', encrypted: 'ok', sealed: 'warning' },
      ...{ clock: 'ok', pooler: 'ok', workers: 'ok' },
    });
  });

  it('says that a password is asked for, and does not wait for one', async () => {
    const { SVC_STATE_PASSWORD: _, ...env } = shared!.env();
    for (const line of ['state status', 'batches list']) {
      const { stderr, exitCode } = await svc(`${line} -o table`, { env });
      expect(exitCode).toBe(16);
      expect(stderr).toContain('asks for a password, but none is set: SVC_STATE_PASSWORD');
      expect(stderr.match(/Nothing /g)).toHaveLength(1);
    }
  });

  it('is read by a person as a check-up is', async () => {
    const env = shared!.env();
    await svc('state init', { env });
    const { stdout, exitCode } = await svc('state status -o table', { env });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/ok +place +postgres:/);
    expect(stdout).toMatch(/warning +user +owner may change amounts/);
  });

  it('says what is wrong, and ends with 16 where nothing can be sent', async () => {
    const env = shared!.env();
    await svc('state init', { env });
    const database = shared!.server.address.database;
    await shared!.server.query(`ALTER DATABASE ${database} SET synchronous_commit = off`);
    const off = (await svc('state status --json', { env })).json();
    expect(detail(off, 'durable')).toContain('synchronous_commit off');
    await shared!.server.query(`ALTER DATABASE ${database} RESET synchronous_commit`);
    here.home.clock.advance(60_000);
    expect(detail((await svc('state status --json', { env })).json(), 'clock')).toMatch(/behind|ahead/);
    await shared!.query(env, `UPDATE svc.meta SET version = version + 1, least_writer = version + 1`);
    expect(detail((await svc('state status --json', { env })).json(), 'schema')).toContain('only read it');
  });

  it('ends with 16 where nobody is there, or nobody is let in, and no password is printed', async () => {
    const env = { ...shared!.env(), SVC_STATE_PATIENCE: '0s' };
    const nowhere = { ...env, SVC_STATE: 'postgres://u:secr%C3%A9t@127.0.0.1:1/d' };
    const away = await svc('state status', { env: nowhere });
    expect(away.error()).toMatchObject({ exit_code: 16, code: 'state_unreachable' });
    const wrong = await svc('state status --debug', { env: { ...env, SVC_STATE_PASSWORD: 'secr\u00e9t' } });
    expect(wrong.error()).toMatchObject({ exit_code: 16, code: 'state_unusable' });
    for (const { stdout, stderr } of [away, wrong])
      expect(stdout + stderr).not.toMatch(/secr\u00e9t|secr%C3%A9t/);
  });

  it('is about a state that is shared', async () => {
    expect((await svc('state status', { env: { SVC_STATE: 'local' } })).exitCode).toBe(2);
  });
});
