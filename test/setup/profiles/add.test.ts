import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, beforeEach } from 'vitest';
import { eachWorld } from '../../support/svc.js';

const TEST = 'svc_test_0123456789abcdef';
const ADD = 'profiles add shop --base-url https://api.example.com';

const home = eachWorld();

it('keeps the address and the defaults of bodies; the first profile is the active one', async () => {
  const result = await home.svc(`${ADD}/ --country ve --currency ves`);
  expect(result.json()).toEqual({
    ...{ name: 'shop', active: true, base_url: 'https://api.example.com', country: 'VE', currency: 'VES' },
    ...{ insecure_loopback: false, references: 'payments', state: null },
    keys: { sandbox: null, live: null },
  });
  const second = await home.svc('profile add other --base-url https://other.example.com');
  expect(second.json()).toMatchObject({ name: 'other', active: false });
});

it('keeps a test key in a file of its own, says so, and shows its end only', async () => {
  const result = await home.svc(`${ADD} --key-stdin`, { stdin: `${TEST}\n` });
  expect(result.exitCode, result.stderr).toBe(0);
  expect(result.json()).toMatchObject({ keys: { sandbox: { key: 'svc_test_...cdef', stored: 'file' } } });
  expect(result.stderr).toMatch(/0600/);
  expect(result.stdout + result.stderr).not.toContain(TEST);
  const folder = home.ports.paths.config;
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const holds = (name: string): boolean => readFileSync(join(folder, name), 'utf8').includes(TEST);
  expect(readdirSync(folder).filter(holds)).toEqual(['keys.json']);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

it('keeps a live key in a file only with --insecure-storage', async () => {
  const stdin = 'svc_live_0123456789abcdef';
  const refused = (await home.svc(`${ADD} --key-stdin`, { stdin })).error();
  expect(refused['exit_code']).toBe(13);
  expect(refused['message']).toContain('--insecure-storage');
  expect((await home.svc('profiles list')).json()).toEqual({ profiles: [] });
  const kept = await home.svc(`${ADD} --key-stdin --insecure-storage`, { stdin });
  expect(kept.json()).toMatchObject({ keys: { live: { stored: 'file' }, sandbox: null } });
});

it('remembers --insecure-loopback', async () => {
  const add = 'profiles add local --base-url http://127.0.0.1:4010 --insecure-loopback';
  expect((await home.svc(add)).json()).toMatchObject({ insecure_loopback: true });
});

it('says to a person that the key is missing', async () => {
  const { stderr } = await home.svc(ADD, { tty: { stderr: true } });
  expect(stderr).toContain('Next: svc profiles set-key shop\n');
  expect((await home.svc(ADD.replace('shop', 'other'))).stderr).toBe('');
});

it.each([
  ['no address', 'profiles add shop', {}],
  ['no name', 'profiles add --base-url https://api.example.com', {}],
  ['no key where one was promised', `${ADD} --key-stdin`, {}],
  ['a key typed at a terminal', `${ADD} --key-stdin`, { stdin: TEST, tty: { stdin: true } }],
])('refuses %s', async (_, line, options) => {
  expect(await home.svc(line, options)).toMatchObject({ exitCode: 2 });
  expect((await home.svc('profiles list')).json()).toEqual({ profiles: [] });
});

describe('set-key', () => {
  beforeEach(() => home.svc('profiles add shop --base-url https://api.example.com'));

  it.each<[string, string, string, number]>([
    ['no --key-stdin', 'profiles set-key shop', 'svc_test_0123456789', 2],
    ['an unknown profile', 'profiles set-key nobody --key-stdin', 'svc_test_0123456789', 2],
    ['no key', 'profiles set-key shop --key-stdin', '\n', 2],
    ['a live key for a file', 'profiles set-key shop --key-stdin', 'svc_live_0123456789', 13],
  ])('%s', async (_, line, stdin, exit) => {
    const result = await home.svc(line, { stdin });
    expect(result.exitCode, result.stderr).toBe(exit);
    const keys = { sandbox: null, live: null };
    expect((await home.svc('profiles show shop')).json()).toMatchObject({ keys });
  });

  it('says what to type where nobody can be asked, and that works', async () => {
    const refused = await home.svc('profiles set-key shop');
    const [, advised = ''] = /svc (profiles set-key shop --key-stdin) < FILE/.exec(refused.stderr) ?? [];
    const set = await home.svc(advised, { stdin: 'svc_test_0123456789dddd' });
    expect(set.json()).toMatchObject({ keys: { sandbox: { key: 'svc_test_...dddd' } } });
  });
});
