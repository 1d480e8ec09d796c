/** `svc state status`: whether the shared state can be used, and why not. */
import { describe, expect, it } from 'vitest';
import { SCHEMA_VERSION } from '../../../src/state/schema.js';
import { batchHome } from '../../support/batch-home.js';
import { people } from '../../support/payroll.js';
import { sharedDatabase } from '../../support/shared-state.js';

const shared = await sharedDatabase();
const here = batchHome(people(2), 'sandbox', 'real');
const { svc } = here;

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
    // The server of the tests writes to no disk, and its owner may do everything.
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
