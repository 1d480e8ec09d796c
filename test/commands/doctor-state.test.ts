import { describe, expect, it } from 'vitest';
import { batchHome } from '../support/batch-home.js';
import { LOST } from '../support/open-request.js';
import { people } from '../support/payroll.js';
import { sharedDatabase } from '../support/shared-state.js';
import type { Result } from '../support/svc.js';

const shared = await sharedDatabase();
const here = batchHome(people(3), 'sandbox', 'real');
const live = batchHome(people(3), 'live', 'real');
const { svc, pay } = here;

type Check = Readonly<Record<'check' | 'status' | 'message' | 'fix', string>>;
const found = (result: Result): Record<string, Check> =>
  Object.fromEntries((result.json()['checks'] as Check[]).map((one) => [one.check, one]));

describe.skipIf(shared === null)('svc doctor', () => {
  it('says where the state is and from where that comes, and how it is', async () => {
    const env = shared!.env();
    await svc('state init', { env });
    here.shaky.next(...LOST);
    await pay(people(3), 'march', '', { env });
    const checks = found(await svc('doctor --json', { env }));
    expect(checks['state']!.message).toContain(`${env['SVC_STATE']!} (SVC_STATE), answered in `);
    expect(checks['state database']!.message).toMatch(/^PostgreSQL \d+/);
    expect(checks['state user']!).toMatchObject({ status: 'warning' });
    expect(checks['state clock']!.message).toBe('agrees with the clock of the service');
    expect(checks['state workers']!.message).toBe('none');
    expect(checks['batches']!).toMatchObject({ status: 'warning', fix: 'svc batches list' });
  });

  it('says what stands in its way, and the rest all the same', async () => {
    const env = { ...shared!.env(), SVC_STATE_PASSWORD: 'c4nary' };
    const wrong = await svc('doctor --json --debug', { env });
    expect(wrong.exitCode).toBe(16);
    expect(found(wrong)['state']).toMatchObject({ status: 'error' });
    expect(found(wrong)['webhook secret']).toMatchObject({ status: 'ok' });
    // What is in there is not waited for.
    expect(found(wrong)['batches']).toBeUndefined();
    expect(wrong.stdout + wrong.stderr).not.toContain('c4nary');
    const away = { SVC_STATE: 'postgres://u@127.0.0.1:1/d' };
    expect((await svc('doctor --json', { env: away })).exitCode).toBe(16);
    const none = await svc('doctor --json', { env: shared!.env() });
    expect(found(none)['state']!.message).toContain('svc state init');
    const sandbox = shared!.env();
    await svc('state init', { env: sandbox });
    const other = await live.svc('doctor --json', { env: sandbox });
    expect(other.exitCode).toBe(13);
    expect(found(other)['state']!.message).toContain('is for the sandbox');
  });

  it('is no failure for whoever may only read there', async () => {
    const env = shared!.env();
    await shared!.server.query((await svc('state init --print', { env })).stdout);
    await shared!.server.query(`ALTER ROLE svc_reader PASSWORD 'canary'`);
    const SVC_STATE = env['SVC_STATE']!.replace('owner', 'svc_reader');
    const reading = { SVC_STATE, SVC_STATE_PASSWORD: 'canary' };
    const checks = found(await svc('doctor --json', { env: reading }));
    expect(checks['state user']!.message).toBe('svc_reader may only read');
    expect(checks['requests']).toMatchObject({ status: 'ok' });
    expect((await svc('requests list --json', { env: reading })).json()).toEqual({ requests: [] });
    expect(checks['batches']).toMatchObject({ status: 'ok' });
  });

  it('says nothing of it where nothing is shared, and which files are meant inside', async () => {
    expect(found(await svc('doctor --json'))['state']).toBeUndefined();
    const inside = { env: { ...here.machine('alone'), ...shared!.env() } };
    const checks = found(await here.home.svc(['doctor', '--json'], inside));
    expect(checks['state']!.message).toBe('files: SVC_STATE is not used for the embedded sandbox');
  });
});
