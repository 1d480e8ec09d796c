/** `svc state status`: whether the shared state can be used, and why not. */
import { describe, expect, it } from 'vitest';
import { batchHome } from '../../support/batch-home.js';
import { sharedDatabase } from '../../support/shared-state.js';

const shared = await sharedDatabase();
const { svc } = batchHome();

describe.skipIf(shared === null)('svc state status', () => {
  it('says where it is and what it is like', async () => {
    const env = shared!.env();
    await svc('state init', { env });
    const state = (await svc('state status --json', { env })).json();
    expect(state).toMatchObject({ url: env['SVC_STATE'], environment: 'sandbox', schema_version: 1 });
    const checks = Object.fromEntries(
      (state['checks'] as { check: string; ok: boolean }[]).map(({ check, ok }) => [check, ok]),
    );
    // The server of the tests writes to no disk, and is on this machine.
    expect(checks).toEqual({
      database: true,
      writable: true,
      durable: false,
      standbys: false,
      encrypted: false,
      sealed: false,
    });
  });

  it('ends with 16 where nobody is there, or nobody is let in, and no password is printed', async () => {
    const env = { ...shared!.env(), SVC_STATE_PATIENCE: '0s' };
    const away = await svc('state status', {
      env: { ...env, SVC_STATE: 'postgres://u:secr%C3%A9t@127.0.0.1:1/d' },
    });
    expect(away.error()).toMatchObject({ exit_code: 16, code: 'state_unreachable' });
    const wrong = await svc('state status --debug', { env: { ...env, SVC_STATE_PASSWORD: 'secr\u00e9t' } });
    expect(wrong.error()).toMatchObject({ exit_code: 16, code: 'state_unusable' });
    for (const { stdout, stderr } of [away, wrong]) {
      expect(stdout + stderr).not.toContain('secr\u00e9t');
      expect(stdout + stderr).not.toContain('secr%C3%A9t');
    }
  });

  it('is about a state that is shared', async () => {
    expect((await svc('state status', { env: { SVC_STATE: 'local' } })).exitCode).toBe(2);
  });
});
