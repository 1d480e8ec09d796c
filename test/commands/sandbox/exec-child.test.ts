/** What `svc sandbox exec` runs, in this process: what it gets to see, how it is stopped, and what becomes of its children. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Stopped } from '../../../src/runtime/ports.js';
import { world, type Result, type RunOptions, type World } from '../../support/svc.js';
import '../../support/starting.js';

let home: World;
beforeEach(() => {
  home = world();
});
afterEach(() => home.remove());

/** Runs a shell script beside a sandbox; what it has to tell it writes into files below `$HOME`. */
const beside = (script: string, options: RunOptions = {}, ...flags: string[]): Promise<Result> =>
  home.svc(['sandbox', 'exec', ...flags, '--', 'sh', '-c', script], {
    wire: true,
    ...options,
    env: { PATH: process.env['PATH'] ?? '', ...options.env },
  });
const told = (name: string): string => readFileSync(join(home.home, name), 'utf8');

it('gets nothing that was set for svc', async () => {
  const env = { SVC_API_KEY: 'svc_live_real', SVC_WEBHOOK_SECRET: 'whsec_real', SVC_PROFILE: 'shop' };
  expect(await beside('env > "$HOME/env"', { env })).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  expect(told('env')).toMatch(/^SVC_API_KEY=svc_test_/m);
  expect(told('env')).not.toMatch(/real|SVC_PROFILE|SVC_WEBHOOK_SECRET|SVC_ENV/);
  expect(await beside('env > "$HOME/env"', {}, '--live')).toMatchObject({ exitCode: 0 });
  expect(told('env')).toMatch(/^SVC_API_KEY=svc_live_sandbox_/m);
});

it.each([
  ['exit 3', 3],
  ['kill -TERM $$', 143],
])('ends as the command ends: %s', async (script, exitCode) => {
  expect(await beside(script)).toMatchObject({ exitCode, stdout: '', stderr: '' });
});

it('passes a signal on', async () => {
  const controller = new AbortController();
  const ended = beside(`trap 'exit 9' INT; echo > "$HOME/ready"; while :; do sleep 0.05; done`, {
    signal: controller.signal,
  });
  await expect.poll(() => existsSync(join(home.home, 'ready'))).toBe(true);
  controller.abort(new Stopped('SIGINT', 130));
  expect(await ended).toMatchObject({ exitCode: 9 });
});

it('ends what the command left behind, and waits for it', async () => {
  const left = `(trap 'echo > "$HOME/ended"; exit' TERM; echo > "$HOME/ready"; while :; do sleep 0.05; done) &`;
  expect(await beside(`${left} while ! test -e "$HOME/ready"; do sleep 0.05; done`)).toMatchObject({
    exitCode: 0,
  });
  expect(existsSync(join(home.home, 'ended'))).toBe(true);
});
