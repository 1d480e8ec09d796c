/** `svc profiles list`, `show`, `use` and `remove`: plain data with masked keys. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { world, type World } from '../../support/svc.js';

const KEY = 'svc_test_0123456789abcdef';
let home: World;
beforeEach(async () => {
  home = world();
  for (const name of ['shop', 'other']) {
    await home.svc(`profiles add ${name} --base-url https://${name}.example.com --key-stdin`, { stdin: KEY });
  }
});
afterEach(() => home.remove());

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

  it.each([
    'profiles show nobody',
    'profiles use nobody',
    'profiles use',
    'profiles remove nobody',
    'profiles remove',
  ])('%s ends with 2', async (line) => {
    expect(await home.svc(line)).toMatchObject({ exitCode: 2, stdout: '' });
  });
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
