import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../../support/program.js';
import { testFolder } from '../../support/test-folder.js';
import { payoutLine, runClient, startClient, type Setting } from './client.js';
import { openLine, type Line } from './line.js';
import { startSandbox, type Sandbox } from '../sandbox.js';

const SOAK = process.env['SOAK'] !== undefined;
const PROCESSES = SOAK ? 20 : 4;
const LIMIT_MS = 120_000;

const home = testFolder();
let sandbox: Sandbox;
let line: Line;

beforeAll(async () => {
  sandbox = await startSandbox(join(home, 'service.db'), home);
  line = await openLine(sandbox.port);
});

afterAll(async () => {
  await line.close();
  await sandbox.stop();
});

const setting = (name: string): Setting => ({
  ...{ program: PROGRAM, home: join(home, name) },
  env: { SVC_BASE_URL: line.url, SVC_API_KEY: sandbox.key },
});
const count = async (reference: string): Promise<number> =>
  (await sandbox.operations()).filter((one) => one.reference === reference).length;
const open = async (where: Setting): Promise<unknown[]> => {
  const { stdout } = await runClient(where, ['requests', 'list', '--json']);
  return (JSON.parse(stdout) as { requests: unknown[] }).requests;
};

it(
  `${String(PROCESSES)} processes with one key, on a machine that has no journal yet, make one operation and leave nothing open`,
  async () => {
    const where = setting('one-key');
    const create = [...payoutLine('one key'), '--idempotency-key', 'the-one-key'];
    const results = await Promise.all(Array.from({ length: PROCESSES }, () => runClient(where, create)));
    expect(results.map(({ code }) => code)).toEqual(results.map(() => 0));
    expect(new Set(results.map(({ stdout }) => (JSON.parse(stdout) as { id: string }).id)).size).toBe(1);
    expect(await count('one key')).toBe(1);
    expect(await open(where)).toEqual([]);
  },
  LIMIT_MS,
);

describe('a file system that takes no more', () => {
  const createWith = (limit: number): Promise<{ code: number; stdout: string; stderr: string }> => {
    const { home: folder, env } = setting(`limit-${String(limit)}`);
    const words = payoutLine(`limit ${String(limit)}`).map((word) => `'${word}'`);
    const command = `ulimit -f ${String(limit)}; exec '${process.execPath}' '${PROGRAM}' ${words.join(' ')}`;
    const options = { env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...env } };
    return new Promise((resolve) => {
      execFile('bash', ['-c', command], options, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
      );
    });
  };

  it.each([1, 8, 24])('at %s KiB: 16 where the journal does not fit, and nothing was sent', async (limit) => {
    const { code, stdout, stderr } = await createWith(limit);
    expect([code, stdout]).toEqual([16, '']);
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      error: { outcome: 'not_sent' },
    });
    expect(await count(`limit ${String(limit)}`)).toBe(0);
  });

  it('an operation in hand is no failure where only the note about it does not fit any more', async () => {
    const noted: number[] = [];
    for (let limit = 28; limit <= 96 && (SOAK || noted.length === 0); limit += 4) {
      const { code, stdout, stderr } = await createWith(limit);
      expect([0, 16]).toContain(code);
      expect(await count(`limit ${String(limit)}`)).toBe(code === 0 ? 1 : 0);
      if (code === 0) expect(JSON.parse(stdout)).toMatchObject({ status: 'confirmed' });
      if (!stderr.includes('stays in "svc requests list"')) continue;
      noted.push(limit);
      const where = setting(`limit-${String(limit)}`);
      const [request] = (await open(where)) as { idempotency_key: string }[];
      const repeated = await runClient(where, ['requests', 'repeat', request?.idempotency_key ?? '']);
      expect([repeated.code, JSON.parse(repeated.stdout)]).toEqual([0, JSON.parse(stdout)]);
      expect(await count(`limit ${String(limit)}`)).toBe(1);
    }
    expect(noted).not.toEqual([]);
  }, 120_000);
});

it('an interruption in flight ends with 130 at once, keeps the request, and the way on is repeated', async () => {
  const where = setting('interrupted');
  const create = [...payoutLine('interrupted'), '--idempotency-key', 'interrupted-1'];
  const arrived = new Promise<void>((resolve) => {
    line.onPost = async (post) => {
      await post.carryOut();
      resolve();
    };
  });
  const client = startClient(where, create, null);
  await arrived;
  line.onPost = null;
  process.kill(client.pid, 'SIGINT');
  expect(await client.ended).toBe(130);
  expect(await open(where)).toMatchObject([{ idempotency_key: 'interrupted-1', repeatable: true }]);
  expect((await runClient(where, ['requests', 'repeat', 'interrupted-1'])).code).toBe(0);
  expect(await count('interrupted')).toBe(1);
  expect(await open(where)).toEqual([]);
});

it('a request to the embedded sandbox is repeated through the server that owns its store by then, and the other way round', async () => {
  const where: Setting = { program: PROGRAM, home: join(home, 'embedded'), env: {} };
  const lost = (reference: string): Promise<{ code: number | null }> =>
    runClient(where, [...payoutLine(reference), '--idempotency-key', `key-${reference}`]);
  const drop = ['sandbox', 'fault', '--route', 'payouts.create', '--kind', 'drop-after', '--count', '3'];
  const store = join(where.home, '.local/share/svc/sandbox.db');
  await runClient(where, drop);
  expect((await lost('in-process')).code).toBe(12);

  const owner = await startSandbox(store, where.home);
  const operations = async (): Promise<string[]> =>
    (await owner.operations()).map(({ reference }) => reference);
  expect((await runClient(where, ['requests', 'repeat', 'key-in-process'])).code).toBe(0);
  expect(await operations()).toEqual(['in-process']);
  await runClient(where, drop);
  expect((await lost('by-server')).code).toBe(12);
  expect(await open(where)).toMatchObject([{ idempotency_key: 'key-by-server', address: 'embedded' }]);
  await owner.stop();

  expect((await runClient(where, ['requests', 'repeat', 'key-by-server'])).code).toBe(0);
  const { stdout } = await runClient(where, ['events', 'list', '--all', '--jq', '.data.reference']);
  expect(stdout.trim().split('\n')).toEqual(['in-process', 'by-server']);
}, 180_000);
