import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sandboxesOf } from '../support/sandbox-here.js';
import { eachWorld } from '../support/svc.js';
import '../support/starting.js';

const home = eachWorld();
const start = sandboxesOf(home);

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

const OPEN = 'sandbox start --open';

it('opens it once it is ready', async () => {
  const { env, shown } = browser();
  const { ready } = await start('--json --open --store :memory:', { env });
  await expect.poll(shown).toBe(`1:${ready['base_url']!}/`);
});

it.each(['', '--store other.db'])('opens the page of the one that runs already, with "%s"', async (flags) => {
  const store = flags.replace('other.db', join(home.home, 'other.db'));
  const { code, ...ready } = (await start(`--json ${store}`)).ready;
  expect(code).toBe('123456');
  const { env, shown } = browser();
  const opened = await home.svc(`${OPEN} ${store}`, { env, wire: true });
  expect(opened.exitCode, opened.stderr).toBe(0);
  expect(opened.json()).toEqual({ ...ready, event: 'running' });
  await expect.poll(shown).toBe(`1:${ready['base_url']!}/`);
});

it('does not begin with a state where one runs already', async () => {
  await start();
  expect((await home.svc(`${OPEN} --seed state.json`, { wire: true })).failure()).toBe('15 locked');
});

it('without a browser, or without a screen, is the address alone', async () => {
  const url = (await start()).ready['base_url']!;
  for (const env of [
    { PATH: '/nowhere', DISPLAY: ':0' },
    { ...browser().env, DISPLAY: '' },
  ])
    expect(await home.svc(OPEN, { env, wire: true, tty: { stdout: true } })).toMatchObject({
      ...{ exitCode: 0, stdout: `The sandbox runs already, with its own settings: ${url}/\n`, stderr: '' },
    });
});
