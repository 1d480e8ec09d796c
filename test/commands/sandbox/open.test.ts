/** `svc sandbox open` and `start --open`: the address, and a browser where there is one. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Stopped } from '../../../src/runtime/ports.js';
import { world, type Result, type World } from '../../support/svc.js';
import '../../support/starting.js';

let home: World;
let stop: (() => Promise<Result>) | null = null;
beforeEach(() => {
  home = world();
});
afterEach(async () => {
  await stop?.();
  stop = null;
  home.remove();
});

/** A browser that writes down what it was shown; of both names that systems have for it. */
function browser(): { readonly env: Record<string, string>; readonly shown: () => string | null } {
  const [folder, file] = [join(home.home, 'browser'), join(home.home, 'shown')];
  mkdirSync(folder);
  for (const name of ['xdg-open', 'open']) {
    writeFileSync(
      join(folder, name),
      `#!/bin/sh\necho "$#:$1" > '${file}.part' && mv '${file}.part' '${file}'\n`,
    );
    chmodSync(join(folder, name), 0o755);
  }
  const env = { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ':0' };
  return { env, shown: () => (existsSync(file) ? readFileSync(file, 'utf8').trim() : null) };
}

async function served(flags = '', env: Record<string, string> = {}): Promise<string> {
  const controller = new AbortController();
  let said: (line: string) => void = () => undefined;
  const first = new Promise<string>((resolve) => (said = resolve));
  const ended = home.svc(`sandbox start --port 0 --json ${flags}`, {
    ...{ env, signal: controller.signal, wire: true },
    onData: (text: string) => said(text),
  });
  stop = () => {
    controller.abort(new Stopped('SIGTERM', 143));
    return ended;
  };
  return (JSON.parse(await first) as { base_url: string }).base_url;
}

it('prints the address of the server that has the default store, and opens the browser there', async () => {
  const url = await served();
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
  const url = await served();
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
  const url = await served('--open --store :memory:', env);
  await expect.poll(shown).toBe(`1:${url}/`);
});
