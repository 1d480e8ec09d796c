import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { eachWorld } from '../../support/svc.js';

const KEY = 'svc_test_0123456789abcdef';
const home = eachWorld();
beforeEach(async () => {
  for (const name of ['shop', 'other']) {
    await home.svc(`profiles add ${name} --base-url https://${name}.example.com --key-stdin`, { stdin: KEY });
  }
});

describe('list', () => {
  it('has every profile by name, and no key', async () => {
    const result = await home.svc('profile list');
    expect(result.json()).toMatchObject({
      profiles: [
        { name: 'other', active: false },
        { name: 'shop', active: true, keys: { sandbox: { key: 'svc_test_...cdef' } } },
      ],
    });
    expect(result.stdout).not.toContain(KEY);
  });

  it('is a list: a line each as NDJSON, a row each as csv', async () => {
    expect((await home.svc('profiles list -o ndjson')).stdout.trimEnd().split('\n')).toHaveLength(2);
    const [header = '', ...rows] = (await home.svc('profiles list -o csv')).stdout.trimEnd().split('\n');
    expect(header.split(',')).toEqual(expect.arrayContaining(['name', 'base_url', 'keys.sandbox.key']));
    expect(rows).toHaveLength(2);
  });
});

describe('show and use', () => {
  it('show the one that is named, else the active one', async () => {
    expect((await home.svc('profiles show other')).json()).toMatchObject({ name: 'other' });
    expect((await home.svc('profiles show')).json()).toMatchObject({ name: 'shop' });
    expect((await home.svc('profiles use other')).json()).toMatchObject({ name: 'other', active: true });
    expect((await home.svc('profiles show')).json()).toMatchObject({ name: 'other' });
  });

  it.each(['show nobody', 'use nobody', 'use', 'remove nobody', 'remove'])(
    '%s ends with 2',
    async (words) => {
      expect(await home.svc(`profiles ${words}`)).toMatchObject({ exitCode: 2, stdout: '' });
    },
  );
});

describe('remove', () => {
  it('removes the profile and its key', async () => {
    const removed = await home.svc('profiles remove shop');
    expect(removed.json()).toMatchObject({ name: 'shop' });
    expect(removed.stderr).toBe('Removed profile shop and its keys from this machine.\n');
    expect((await home.svc('profiles list')).json()).toMatchObject({ profiles: [{ name: 'other' }] });
    const keys = readFileSync(join(home.ports.paths.config, 'keys.json'), 'utf8');
    expect(keys).not.toContain('shop');
    expect(keys).toContain('other');
  });
});

const LIVE = 'svc_live_0123456789abcdef';
const PERSON = { stdin: true, stderr: true } as const;

describe('a live key', () => {
  beforeEach(async () => {
    await home.svc('profiles set-key shop --key-stdin --insecure-storage', { stdin: LIVE });
  });
  const isThere = async (): Promise<boolean> =>
    (await home.svc('profiles show shop --jq .keys.live.key')).stdout === 'svc_live_...cdef\n';

  it.each(['profiles remove shop', 'profiles remove shop --json', 'profile remove shop -q .name'])(
    '%s takes it away only where somebody says yes',
    async (line) => {
      const refused = await home.svc(line);
      expect(refused.error()).toMatchObject({ code: 'not_confirmed', exit_code: 13 });
      const said = String(refused.error()['message']);
      expect(said).toContain(`If you mean it: svc ${line} --yes`);
      expect((await home.svc(line, { tty: PERSON, stdin: 'no\n' })).exitCode).toBe(13);
      expect((await home.svc(`${line} --no-input`, { tty: PERSON })).exitCode).toBe(13);
      expect(await isThere()).toBe(true);
      const asked = await home.svc(line, { tty: PERSON, stdin: 'yes\n' });
      expect(asked.exitCode, asked.stderr).toBe(0);
      expect(asked.stderr).toContain('removes the live key svc_live_...cdef from this machine');
      expect(await isThere()).toBe(false);
    },
  );

  it.each([
    ['--base-url https://shop.example.com/pay', { base_url: 'https://shop.example.com/pay' }],
    ['--country ve --currency ves', { country: 'VE', currency: 'VES' }],
    ['--references labels', { references: 'labels' }],
    ['--insecure-loopback', { insecure_loopback: true }],
  ])('stays where settings change: set %s', async (words, changed) => {
    const before = (await home.svc('profiles show shop')).json();
    const set = await home.svc(`profiles set shop ${words}`);
    expect(set.json(), set.stderr).toEqual({ ...before, ...changed });
    expect(await isThere()).toBe(true);
  });
});

describe('set', () => {
  it('moves to another host without a key', async () => {
    const moved = await home.svc('profiles set other --base-url https://new.example.com --country VE');
    expect(moved.json(), moved.stderr).toMatchObject({ base_url: 'https://new.example.com', country: 'VE' });
    const said = 'Its keys are for https://other.example.com alone. Next: svc profiles set-key other\n';
    expect(moved.stderr).toBe(said);
    const used = await home.svc('balances -p other', { wire: true });
    expect(used.error()).toMatchObject({ exit_code: 4, next_command: 'svc profiles set-key other' });
    expect((await home.svc('profiles set other --base-url https://other.example.com')).stderr).toBe('');
  });

  it.each([
    ['profiles set nobody --country VE', /no profile nobody/],
    ['profiles set shop --country VEN', /two letters/],
    ['profiles set shop --base-url https://shop.example.com/sandbox', /address of the sandbox/],
    ['profiles set shop --base-url shop.example.com', /not a URL/],
  ])('%s is 2 and changes nothing', async (line, said) => {
    const before = (await home.svc('profiles list')).stdout;
    const result = await home.svc(line);
    expect(result.exitCode).toBe(2);
    expect(result.error()['message']).toMatch(said);
    expect((await home.svc('profiles list')).stdout).toBe(before);
  });
});

describe('no profile', () => {
  it('is said by none, and then the embedded sandbox answers', async () => {
    await home.svc('profiles add keyless --base-url https://keyless.example.com');
    const without = await home.svc('balances -p keyless');
    expect(without.error()).toMatchObject({ exit_code: 4 });
    expect(without.error()['message']).toContain('--profile none');
    for (const inside of [
      await home.svc('balances --profile none'),
      await home.svc('balances', { env: { SVC_PROFILE: 'none' } }),
      await home.svc('balances -p none', { env: { SVC_PROFILE: 'shop', CI: 'true' } }),
    ])
      expect([inside.exitCode, inside.stderr]).toEqual([0, expect.stringMatching(/^Embedded sandbox/)]);
    for (const line of ['balances --profile none --live', 'balances --live']) {
      const live = await home.svc(line);
      expect(live.error()['exit_code']).toBe(4);
      expect(live.error()['message']).not.toContain('--profile none');
    }
    expect((await home.svc('balances --profile none', { env: { SVC_API_KEY: KEY } })).exitCode).toBe(13);
    expect((await home.svc('profiles add none --base-url https://none.example.com')).exitCode).toBe(2);
  });
});
