/** `svc profiles set-key`: a profile's key for the environment that its prefix names. */
import { beforeEach, expect, it } from 'vitest';
import { eachWorld } from '../../support/svc.js';

const home = eachWorld();
beforeEach(async () => {
  await home.svc('profiles add shop --base-url https://api.example.com');
});

it('sets and replaces, each environment by itself', async () => {
  const set = (key: string) =>
    home.svc('profiles set-key shop --key-stdin --insecure-storage', { stdin: `${key}\n` });
  await set('svc_test_0123456789aaaa');
  await set('svc_live_0123456789bbbb');
  const result = await set('svc_test_0123456789cccc');
  const keys = { sandbox: { key: 'svc_test_...cccc' }, live: { key: 'svc_live_...bbbb' } };
  expect(result.json()).toMatchObject({ keys });
});

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
