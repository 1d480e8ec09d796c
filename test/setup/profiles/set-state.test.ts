import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eachWorld } from '../../support/svc.js';

const URL_ = 'postgres://worker@db.example.com/pay?schema=march';
const ADD = 'profiles add shop --base-url https://api.example.com';
const SHARED = `--state-url ${URL_} --state-password-stdin`;
const PASSWORD = 'canary: %41/@ "1"';

const home = eachWorld();
const kept = (name: string): string => readFileSync(join(home.ports.paths.config, name), 'utf8');

it('keeps the address with the profile, and its password where keys are', async () => {
  const added = await home.svc(`${ADD} ${SHARED}`, { stdin: `${PASSWORD}\n` });
  expect(added.json()).toMatchObject({ name: 'shop', state: URL_ });
  expect(added.stderr).toContain('0600');
  expect(added.stdout + added.stderr).not.toContain('canary');
  expect(kept('config.json')).not.toContain('canary');
  expect(JSON.parse(kept('keys.json'))).toEqual({ secrets: { [`state shop ${URL_}`]: PASSWORD } });
  expect((await home.svc('profiles show shop --jq .state')).stdout).toBe(`${URL_}\n`);
  expect((await home.svc('profiles list --jq .profiles[0].state')).stdout).toBe(`${URL_}\n`);
});

it('changes the password, and forgets the one of another address', async () => {
  await home.svc(`${ADD} ${SHARED}`, { stdin: PASSWORD });
  const changed = await home.svc('profiles set-state shop --state-password-stdin', { stdin: 'canary 2' });
  expect(changed.json()).toMatchObject({ state: URL_ });
  expect(kept('keys.json')).toContain('canary 2');
  const moved = await home.svc('profiles set-state shop --state-url postgres://worker@other.example.com/pay');
  expect(moved.json()).toMatchObject({ state: 'postgres://worker@other.example.com/pay' });
  expect(kept('keys.json')).not.toContain('canary');
  const local = await home.svc('profiles set-state shop --state-url local');
  expect(local.json()).toMatchObject({ state: 'local' });
});

it('is removed with the profile, password and all', async () => {
  await home.svc(`${ADD} ${SHARED}`, { stdin: PASSWORD });
  await home.svc('profiles remove shop');
  expect(kept('keys.json')).not.toContain('canary');
});

it.each<[string, string, string, number]>([
  ['a password in the address', '--state-url postgres://u:canary@h/d', '', 2],
  ['the same in one word', '--state-url=postgres://u:canary@h/d', '', 2],
  ['the same with more that is wrong', '--state-url postgres://u:canary@h/d --nonsense', '', 2],
  ['an address that is none', '--state-url canary', '', 2],
  ['nothing', '--state-url=', '', 2],
  ['what begins like a flag', '--state-url=-canary', '', 2],
  ['a connection that others can read', '--state-url postgres://u@h/d?sslmode=disable', '', 13],
  ['a password without an address', '--state-password-stdin', 'canary', 2],
  ['a password of files', '--state-url local --state-password-stdin', 'canary', 2],
  ['no password where one was promised', `--state-url ${URL_} --state-password-stdin`, '\n', 2],
  ['two secrets at once', `--state-url ${URL_} --state-password-stdin --key-stdin`, 'canary', 2],
])('refuses %s, and keeps nothing', async (_, words, stdin, exit) => {
  const result = await home.svc(`${ADD} ${words}`, { stdin });
  expect(result.exitCode, result.stderr).toBe(exit);
  expect(result.stdout + result.stderr).not.toContain('canary');
  expect((await home.svc('profiles list')).json()).toEqual({ profiles: [] });
});

it('wants to know what, and of whom', async () => {
  await home.svc(ADD);
  expect((await home.svc('profiles set-state shop')).exitCode).toBe(2);
  expect((await home.svc(`profiles set-state other --state-url ${URL_}`)).exitCode).toBe(2);
});
