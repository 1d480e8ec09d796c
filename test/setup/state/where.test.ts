import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { batchHome } from '../../support/batch-home.js';
import { LOST } from '../../support/open-request.js';
import { people } from '../../support/payroll.js';
import { sharedDatabase } from '../../support/shared-state.js';

const shared = await sharedDatabase();
const here = batchHome(people(3), 'sandbox', 'real');
const live = batchHome(people(3), 'live', 'real');
const { svc, pay } = here;

const LATE_MS = 30_000;

describe.skipIf(shared === null)('the place of the shared state', () => {
  const env = () => {
    const { SVC_STATE = '', SVC_STATE_PASSWORD = '' } = shared!.env();
    return { url: SVC_STATE, password: SVC_STATE_PASSWORD };
  };
  const file = (name: string, text: string): string => {
    const path = join(here.home.home, name);
    writeFileSync(path, text);
    return path;
  };

  it('is said by the flag, before a variable, and the next command says it again', async () => {
    const { url, password } = env();
    const given = { SVC_STATE: 'postgres://u@127.0.0.1:1/d', SVC_STATE_PASSWORD: password };
    expect((await svc(`state init --state-url ${url}`, { env: given })).exitCode).toBe(0);
    here.shaky.next(...LOST);
    const paid = await pay(people(3), 'march', `--state-url ${url}`, { env: given });
    expect(paid.json()).toMatchObject({ confirmed: 2, unknown: 1 });
    expect(paid.json()['resume_command']).toContain(`--state-url '${url}'`);
    const resumed = await here.paste(paid.json()['resume_command'], { env: given });
    expect(resumed.stdout).toContain('march');
    const list = `--state-url=${url} batches list --json`;
    expect((await svc(list, { env: given })).json()).toMatchObject({ batches: [{ batch: 'march' }] });
    const local = await svc('batches list --state-url local --json', { env: given });
    expect(local.json()).toEqual({ batches: [] });
  });

  it('is said by a profile, with the password that is kept for it', async () => {
    const { url, password } = env();
    const add = `profiles add shop --base-url ${here.shaky.env['SVC_BASE_URL'] ?? ''} --state-url ${url}`;
    await svc(`${add} --state-password-stdin`, { stdin: password });
    expect((await svc('state init --json')).json()).toMatchObject({ url });
    expect((await svc('state status --json')).json()).toMatchObject({ url });
    expect((await pay(people(3), 'march')).json()).toMatchObject({ confirmed: 3 });
    const local = await svc('batches list --json', { env: { SVC_STATE: 'local' } });
    expect(local.json()).toEqual({ batches: [] });
  });

  it('is read from files, and its password anew at each connection', async () => {
    const { url } = env();
    const [user, secret] = ['rotated', 'first canary %40'];
    await shared!.server.query(`CREATE ROLE ${user} LOGIN SUPERUSER PASSWORD '${secret}'`);
    const path = file('password', `${secret}\n`);
    const given = { SVC_STATE: url.replace('owner', user), SVC_STATE_PASSWORD_FILE: path };
    expect((await svc('state init', { env: given })).exitCode).toBe(0);
    const { clock } = here.home;
    let changedMs = Infinity;
    here.shaky.onPost = async () => {
      if (here.shaky.posts.length !== 2) return;
      await shared!.server.query(`ALTER ROLE ${user} PASSWORD 'second canary'`);
      changedMs = clock.now();
      const all = `FROM pg_stat_activity WHERE usename = '${user}'`;
      await shared!.server.query(`SELECT pg_terminate_backend(pid) ${all}`);
    };
    const sleep = async (...pause: Parameters<typeof clock.sleep>): Promise<void> => {
      await clock.sleep(...pause);
      if (clock.now() - changedMs >= LATE_MS) file('password', 'second canary\n');
    };
    const paid = await pay(people(3), 'march', '--debug', { env: given, clock: { ...clock, sleep } });
    expect(paid.json()).toMatchObject({ confirmed: 3 });
    expect(paid.stdout + paid.stderr).not.toMatch(/canary/);
    const whole = file('url', `${given.SVC_STATE.replace('@', ':second%20canary@')}\n`);
    const read = await svc('state status --json --debug', { env: { SVC_STATE_FILE: whole } });
    expect(read.json()).toMatchObject({ url: given.SVC_STATE });
    expect(read.stdout + read.stderr).not.toMatch(/canary/);
    const gone = await svc('state status', { env: { SVC_STATE_FILE: `${whole}.not` } });
    expect(gone.error()).toMatchObject({ exit_code: 16, code: 'state_unusable' });
  });

  it.each([
    '--state-url postgres://u:c4nary@h/d',
    '--state-url=postgres://u:c4nary@h/d',
    '--state-url postgres://u:c4/n#ary@h/d',
    'postgres://u:c4nary@h/d',
  ])('refuses %s anywhere, and never says it', async (words) => {
    for (const line of [`batches list ${words}`, `${words} banks`, `banks ${words} --debug --nonsense`]) {
      const { exitCode, stdout, stderr } = await svc(line);
      expect(exitCode).toBe(2);
      expect(stdout + stderr).not.toMatch(/c4nary|c4\/n|n#ary/);
    }
  });

  it('of one environment is not that of the other', async () => {
    const { url, password } = env();
    const given = { SVC_STATE: url, SVC_STATE_PASSWORD: password };
    await svc('state init', { env: given });
    const meant = { exit_code: 13, code: 'state_of_other_environment', outcome: 'not_sent' };
    expect((await live.pay(people(3), 'march', '', { env: given })).error()).toMatchObject(meant);
    expect((await live.svc('batches resume march', { env: given })).error()).toMatchObject(meant);
    expect(live.shaky.posts).toEqual([]);
    await shared!.query(given, `UPDATE svc.meta SET environment = 'live'`);
    expect((await pay(people(3), 'march', '', { env: given })).error()).toMatchObject(meant);
    expect((await svc('batches list', { env: given })).error()).toMatchObject(meant);
    expect(here.shaky.posts).toEqual([]);
  });

  it('is repeated by what is to be typed where nothing is there yet', async () => {
    const { url, password } = env();
    const given = { env: { SVC_STATE_PASSWORD: password } };
    for (const home of [here, live]) {
      const error = (await home.svc(`batches list --json --state-url ${url}`, given)).error();
      expect(error).toMatchObject({ exit_code: 16, code: 'state_unusable' });
      const next = String(error['next_command']);
      expect(next).toMatch(/^svc state init /);
      expect(next).toContain(`--state-url '${url}'`);
      expect(next.includes('--live')).toBe(home === live);
    }
  });

  it('is named where the sandbox inside does not use it', async () => {
    const { url, password } = env();
    const inside = { env: { ...here.machine('alone'), SVC_STATE_PASSWORD: password } };
    const listed = await here.home.svc(['batches', 'list', '--json', '--state-url', url], inside);
    expect(listed.json()).toEqual({ batches: [] });
    expect(listed.stderr).toContain('does not use --state-url');
    for (const line of ['requests list', 'events tail --checkpoint orders --no-follow']) {
      const { stderr } = await here.home.svc([...line.split(' '), '--state-url', url], inside);
      expect(stderr.split('does not use')).toHaveLength(2);
    }
  });
});
