import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { COMMAND } from '../../support/program.js';
import { testFolder } from '../../support/test-folder.js';
import { BODY, SECRET, STAMP, VECTOR, firma } from './samples.js';

let home: string;
beforeEach(() => (home = testFolder()));

async function svc(argv: readonly string[], chunks: readonly Uint8Array[], env: NodeJS.ProcessEnv = {}) {
  const own = { PATH: process.env['PATH'], HOME: home };
  const child = spawn(COMMAND[0], [...COMMAND.slice(1), ...argv], { env: { ...own, ...env } });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.on('error', () => undefined);
  for (const chunk of chunks) child.stdin.write(chunk);
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() };
}

const verify = ['webhooks', 'verify', '--signature', VECTOR.signature, '--timestamp', STAMP, '--at', STAMP];

it('verifies the published vector, byte by byte', async () => {
  const bytes = [...BODY].map((byte) => Uint8Array.of(byte));
  const { code, stdout, stderr } = await svc(verify, bytes, { SVC_WEBHOOK_SECRET: SECRET });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.equals(Buffer.from(`${VECTOR.body}\n`))).toBe(true);
});

it('leaves nothing behind, neither a sandbox nor a setting', async () => {
  await svc(verify, [BODY], { SVC_WEBHOOK_SECRET: SECRET });
  expect(
    readdirSync(home, { recursive: true })
      .map(String)
      .filter((name) => !/^\.cache(\/svc(\/compiled(\/.*)?)?)?$/.test(name)),
  ).toEqual([]);
});

it('rejects 10 MB without hanging, in bounded memory', async () => {
  const chunks = Array<Uint8Array>(100).fill(Buffer.alloc(100_000, 0x20));
  const env = { SVC_WEBHOOK_SECRET: SECRET, NODE_OPTIONS: '--max-old-space-size=48' };
  const { code, stdout, stderr } = await svc(verify, chunks, env);
  expect([code, stdout.length]).toEqual([17, 0]);
  expect(stderr).toContain('body_too_large');
});

it('takes invalid UTF-8 as the bytes that they are', async () => {
  const body = Buffer.from(VECTOR.body.replace('VES', 'V\xff\xfe'), 'latin1');
  const { code, stderr } = await svc(verify.with(3, firma(body)), [body], { SVC_WEBHOOK_SECRET: SECRET });
  expect([code, stderr]).toEqual([17, expect.stringContaining('not valid UTF-8')]);
});

it('prints no secret, whatever goes wrong', async () => {
  const file = join(home, 'secret');
  writeFileSync(file, `${SECRET}\n`, { mode: 0o600 });
  const noisy = { DEBUG: '*', NODE_DEBUG: '*', SVC_WEBHOOK_SECRET: SECRET };
  const explained = ['webhooks', 'verify', '--debug', '--explain', '--timestamp', STAMP, '--signature'];
  for (const argv of [
    [...explained, firma('x'), '--secret-file', file],
    [...explained, firma('x', STAMP, `${SECRET}\n`)],
    ['webhooks', 'sign', '--debug', '--nonsense'],
    ['webhooks', 'verify', '--secret', SECRET],
    [...verify, '--debug'],
  ]) {
    const { stdout, stderr } = await svc(argv, [BODY], noisy);
    expect(stdout.toString() + stderr).not.toContain(SECRET);
  }
}, 180_000);
