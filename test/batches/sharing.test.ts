import { describe, expect, it } from 'vitest';
import { lineTo } from '../support/line.js';
import { people } from '../support/payroll.js';
import { sharedDatabase } from '../support/shared-state.js';
import { refusal } from '../support/shaky-sandbox.js';
import { sharingMachines } from '../support/sharing.js';
import type { Result } from '../support/svc.js';

const { shared, here, env, other, sql, once } = sharingMachines(people(12), await sharedDatabase());
const { svc, pay } = here;

describe.skipIf(shared === null)('machines that share a batch', () => {
  const finished = () => svc('batches resume march --json', { env: other });
  it('send it at one rate, that of whoever began it', async () => {
    let [refused, joining]: [Result | null, Promise<Result> | null] = [null, null];
    here.shaky.onPost = async () => {
      if (joining !== null || here.shaky.posts.length < 2) return;
      refused ??= await svc('batches resume march --rate 2000 --json', { env: other });
      await new Promise<void>((told) => {
        const onNote = (text: string): void => {
          if (text.includes('All machines together send this batch at 5000/s.')) told();
        };
        joining ??= svc('batches resume march --concurrency 1 --json', { env: other, onNote });
      });
    };
    const named = { ...env, SVC_WORKER_NAME: 'pod-a' };
    const first = await pay(people(12), 'march', '--rate 5000', { env: named });
    const joined = await joining!;
    expect(refused!.error()).toMatchObject({ exit_code: 13, code: 'rate_differs', outcome: 'not_sent' });
    expect(refused!.stderr).toContain('pod-a sends this batch at --rate 5000/s');
    expect([first.exitCode, joined.exitCode]).toEqual([0, 0]);
    await once();
  });

  it('stop where the key of one is refused, and say whose', async () => {
    here.shaky.onPost = () => {
      if (here.shaky.posts.length > 2) here.shaky.next(refusal(401, 'unauthorized'));
    };
    const own = await pay(people(12), 'march', '', { env: { ...env, SVC_WORKER_NAME: 'pod-a' } });
    expect(own.failure()).toBe('4 unauthorized');
    expect(own.error()['message']).toContain('the service refused the key.');
    here.shaky.onPost = () => undefined;
    const alive = "ended_at = NULL, lease_until = now() + interval '1 hour'";
    await sql(`UPDATE svc.workers SET ${alive} WHERE mode = 'send'`);
    const posts = here.shaky.posts.length;
    const joined = await pay(people(12), 'march', '', { env: other });
    expect(joined.failure()).toBe('4 unauthorized');
    expect(joined.error()['message']).toContain('the service refused the key of pod-a.');
    expect(joined.json()).toMatchObject({ stopped: { by: 'pod-a', reason: 'denied' } });
    expect(here.shaky.posts).toHaveLength(posts);
    expect((await finished()).json()).toMatchObject({ confirmed: 12 });
    await once();
  });

  it('say that the database is gone, wait for it, and end with what leads on', async () => {
    const line = await lineTo(shared!.server.address.port);
    const url = new URL(env['SVC_STATE']!);
    url.port = String(line.port);
    here.shaky.onPost = async () => {
      if (here.shaky.posts.length === 3) await line.stop();
    };
    const away = { ...env, SVC_STATE: url.href, SVC_STATE_PATIENCE: '1s' };
    const failed = await pay(people(12), 'march', '', { env: away });
    expect(failed.stderr).toContain('The database of the shared state cannot be reached');
    expect(failed.error()).toMatchObject({
      ...{ exit_code: 16, code: 'state_unreachable', outcome: 'unknown' },
      next_command: 'svc batches resume march',
    });
    expect(failed.stderr).toContain('the same keys pay nothing twice');
    const standing = (await svc('batches status march --json', { env: other })).json();
    expect(standing['workers']).toMatchObject([{ state: 'ended' }, { state: 'at_work' }]);
    await sql("UPDATE svc.workers SET lease_until = '2000-01-01'");
    expect((await finished()).json()).toMatchObject({ confirmed: 12 });
    await once();
  });
});
