import { describe, expect, it } from 'vitest';
import { people, person } from '../support/payroll.js';
import { NOT_ARRIVED, keyOf, type Fate } from '../support/shaky-sandbox.js';
import { batchHome } from '../support/batch-home.js';

const UNREACHABLE: readonly Fate[] = ['refused', 'refused', 'refused'];

describe('in the sandbox', () => {
  const here = batchHome();
  const { svc, begin, pay } = here;
  const half = async (): Promise<void> => {
    await begin(...NOT_ARRIVED);
    expect((await svc('batches status pay --json')).json()).toMatchObject({ confirmed: 3, unknown: 1 });
  };

  it('goes on with a rotated key of the same company, and says that it is another one', async () => {
    await half();
    const result = await svc('batches resume pay --json', { env: await here.otherKey() });
    expect(result.json()).toMatchObject({ confirmed: 4 });
    expect(result.stderr).toContain('This API key is not the one that planned the batch');
  });

  it('goes on with a profile of another name', async () => {
    await half();
    const { transport } = here.shaky;
    const stdin = `${here.shaky.env['SVC_API_KEY']!}\n`;
    const add = 'profiles add acme --base-url http://localhost:4010 --key-stdin';
    const added = await here.home.svc(add, { stdin });
    expect(added.exitCode, added.stderr).toBe(0);
    const result = await here.home.svc('batches resume pay --profile acme --json', { transport });
    expect(result.json(), result.stderr).toMatchObject({ confirmed: 4 });
  });

  it('prints lines that go back with its profile and the way to its address', async () => {
    const { transport } = here.shaky;
    const plain = (line: string) => here.home.svc(line, { transport });
    const key = await keyOf(here.shaky, 'default', 'live');
    for (const name of ['acme', 'zeta']) {
      await plain(`profiles add ${name} --base-url http://localhost:4010`);
      const set = `profiles set-key ${name} --key-stdin --insecure-storage`;
      await here.home.svc(set, { transport, stdin: `${key}\n` });
    }
    await plain('profiles use zeta');
    here.shaky.next(...NOT_ARRIVED);
    const live =
      '--batch pf --live --insecure-loopback --first-here --confirm-total VES:408.00 --concurrency 1';
    const sent = await plain(`payouts batch ${here.file} --profile acme ${live} --json`);
    expect(sent.exitCode, sent.stderr).toBe(12);
    const { resume_command: line } = (await plain('batches status pf --json')).json();
    expect(line).toBe('svc batches resume --profile acme --live --insecure-loopback pf');
    const resumed = await plain(`${String(line).slice('svc '.length)} --json`);
    expect(resumed.exitCode, resumed.stderr).toBe(0);
  });

  it('does not go on with the key of another company: 13, and nothing is sent', async () => {
    await half();
    const posts = here.shaky.posts.length;
    const env = await here.otherKey('somebody-else');
    for (const line of [
      'batches resume pay',
      'batches resume pay --same-company',
      'batches retry pay --failed',
      'batches resolve pay --reference emp-0000 --not-paid --same-company',
      `payouts batch ${here.file}`,
    ])
      expect((await svc(`${line} --json`, { env })).failure()).toBe('13 other_company');
    expect(here.shaky.posts).toHaveLength(posts);
    expect((await svc('batches resume pay --json')).json()).toMatchObject({ confirmed: 4 });
  });

  it('that nothing shows goes on only with --same-company', async () => {
    await begin(...NOT_ARRIVED, ...UNREACHABLE, ...UNREACHABLE, ...UNREACHABLE);
    const env = await here.otherKey();
    const posts = here.shaky.posts.length;
    const refused = await svc('batches resume pay --json', { env });
    expect(refused.error()).toMatchObject({ code: 'company_unknown', exit_code: 13, outcome: 'not_sent' });
    expect(here.shaky.posts).toHaveLength(posts);
    const said = await svc('batches resume pay --same-company --json', { env });
    expect(said.json(), said.stderr).toMatchObject({ confirmed: 4 });
    expect((await svc('batches status pay --json')).json()).toMatchObject({ confirmed: 4 });
  });

  it('of another company may pay the same references, the same accounts and amounts too', async () => {
    await begin();
    const env = await here.otherKey('somebody-else');
    const theirs = [person(0, { amount: '5.00' })];
    expect((await pay(theirs, 'theirs', '', { env })).error()).toMatchObject({ code: 'references_paid' });
    await svc('events sync');
    expect((await pay(people(1), 'theirs', '', { env })).json()).toMatchObject({ confirmed: 1 });
  });

  it('is held to --company, in any case; another is refused, and so is one that nothing shows', async () => {
    expect((await pay([person(7)], 'first', '--company TCP')).failure()).toBe('13 other_company');
    await begin();
    const { stdout } = await svc(['events', 'list', '--all', '--jq', '.data.concept']);
    const letters = (stdout.split('\n')[0] ?? '').slice(5, 8);
    expect(letters).toMatch(/^[A-Z]{3}$/);
    const other = await pay([person(7)], 'next', '--company XYZ');
    expect(other.failure()).toBe('13 other_company');
    expect(other.error()['message']).toContain(`belongs to company ${letters}`);
    expect(here.shaky.posts).toHaveLength(4);
    const own = await pay([person(7)], 'next', `--company ${letters.toLowerCase()}`);
    expect(own.json()).toMatchObject({ confirmed: 1 });
    for (const line of ['batches resume pay', 'batches retry pay --failed'])
      expect((await svc(`${line} --company XYZ --json`)).exitCode).not.toBe(0);
  });
});

describe('live', () => {
  const here = batchHome(people(2), 'live');
  const { svc } = here;

  it('--same-company is confirmed with --yes', async () => {
    here.shaky.next(...NOT_ARRIVED, ...UNREACHABLE);
    await here.pay(people(2), 'june', '--confirm-total VES:202.00 --first-here');
    const env = { SVC_API_KEY: await keyOf(here.shaky, 'default', 'live') };
    const line = 'batches resume june --same-company --json';
    expect((await svc('batches resume june --json', { env })).failure()).toBe('13 company_unknown');
    expect((await svc(line, { env })).failure()).toBe('13 not_confirmed');
    expect((await svc(`${line} --yes`, { env })).json()).toMatchObject({ confirmed: 2 });
  });
});
