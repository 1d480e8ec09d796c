/** `svc state init`: the tables of the shared state, made once. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { batchHome } from '../../support/batch-home.js';
import { sharedDatabase } from '../../support/shared-state.js';

const shared = await sharedDatabase();
const here = batchHome();
const { svc } = here;

describe.skipIf(shared === null)('svc state init', () => {
  it('makes the tables, and says so where they are there', async () => {
    const env = shared!.env();
    const first = await svc('state init --json', { env });
    expect(first.json()).toMatchObject({ environment: 'sandbox', schema_version: 1, created: true });
    expect(first.json()['url']).toBe(env['SVC_STATE']);
    expect((await svc('state init --json', { env })).json()).toMatchObject({ created: false });
    expect((await svc('state status --json', { env })).json()).toMatchObject({ schema_version: 1 });
  });

  it('prints the SQL and does nothing with --print', async () => {
    const env = shared!.env();
    const { stdout } = await svc('state init --print', { env });
    expect(stdout).toContain('CREATE TABLE "shared_2".rows');
    expect((await svc('state status --json', { env })).error()).toMatchObject({
      ...{ exit_code: 16, code: 'state_unusable' },
      message: expect.stringContaining('svc state init') as string,
    });
    await shared!.server.query(stdout);
    expect((await svc('state status --json', { env })).exitCode).toBe(0);
  });

  it('makes those of one key, and prints no key', async () => {
    const env = { ...shared!.env(), SVC_STATE_KEY_FILE: join(here.home.home, 'state.key') };
    const text = Buffer.alloc(32, 5).toString('base64');
    writeFileSync(env.SVC_STATE_KEY_FILE, `${text}\n`, { mode: 0o600 });
    const printed = await svc('state init --print', { env });
    expect(printed.stdout).not.toContain(text);
    expect((await svc('state init --json', { env })).json()).toMatchObject({ created: true });
    expect((await svc('state init --json', { env })).json()).toMatchObject({ created: false });
    const { SVC_STATE_KEY_FILE: _none, ...bare } = env;
    expect((await svc('state status', { env: bare })).error()).toMatchObject({
      ...{ exit_code: 13, code: 'state_key_missing' },
      message: expect.stringContaining('SVC_STATE_KEY_FILE=FILE') as string,
    });
    writeFileSync(env.SVC_STATE_KEY_FILE, Buffer.alloc(32, 6).toString('base64'));
    expect((await svc('state status', { env })).error()).toMatchObject({
      ...{ exit_code: 16, code: 'state_key_differs' },
    });
    writeFileSync(env.SVC_STATE_KEY_FILE, text.slice(1));
    const wrong = await svc('state init', { env });
    expect(wrong.error()).toMatchObject({ exit_code: 2 });
    expect(wrong.stderr).not.toContain(text.slice(2, 30));
  });

  it('makes none for live, and none where nothing is shared', async () => {
    const live = { env: { ...shared!.env(), SVC_ENV: 'live' } };
    expect((await svc('state init', live)).error()).toMatchObject({
      exit_code: 13,
      code: 'state_of_sandbox',
    });
    expect((await svc('state init')).exitCode).toBe(2);
  });
});
