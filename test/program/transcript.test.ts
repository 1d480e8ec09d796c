/** The life of every method, embedded and against a server of its own process: the two transcripts are equal. */
import { spawn, type ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { COMMAND, environment } from '../support/program.js';
import { world, type RunOptions, type World } from '../support/svc.js';
import { LIFE, type Step } from './life.js';

interface Said {
  readonly type: string;
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

const embedded = world();
const remote = world();
let server: ChildProcess;
let ready: Record<string, string>;

beforeAll(async () => {
  const args = [...COMMAND.slice(1), 'sandbox', 'start', '--port', '0', '--store', ':memory:', '--json'];
  server = spawn(COMMAND[0], args, { env: environment(remote.home), stdio: ['ignore', 'pipe', 'ignore'] });
  const first = await new Promise<string>((resolve) => {
    server.stdout?.once('data', (chunk) => resolve(String(chunk)));
  });
  ready = JSON.parse(first) as Record<string, string>;
});

afterAll(async () => {
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  expect(await ended).toBe(143);
});

it.each(Object.entries(LIFE))('the life of every method %s', async (_, steps) => {
  const inside = await play(embedded, steps, {});
  const { base_url: url = '', api_key: key = '' } = ready;
  const outside = await play(remote, steps, { env: { SVC_BASE_URL: url, SVC_API_KEY: key }, wire: true });
  expect(outside).toEqual(inside);
});

it('says on every embedded command, and on no other, that nothing is configured', async () => {
  expect((await embedded.svc('balances')).stderr).toMatch(/^Embedded sandbox: [^\n]*\n$/);
  const { base_url: url = '', api_key: key = '' } = ready;
  const answer = await remote.svc('balances', { env: { SVC_BASE_URL: url, SVC_API_KEY: key }, wire: true });
  expect(answer).toMatchObject({ exitCode: 0, stderr: '' });
});

/** Ids that stand for themselves in every world. */
const kept = new Map<World, Map<string, string>>();

async function play(world: World, steps: readonly Step[], options: RunOptions): Promise<Said[]> {
  const ids = kept.get(world) ?? new Map<string, string>();
  kept.set(world, ids);
  const said: Said[] = [];
  for (const step of steps) {
    const typed = typeof step.type === 'string' ? step.type.split(' ') : step.type;
    const argv = typed.map((word) => word.replace(/^\$([A-Z])$/, (_, name: string) => ids.get(name) ?? ''));
    const result = await world.svc(argv, { ...options, stdin: step.stdin ?? '' });
    expect(result, `svc ${typed.join(' ')}\n${result.stderr}`).toMatchObject({ exitCode: step.exit });
    if (step.shows !== undefined) expect(result.json()).toMatchObject(step.shows);
    if (step.error !== undefined) {
      expect(result.error()).toMatchObject({ ...step.error, exit_code: step.exit });
    }
    if (step.keep !== undefined) ids.set(step.keep, String(result.json()['id']));
    said.push({ type: typed.join(' '), exit: result.exitCode, ...normalised(result) });
  }
  return said;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Ids, times and random keys differ from run to run; nothing else may. */
function normalised({ stdout, stderr }: { stdout: string; stderr: string }) {
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `<id ${names.size}>`;
    names.set(id, name);
    return name;
  };
  const settle = (text: string): string =>
    text
      .replace(/^Embedded sandbox: .*\n/m, '')
      .replace(UUID, nameOf)
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>')
      .replace(/(Cobro|Pago) ([A-Z]{3})[0-9A-F]{6}/g, '$1 $2<id>')
      .replace(/\b[0-9a-f]{32}\b/g, '<key>')
      .replace(/"next_cursor":"[^"]+"/g, '"next_cursor":"<cursor>"');
  return { stdout: settle(stdout), stderr: settle(stderr) };
}
