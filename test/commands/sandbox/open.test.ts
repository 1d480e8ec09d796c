/** `svc sandbox open` and `start --open`: the address, and a browser where there is one. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sandboxesOf } from '../../support/sandbox-here.js';
import { eachWorld, type Result } from '../../support/svc.js';
import '../../support/starting.js';

const home = eachWorld();
const start = sandboxesOf(home);

/** A browser that writes down what it was shown; of both names that systems have for it. */
function browser(): { readonly env: Record<string, string>; readonly shown: () => string | null } {
  const [folder, file] = [join(home.home, 'browser'), join(home.home, 'shown')];
  mkdirSync(folder);
  for (const name of ['xdg-open', 'open']) {
    const script = `#!/bin/sh\necho "$#:$1" > '${file}.part' && mv '${file}.part' '${file}'\n`;
    writeFileSync(join(folder, name), script, { mode: 0o755 });
  }
  const env = { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ':0' };
  return { env, shown: () => (existsSync(file) ? readFileSync(file, 'utf8').trim() : null) };
}

it('prints the address of the server that has the default store, and opens the browser there', async () => {
  const url = (await start()).ready['base_url']!;
  const { env, shown } = browser();
  expect((await home.svc('sandbox open', { env, wire: true })).json()).toEqual({ url: `${url}/` });
  await expect.poll(shown).toBe(`1:${url}/`);
});

it('goes to --base-url, on this machine only', async () => {
  const { env, shown } = browser();
  const at = (url: string): Promise<Result> => home.svc(`sandbox open --base-url ${url}`, { env });
  expect((await at('http://127.0.0.1:4999')).json()).toEqual({ url: 'http://127.0.0.1:4999/' });
  await expect.poll(shown).toBe('1:http://127.0.0.1:4999/');
  expect(await at('https://example.com')).toMatchObject({ exitCode: 13, stdout: '' });
});

it('without a server says how to begin one', async () => {
  const result = await home.svc('sandbox open');
  expect(result).toMatchObject({ exitCode: 11, stdout: '' });
  expect(result.error()['next_command']).toBe('svc sandbox start --open');
});

it('without a browser, or without a screen, is the address alone', async () => {
  const url = (await start()).ready['base_url']!;
  for (const env of [
    { PATH: '/nowhere', DISPLAY: ':0' },
    { ...browser().env, DISPLAY: '' },
  ])
    expect(await home.svc('sandbox open --jq .url', { env, wire: true })).toMatchObject({
      ...{ exitCode: 0, stdout: `${url}/\n`, stderr: '' },
    });
});

it('start --open opens it once it is ready', async () => {
  const { env, shown } = browser();
  const { ready } = await start('--json --open --store :memory:', { env });
  await expect.poll(shown).toBe(`1:${ready['base_url']!}/`);
});
