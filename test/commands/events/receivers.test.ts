/** The receivers of docs/receive-events.md as they are printed there, tried with trigger and forward. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { ROOT } from '../../house/source.js';
import { environment, SHELL_COMMAND } from '../../support/program.js';
import { payout } from '../../support/requests.js';
import { eachWorld } from '../../support/svc.js';

const DOCUMENT = readFileSync(join(ROOT, 'docs/receive-events.md'), 'utf8');

const home = eachWorld(new Date().toISOString());
let child: ChildProcess | null = null;
afterEach(() => {
  endGroup('SIGKILL');
});

/** Each receiver has a process group of its own, so that a pipeline ends as a whole. */
function endGroup(signal: NodeJS.Signals): void {
  if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null)
    process.kill(-child.pid, signal);
}

/** A file of the document, by the name that its block carries. */
function write(folder: string, name: string): string {
  const [, text = ''] =
    new RegExp(`^\`\`\`\\w+ ${name.replace('.', '\\.')}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(DOCUMENT) ?? [];
  expect(text, name).not.toBe('');
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Resolves once something listens there. */
async function listening(port: number): Promise<void> {
  await expect
    .poll(
      () =>
        new Promise<boolean>((resolve) => {
          const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
          socket.once('connect', () => socket.destroy());
        }),
      { timeout: 40_000 },
    )
    .toBe(true);
}

const svc = (words: string) => home.svc(words, { wire: true });
const hasPython = spawnSync('python3', ['--version']).status === 0;

it.each([
  ['node', process.execPath, 'receiver.mjs'],
  ...(hasPython ? [['python', 'python3', 'receiver.py']] : []),
])('the receiver for %s takes what it should, once, and nothing else', async (_language, program, name) => {
  const { stdout: secret } = await svc('events forward --print-secret');
  const port = await freePort();
  const env = environment(home.home, { WEBHOOK_SECRETS: secret.trim(), PORT: String(port) });
  const stdio = ['ignore' as const, 'pipe' as const, 'inherit' as const];
  child = spawn(program, [write(home.home, name)], { env, detached: true, stdio });
  let said = '';
  child.stdout?.on('data', (chunk) => (said += String(chunk)));
  await listening(port);
  const to = `--to http://127.0.0.1:${String(port)}/`;
  const FAULTY = ['payout.failed --bad-signature', 'payout.failed --old'];
  for (const words of ['payin.confirmed --duplicate', 'test.ping', ...FAULTY])
    expect(await svc(`webhooks trigger ${words} ${to}`)).toMatchObject({ exitCode: 0 });
  await home.svc(payout());
  expect((await svc(`events forward ${to} --no-follow`)).exitCode).toBe(0);
  expect((await svc(`events forward ${to} --no-follow`)).exitCode).toBe(0);
  await expect.poll(() => said.trim().split('\n').length).toBe(2);
  expect(said).toMatch(/^payin\.confirmed [0-9a-f-]{36}\npayout\.confirmed [0-9a-f-]{36}\n$/);
});

it('the receiver for a shell handles each event once, from webhooks and from the feed', async () => {
  write(home.home, 'handle-event');
  const port = await freePort();
  const [, line = ''] = /^(svc webhooks listen --port 3000 \| .*)$/m.exec(DOCUMENT) ?? [];
  const script = `svc() { ${SHELL_COMMAND} "$@"; }; ${line.replace('3000', String(port))}`;
  const options = { cwd: home.home, env: environment(home.home), detached: true };
  child = spawn('bash', ['-c', script], { ...options, stdio: ['ignore', 'inherit', 'ignore'] });
  await listening(port);
  await home.svc(payout());
  const to = `--to http://127.0.0.1:${String(port)}/`;
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
