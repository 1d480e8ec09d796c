import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { environment, SHELL_COMMAND } from '../support/program.js';
import { pageOf } from '../support/readme.js';
import { freePort } from '../support/serving.js';
import { payout } from '../support/requests.js';
import { eachWorld } from '../support/svc.js';

const DOCUMENT = pageOf('docs/receive-events.md');

const home = eachWorld(new Date().toISOString());
let child: ChildProcess | null = null;
afterEach(() => endGroup('SIGKILL'));

function endGroup(signal: NodeJS.Signals): void {
  if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null)
    process.kill(-child.pid, signal);
}

const svc = (words: string) => home.svc(words, { wire: true });

it('the receiver for a shell handles each event once, from webhooks and from the feed', async () => {
  const [, handler] = /^```\w+ handle-event\n([^]*?)^```$/m.exec(DOCUMENT)!;
  writeFileSync(join(home.home, 'handle-event'), handler!, { mode: 0o755 });
  const port = await freePort();
  const [, line = ''] = /^(svc webhooks listen --port 3000 \| .*)$/m.exec(DOCUMENT) ?? [];
  const script = `svc() { ${SHELL_COMMAND} "$@"; }; ${line.replace('3000', String(port))}`;
  const options = { cwd: home.home, env: environment(home.home), detached: true };
  child = spawn('bash', ['-c', script], { ...options, stdio: ['ignore', 'inherit', 'ignore'] });
  const url = `http://127.0.0.1:${String(port)}/`;
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  await expect.poll(answers, { timeout: 40_000 }).toBe(true);
  await home.svc(payout());
  const to = `--to ${url}`;
  expect((await svc(`webhooks trigger payin.failed ${to} --duplicate`)).exitCode).toBe(0);
  expect((await svc(`events forward ${to} --no-follow`)).exitCode).toBe(0);
  const log = join(home.home, 'events.ndjson');
  const handled = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
  await expect.poll(() => handled().length, { timeout: 40_000 }).toBe(2);
  const types = handled().map((text) => (JSON.parse(text) as { type: string }).type);
  expect(types).toEqual(['payin.failed', 'payout.confirmed']);
  const ended = once(child, 'close');
  endGroup('SIGTERM');
  await ended;
  const tail = ['events', 'tail', '--no-follow', '--checkpoint', 'orders'];
  expect((await home.svc([...tail, '--exec', `cd '${home.home}' && ./handle-event`])).exitCode).toBe(0);
  expect(handled()).toHaveLength(2);
});
