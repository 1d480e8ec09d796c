/** A create that was killed, typed again: real processes, and printed commands as a shell runs them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { COMMAND, environment, SHELL_COMMAND } from '../support/program.js';
import { operation, payout } from '../support/requests.js';
import { json, refusal, startService, type Service } from '../support/service.js';
import { IS_SOAK } from '../support/soak.js';
import { testFolder } from '../support/test-folder.js';

const LINE = [...payout(), '--reference', 'invoice-2048'];

let home: string;
let service: Service;
/** What becomes of the next POSTs: answered, or never. */
let isSilent = false;
let onPost: () => void = () => undefined;

beforeEach(async () => {
  home = testFolder();
  mkdirSync(join(home, 'bin'));
  const program = join(home, 'bin/svc');
  writeFileSync(program, `#!/bin/sh\nexec ${SHELL_COMMAND} "$@"\n`);
  chmodSync(program, 0o755);
  isSilent = false;
  service = await startService((received, response, socket) => {
    if (received.target.includes('/v2/events')) {
      json(200, { events: [], next_cursor: null })(received, response, socket);
      return;
    }
    if (received.method !== 'POST') {
      refusal(404, 'route_not_found')(received, response, socket);
      return;
    }
    const { reference } = JSON.parse(received.body) as { reference?: string };
    if (!isSilent) json(201, operation({ reference }))(received, response, socket);
    onPost();
  });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly error: Record<string, unknown>;
}

/** Runs a program to its end. */
async function ended(file: string, words: readonly string[]): Promise<Ended> {
  const child = spawn(file, words, { env: surroundings(), stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null];
  const last = stderr.trimEnd().split('\n').at(-1) ?? '';
  const { error = {} } = last.startsWith('{') ? (JSON.parse(last) as { error?: Ended['error'] }) : {};
  return { code, stdout, error };
}

function surroundings(): NodeJS.ProcessEnv {
  const env = environment(home, service.env);
  return { ...env, PATH: `${join(home, 'bin')}${delimiter}${env['PATH'] ?? ''}` };
}

const svc = (words: readonly string[]): Promise<Ended> => ended(join(home, 'bin/svc'), words);
const sh = (command: unknown): Promise<Ended> => ended('sh', ['-c', String(command)]);

/** Starts it, and kills it when its request has arrived. */
async function killed(words: readonly string[]): Promise<void> {
  isSilent = true;
  const arrived = new Promise<void>((resolve) => (onPost = resolve));
  const child = spawn(COMMAND[0], [...COMMAND.slice(1), ...words], { env: surroundings(), stdio: 'ignore' });
  await arrived;
  child.kill('SIGKILL');
  await once(child, 'close');
  isSilent = false;
}

it('a create that was killed is refused when it is typed again; what is printed repeats it', async () => {
  await killed(LINE);
  const again = await svc(LINE);
  expect([again.code, again.stdout]).toEqual([13, '']);
  const key = service.calls()[0]?.headers['idempotency-key'];
  expect(again.error).toMatchObject({
    code: 'reference_open',
    outcome: 'unknown',
    next_command: `svc requests repeat -- ${String(key)}`,
  });
  expect(service.calls()).toHaveLength(1);
  const repeated = await sh(again.error['next_command']);
  expect(repeated.code).toBe(0);
  expect(JSON.parse(repeated.stdout)).toMatchObject({ reference: 'invoice-2048' });
  const [first, second, ...more] = service.calls();
  expect([second?.headers['idempotency-key'], second?.body, more]).toEqual([key, first?.body, []]);
  expect((await svc(['requests', 'list', '--jq', '.requests | length'])).stdout).toBe('0\n');
});

it('--new-payment insists after a kill once it was forgotten, with another key', async () => {
  await killed(LINE);
  const key = String(service.calls()[0]?.headers['idempotency-key']);
  expect((await svc([...LINE, '--new-payment', key])).code).toBe(13);
  await svc(['requests', 'forget', '--yes', '--', key]);
  expect((await svc([...LINE, '--new-payment', key])).code).toBe(0);
  const [first, second] = service.calls().map(({ headers }) => headers['idempotency-key']);
  expect(second).not.toBe(first);
  expect((await svc(['requests', 'list', '--jq', '.requests | length'])).stdout).toBe('0\n');
});

const KEYS = [
  ['a leading dash', '-key-2048'],
  ['the look of a flag', '--live-key'],
  ['the look of a flag with a value', '--profile=shop'],
  ['two dashes and nothing', '--------'],
  ['spaces', 'my key  2048'],
  ["a quote, '", "o'hara-2048"],
  ['a double quote', 'the "key" 2048'],
  ['a dollar and a backquote', 'key-$HOME-`id`'],
  ['a star and a tilde', '~/*-key-2048'],
  ['a backslash', 'key\\2048\\n'],
  ['what ends a command', 'key;exit 7 #'],
  ['an exclamation mark', 'key-!!-2048'],
  ['the name of a command', 'requests repeat'],
] as const;
/** Each takes six processes: every third on every run, all of them in `npm run test:soak`. */
const TRIED = IS_SOAK ? KEYS : KEYS.filter((_key, at) => at % 3 === 0);

describe('a key that a shell or a parser would read differently', () => {
  it.each(TRIED)('is repeated as printed: %s', async (_name, key) => {
    await killed([...LINE, `--idempotency-key=${key}`]);
    const again = await svc(LINE);
    expect([again.code, again.error['idempotency_key']]).toEqual([13, key]);
    const next = String(again.error['next_command']);
    expect((await sh(next.replace('repeat', 'show'))).code).toBe(0);
    expect((await sh(next)).code).toBe(0);
    expect(service.calls().map(({ headers }) => headers['idempotency-key'])).toEqual([key, key]);
    // Whatever takes a key takes this one as it is: it is known, and not open any more.
    expect((await sh(next.replace('repeat', 'forget'))).code).toBe(5);
  });
});
