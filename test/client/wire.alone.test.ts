import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import nock from 'nock';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient, type Client } from '../../src/client/client.js';
import { conclude } from '../../src/client/conclusion.js';
import { createUndiciTransport, type UndiciTransport } from '../../src/client/undici.js';
import { systemClock } from '../../src/runtime/clock.js';
import { fakeClock } from '../support/fake-clock.js';
import { failedOperation, ID, NOW_MS, operation, plainRandom } from './doubles.js';
import { bodyOf, headerOfRequest, http, wireServer, type Behaviour } from './wire-server.js';

const opened: UndiciTransport[] = [];

afterEach(async () => await Promise.all(opened.splice(0).map((transport) => transport.close())));

function clientOf(baseUrl: string): Client {
  const transport = createUndiciTransport({ clock: systemClock });
  opened.push(transport);
  return createClient({
    ...{ environment: 'sandbox', transport: transport.send, clock: fakeClock(NOW_MS), random: plainRandom() },
    ...{ baseUrl, key: 'svc_test_abc', userAgent: 'svc/1', timeoutMs: 5000 },
  });
}

const body = Buffer.from('{ "amount": "1.10", "reference": "ñ" }\n');
const json = (value: unknown): string => JSON.stringify(value);

function inTurn(...behaviours: readonly Behaviour[]): Behaviour {
  return (socket, count, request) =>
    behaviours[Math.min(count, behaviours.length) - 1]?.(socket, count, request);
}

describe('a create', () => {
  it.each<[string, Behaviour]>([
    ['resets', (socket) => socket.resetAndDestroy()],
    ['closes', (socket) => socket.end()],
    ['answers half', (socket) => socket.end('HTTP/1.1 201 Created\r\ncontent-length: 500\r\n\r\n{"id":')],
    ['answers HTML', (socket) => socket.write(http(200, '<html>'))],
    ['answers nothing with 200', (socket) => socket.write(http(200, ''))],
    ['answers 502', (socket) => socket.write(http(502, 'Bad Gateway'))],
    ['answers 503 without the envelope', (socket) => socket.write(http(503, '<html>'))],
  ])(
    'that a server reads and then %s is sent three times, same key, same bytes, and ends in 12',
    async (_name, behave) => {
      await using server = await wireServer(behave);
      const conversation = await clientOf(server.url).call('payins.create', { body });
      expect(server.requests).toHaveLength(3);
      expect(new Set(server.requests).size).toBe(1);
      const [request = ''] = server.requests;
      expect(bodyOf(request)).toBe(body.toString('latin1'));
      expect(headerOfRequest(request, 'idempotency-key')).toBe(conversation.idempotencyKey);
      expect(headerOfRequest(request, 'content-length')).toBe(String(body.length));
      expect(conclude(conversation)).toMatchObject({
        ...{ exitCode: 12, outcome: 'unknown', next: { kind: 'repeat', key: conversation.idempotencyKey } },
      });
    },
  );

  it('that was carried out behind a cut connection is found by its key', async () => {
    await using server = await wireServer(
      inTurn(
        (socket) => socket.resetAndDestroy(),
        (socket) => socket.write(http(201, json(operation('confirmed', { reference: 'ñ' })))),
      ),
    );
    const conclusion = conclude(await clientOf(server.url).call('payouts.create', { body }));
    expect(conclusion).toMatchObject({ exitCode: 0, operation: { id: ID } });
    expect(server.requests).toHaveLength(2);
  });
});

describe('a confirmation', () => {
  it.each([
    [operation('confirmed'), 0],
    [failedOperation('code_rejected'), 9],
    [operation('pending', { pending_reason: 'awaiting_code' }), 12],
  ])(
    'whose answer is lost is sent once, looked up once, and ends by its state (%#)',
    async (state, exitCode) => {
      await using server = await wireServer(
        inTurn(
          (socket) => socket.resetAndDestroy(),
          (socket) => socket.write(http(200, json(state))),
        ),
      );
      const conversation = await clientOf(server.url).call('payins.confirm', { id: ID, body });
      expect(server.requests.map((request) => request.split(' HTTP', 1)[0])).toEqual([
        `POST /v2/payins/${ID}/confirm`,
        `GET /v2/payins/${ID}`,
      ]);
      expect(conclude(conversation).exitCode).toBe(exitCode);
    },
  );
});

describe('nock', () => {
  afterEach(() => {
    nock.cleanAll();
    nock.restore();
  });

  it('stands in for the service', async () => {
    if (!nock.isActive()) nock.activate();
    nock('https://api.example.com').get('/v2/balances').reply(429, '', { 'retry-after': '1' });
    nock('https://api.example.com').get('/v2/balances').reply(200, { balances: [] });
    const conversation = await clientOf('https://api.example.com').call('balances');
    expect(conversation.attempts.map(({ kind }) => kind)).toEqual(['unavailable', 'success']);
  });
});

describe('a process', () => {
  async function run(program: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-client-'));
    try {
      const file = join(folder, 'program.mjs');
      const source = new URL('../../src', import.meta.url).pathname;
      const bundle = await build({
        stdin: { contents: program.replaceAll('SRC', source), resolveDir: source, loader: 'ts' },
        ...{ bundle: true, write: false, platform: 'node', format: 'esm' },
        banner: {
          js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
        },
      });
      await writeFile(file, bundle.outputFiles[0]?.contents ?? '');
      const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] });
      let printed = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      }
      await new Promise((resolve) => child.once('close', resolve));
      return printed;
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  const imports = `
    import { createUndiciTransport } from 'SRC/client/undici.js';
    import { systemClock } from 'SRC/runtime/clock.js';
    const transport = createUndiciTransport({ clock: systemClock, connectTimeoutMs: 600_000 });
    const request = (url) => ({ method: 'GET', url, headers: {}, body: null });`;

  it('is not held by a connection that stays open for the next request', async () => {
    await using server = await wireServer((socket) =>
      socket.write(http(200, '{}', { 'keep-alive': 'timeout=600' })),
    );
    const printed = await run(`${imports}
      const answer = await transport.send(request('${server.url}'), { timeoutMs: 600_000 });
      console.log(answer.status);`);
    expect(printed).toBe('200\n');
  });

  it('is not held by a connection that was still being opened, once the transport is closed', async () => {
    await using server = await wireServer(() => undefined);
    const printed = await run(`${imports}
      const error = await transport.send(request('https://127.0.0.1:${server.port}'), { timeoutMs: 50 }).catch((error) => error);
      await transport.close();
      console.log(error.reason, error.wasSent);`);
    expect(printed).toBe('timeout false\n');
  });
});
