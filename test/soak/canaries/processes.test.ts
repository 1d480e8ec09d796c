/** Every run tests a few commands, and `npm run test:soak` tests all of them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_IDS } from '../../../src/registry.js';
import { PROGRAM } from '../../support/program.js';
import { testFolder } from '../../support/test-folder.js';
import { runClient } from '../requests/client.js';
import { recordFigures } from '../figures.js';
import { NO_REDACTOR, programOf } from '../requests/program.js';
import { startSandbox, type Sandbox } from '../sandbox.js';
import { serving } from '../../support/serving.js';
import { filesBelow } from './cage.js';
import {
  canariesOf,
  CODE,
  ENV_SECRET,
  FILE_SECRET,
  leaksIn,
  secret,
  type Canary,
  type Place,
} from './canaries.js';
import { writeFiles } from './files.js';
import { KEY_STDIN, linesOf, SERVERS, type Line } from './lines.js';

const LONG_MS = 8000;

async function watch(
  program: string,
  { words, stdin = '' }: Line,
  env: Readonly<Record<string, string>>,
  isServer = false,
) {
  const options = { env: { PATH: process.env['PATH'] ?? '', ...env } };
  const child = spawn(process.execPath, [program, ...words], options);
  const seen = { argv: new Set<string>(), children: new Set<string>() };
  let [stdout, stderr] = ['', ''];
  const stop = (): void => void child.kill('SIGTERM');
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
    if (isServer) stop();
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
    if (isServer && stderr.includes(' at http://')) stop();
  });
  const enough = globalThis.setTimeout(stop, LONG_MS);
  child.stdin.on('error', () => undefined).end(stdin);
  const ended = once(child, 'close').then(() => 'ended' as const);
  do look(child.pid ?? -1, seen);
  while ((await Promise.race([ended, setTimeout(3, 'still there' as const)])) !== 'ended');
  clearTimeout(enough);
  return { stdout, stderr, argv: [...seen.argv].join('\n'), children: [...seen.children].join('\n') };
}

function look(
  pid: number,
  { argv, children }: { readonly argv: Set<string>; readonly children: Set<string> },
): void {
  const own = read(`/proc/${String(pid)}/cmdline`);
  argv.add(own);
  for (const descendant of descendantsOf(pid)) {
    const its = read(`/proc/${String(descendant)}/cmdline`);
    if (its === own) continue;
    children.add(its).add(read(`/proc/${String(descendant)}/environ`));
  }
}

function descendantsOf(pid: number): number[] {
  const tasks = list(`/proc/${String(pid)}/task`);
  const children = tasks.flatMap((task) => read(`/proc/${String(pid)}/task/${task}/children`).split(' '));
  return children
    .filter((text) => text !== '')
    .flatMap((text) => [Number(text), ...descendantsOf(Number(text))]);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

const IS_SOAK = process.env['SOAK'] !== undefined;
const IN_EVERY_RUN = ['events tail', 'payins confirm', 'sandbox start'];
const LIMIT = { timeout: 120_000 };
const SUITE = 'Secrets, searched for';
const LOUD = { DEBUG: '*', NODE_DEBUG: '*' };

const folder = testFolder();
let sandbox: Sandbox;
let repeating: Awaited<ReturnType<typeof startRepeating>>;
let canaries: Canary[];
let runs = 0;
let leaked = 0;

const record = (run: string, lines: number, leaks: number): void =>
  recordFigures({ suite: SUITE, run, counts: { 'command lines': lines, 'secrets seen': leaks } });

beforeAll(async () => {
  sandbox = await startSandbox(join(folder, 'service.db'), folder, '--code', CODE);
  repeating = await startRepeating();
  canaries = [...canariesOf(sandbox.key), secret('the key on standard input', KEY_STDIN)];
});

afterAll(async () => {
  await repeating.stop();
  await sandbox.stop();
});

const startRepeating = () =>
  serving(({ headers }, response, body) => {
    const message = `${headers.authorization ?? ''} ${body.toString('utf8')}`;
    response.writeHead(500, { 'content-type': 'application/json', 'x-request-id': message.split(' ')[1] });
    response.end(JSON.stringify({ error: { code: 'server_error', message } }));
  });

async function prepare(name: string) {
  const home = join(folder, name.replaceAll(' ', '-'));
  const files = join(home, 'files');
  mkdirSync(files, { recursive: true });
  writeFiles(files, { key: sandbox.key, secret: FILE_SECRET });
  const setting = { program: PROGRAM, home, env: { SVC_BASE_URL: origin(), SVC_API_KEY: sandbox.key } };
  const { stdout } = await runClient(setting, ['payins', 'create', '--data', `@${files}/payin.json`]);
  await runClient(setting, ['payouts', 'batch', `${files}/payouts.csv`, '--yes', '--batch', 'canaries']);
  return { home, ready: { id: (JSON.parse(stdout) as { id: string }).id, key: 'canary-key-1', files } };
}

const origin = (): string => `http://127.0.0.1:${String(sandbox.port)}`;

async function leaksOf(
  program: string,
  line: Line,
  { home, ready }: Awaited<ReturnType<typeof prepare>>,
  baseUrl: string,
  isServer = false,
) {
  runs += 1;
  const env = {
    ...{ ...LOUD, HOME: home, SVC_BASE_URL: baseUrl },
    ...{ SVC_API_KEY: sandbox.key, SVC_WEBHOOK_SECRET: ENV_SECRET },
  };
  const { stdout, stderr, argv, children } = await watch(program, line, env, isServer);
  const words = line.words.join(' ');
  const seen = 'files/seen-by-child';
  const files = filesBelow(home).filter(([path]) => !path.startsWith('files/') || path === seen);
  const places: readonly (readonly [Place, string])[] = [
    [{ name: 'stdout' }, stdout],
    [{ name: 'stderr' }, stderr],
    [{ name: 'arguments' }, argv],
    [{ name: 'child' }, children],
    ...files.map(([path, text]) => [{ name: 'file', path }, text] as const),
  ];
  rmSync(join(ready.files, 'seen-by-child'), { force: true });
  // Every user can read the arguments of a process, so svc refuses a key in an argument.
  const isTyped = ({ text }: Canary, { name }: Place) => name === 'arguments' && words.includes(text);
  return leaksIn(places, canaries, words, isTyped);
}

describe('a process under DEBUG=* and NODE_DEBUG=* shows no canary', () => {
  const mine = COMMAND_IDS.filter((id) => IS_SOAK || IN_EVERY_RUN.includes(id));

  it.each(mine)('svc %s', LIMIT, async (id) => {
    const cage = await prepare(id);
    const isServer = SERVERS.includes(id);
    const leaks: string[] = [];
    const lines = await linesOf(id, cage.ready);
    for (const line of IS_SOAK ? lines : lines.slice(0, 1)) {
      const loud = { ...line, words: [...line.words, '--debug'] };
      leaks.push(...(await leaksOf(PROGRAM, loud, cage, origin(), isServer)));
      const isQuick = IS_SOAK || id === 'payins confirm';
      if (isQuick && !isServer) leaks.push(...(await leaksOf(PROGRAM, loud, cage, repeating.url)));
    }
    leaked += leaks.length;
    expect(leaks).toEqual([]);
  });

  it('often enough', () => {
    expect(runs).toBeGreaterThanOrEqual(mine.length);
    record('processes', runs, leaked);
  });
});

it('the harness sees a redactor that hides nothing', LIMIT, async () => {
  const [program, cage] = [await programOf(NO_REDACTOR), await prepare('no redactor')];
  const leaks = await leaksOf(program, { words: ['balances'] }, cage, repeating.url);
  expect(leaks.join('\n')).toMatch(/the API key \(plain\) in stderr/);
  record('control: a redactor that hides nothing', 1, leaks.length);
});

it('the harness sees what stands in the arguments of a process and of its children', LIMIT, async () => {
  const cage = await prepare('arguments');
  const program = join(cage.home, 'leaky.mjs');
  writeFileSync(
    program,
    `import { spawnSync } from 'node:child_process';
     if (process.argv[2] === 'again') setTimeout(() => undefined, 200);
     else spawnSync(process.execPath, [process.argv[1], 'again', process.env.SVC_API_KEY]);`,
  );
  const leaks = await leaksOf(program, { words: ['leak'] }, cage, repeating.url);
  expect(leaks.join('\n')).toMatch(/the API key \(plain\) in child/);
});
