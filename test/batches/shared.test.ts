import { describe, expect, it } from 'vitest';
import { lineTo } from '../support/line.js';
import { people } from '../support/payroll.js';
import { sharedDatabase } from '../support/shared-state.js';
import { refusal } from '../support/shaky-sandbox.js';
import { sharingMachines } from '../support/sharing.js';
import type { Result } from '../support/svc.js';

const { shared, here, env, other, sql, once } = sharingMachines(people(12), await sharedDatabase());
const { svc, pay } = here;

describe.skipIf(shared === null)('a batch that machines share', () => {
  const podA = () => ({ ...env, SVC_WORKER_NAME: 'pod-a' });
  const backAtWork = "ended_at = NULL, lease_until = now() + interval '1 hour'";
  const wake = () => sql(`UPDATE svc.workers SET ${backAtWork} WHERE mode = 'send'`);
  const finished = () => svc('batches resume march --json', { env: other });
  it('is begun on one machine, and seen and finished from another', async () => {
    await pay(people(12), 'march', '', { env, signal: here.shaky.stopAt(4) });
    const standing = (await svc('batches status march --json', { env: other })).json();
    expect(standing).toMatchObject({ batch: 'march', confirmed: 4, not_sent: 8, state: env['SVC_STATE'] });
    expect(standing['workers']).toMatchObject([{ state: 'ended', rows_in_hand: 0 }, { state: 'ended' }]);
    expect(standing).toMatchObject({ paused_until: null, stopped: null });
    expect(standing['confirmed_by']).toMatch(/^.+@.+$/);
    const here5 = await svc('batches status march --json');
    expect(here5.error()).toMatchObject({ exit_code: 5 });
    expect(here5.stderr).toContain('There is no batch march on this machine.');
    const absent = await svc('batches status april --json', { env: other });
    expect(absent.stderr).toContain(`There is no batch april in ${env['SVC_STATE']!}.`);
    expect((await finished()).json()).toMatchObject({ confirmed: 12 });
    const listed = await svc('batches list --json', { env });
    expect(listed.json()).toMatchObject({ batches: [{ confirmed: 12, at_work: 0 }] });
    expect((await svc('batches export march', { env: other })).stdout.split('\n')).toHaveLength(14);
    await once();
  });

  it('is confirmed once: whoever goes on sees by whom, and may say the same again', async () => {
    const theirs = { ...other, SVC_WORKER_NAME: 'pod-b' };
    const begun = await pay(people(12), 'march', '', { env: podA(), signal: here.shaky.stopAt(4) });
    expect(begun.stderr).not.toContain('was confirmed by');
    const wrong = await svc('batches resume march --json --confirm-total VES:1.00', { env: theirs });
    expect(wrong.failure()).toBe('13 total_differs');
    const resumed = await svc('batches resume march --json --confirm-total VES:1272.00', { env: theirs });
    expect(resumed.stderr).toMatch(/Batch march was confirmed by pod-a at \S+Z: VES 1272\.00 \(12 rows\)\./);
    expect(resumed.json()).toMatchObject({ confirmed: 12 });
    const standing = await svc('batches status march --json', { env });
    expect(standing.json()).toMatchObject({ confirmed_by: 'pod-a' });
    await once();
  });

  it('calls one whose name was not filled in by that of its machine', async () => {
    await pay(people(2), 'march', '', { env: { ...env, SVC_WORKER_NAME: '' } });
    const standing = (await svc('batches status march --json', { env })).json();
    expect(standing['confirmed_by']).not.toBe('');
    expect((standing['workers'] as { name: string }[]).map(({ name }) => name)).not.toContain('');
  });

  it('says whose rows are taken over, and for how long nobody had heard of it', async () => {
    await pay(people(12), 'march', '', { env: podA(), signal: here.shaky.stopAt(4) });
    const gone = "ended_at = NULL, lease_until = '2000-01-01', seen_at = now() - interval '90 seconds'";
    await sql(`UPDATE svc.workers SET ${gone} WHERE mode = 'send'`);
    const held = "state = 'intent', sent_at = 0, worker = (SELECT max(worker) FROM svc.workers)";
    await sql(`UPDATE svc.rows SET ${held} WHERE number IN (10, 11)`);
    const away = (await svc('batches status march --json', { env: other })).json();
    expect(away['workers']).toMatchObject([{}, { name: 'pod-a', state: 'late', rows_in_hand: 2 }]);
    const shown = () => svc('batches status march --no-color', { env: other, tty: { stdout: true } });
    expect((await shown()).stdout).toMatch(/pod-a +○ late +2 /);
    await sql("UPDATE svc.workers SET name = E'\\x1b[31m' || name");
    const resumed = await svc('batches resume march --json', { env: other });
    expect(resumed.stderr).toMatch(/pod-a was not seen for \d+ s: its 2 rows are taken over\./);
    expect(resumed.stderr).not.toContain('\x1b');
    const quiet = await svc('batches resume march --json --quiet', { env: other });
    expect(quiet.stderr).not.toContain('not seen');
    expect((await shown()).stdout).toMatch(/pod-a +✗ lost +0 /);
  });

  it('says whose run has stopped it, in whichever run', async () => {
    here.shaky.onPost = () => here.shaky.next(refusal(404, 'route_not_found'));
    const stopped = { by: 'pod-a', reason: 'refusals', code: 'route_not_found' };
    const own = await pay(people(12), 'march', '', { env: podA() });
    expect(own.json()).toMatchObject({ stopped });
    expect(own.error()['message']).toContain('stopped after five equal answers in a row');
    expect((await svc('batches status march --json', { env: other })).json()).toMatchObject({ stopped });
    here.shaky.onPost = () => undefined;
    await wake();
    const joined = await pay(people(12), 'march', '', { env: other });
    expect(joined.json()).toMatchObject({ stopped });
    expect(joined.error()['message']).toContain('stopped by pod-a after five equal answers in a row');
    const resumed = await svc('batches resume march --json', { env: other });
    expect(resumed.json()).toMatchObject({ confirmed: 12 });
    expect(resumed.json()).not.toHaveProperty('stopped');
    await once();
  });

  it('is shown before it is sent, and nothing stays of that', async () => {
    const looked = await pay(people(12), 'march', '--dry-run', { env });
    expect(looked.json()).toMatchObject({ dry_run: true, rows: 12 });
    expect((await svc('batches list --json', { env })).json()).toEqual({ batches: [] });
    expect(await sql('SELECT number FROM svc.rows')).toEqual([]);
  });

  it('ends with 15 where its rows are others’, and whoever has them pays each once', async () => {
    here.shaky.onPost = async () => {
      if (here.shaky.posts.length === 3)
        await sql('UPDATE svc.workers SET fenced_at = now(), ended_at = now() WHERE ended_at IS NULL');
    };
    const failed = await pay(people(12), 'march', '', { env });
    expect(failed.error()).toMatchObject({
      ...{ exit_code: 15, code: 'lease_lost', outcome: 'unknown', retryable: true },
      next_command: 'svc batches resume march',
    });
    expect((await finished()).json()).toMatchObject({ confirmed: 12 });
    await once();
  });

  it('is refused where the clock of the database and that of the service are apart, before anything leaves', async () => {
    here.home.clock.advance(-6 * 60_000);
    const failed = await pay(people(12), 'march', '', { env });
    expect(failed.error()).toMatchObject({ exit_code: 16, code: 'clocks_differ', outcome: 'not_sent' });
    expect(failed.stderr).toContain('6 minutes ahead of that of the service');
    const blind = await svc('batches resume march --skip-feed-check --json', { env });
    expect(blind.error()).toMatchObject({ exit_code: 16, code: 'clocks_differ', outcome: 'not_sent' });
    expect(here.shaky.posts).toEqual([]);
    expect((await svc('batches status march --json', { env: other })).json()).toMatchObject({ not_sent: 12 });
    here.home.clock.advance(2 * 60_000);
    expect((await svc('batches resume march --json', { env })).json()).toMatchObject({ confirmed: 12 });
    await once();
  });

  it('is sent by all machines at one rate, that of whoever began it', async () => {
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
    const first = await pay(people(12), 'march', '--rate 5000', { env: podA() });
    const joined = await joining!;
    expect(refused!.error()).toMatchObject({ exit_code: 13, code: 'rate_differs', outcome: 'not_sent' });
    expect(refused!.stderr).toContain('pod-a sends this batch at --rate 5000/s');
    expect([first.exitCode, joined.exitCode]).toEqual([0, 0]);
    await once();
  });

  it('stops where the key of one machine is refused, and says whose', async () => {
    here.shaky.onPost = () => {
      if (here.shaky.posts.length > 2) here.shaky.next(refusal(401, 'unauthorized'));
    };
    const own = await pay(people(12), 'march', '', { env: podA() });
    expect(own.failure()).toBe('4 unauthorized');
    expect(own.error()['message']).toContain('the service refused the key.');
    here.shaky.onPost = () => undefined;
    await wake();
    const posts = here.shaky.posts.length;
    const joined = await pay(people(12), 'march', '', { env: other });
    expect(joined.failure()).toBe('4 unauthorized');
    expect(joined.error()['message']).toContain('the service refused the key of pod-a.');
    expect(joined.json()).toMatchObject({ stopped: { by: 'pod-a', reason: 'denied' } });
    expect(here.shaky.posts).toHaveLength(posts);
    expect((await finished()).json()).toMatchObject({ confirmed: 12 });
    await once();
  });

  it('whose database is gone waits for it, and ends with what leads on', async () => {
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
