import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { ids, eventJson, pageBody } from '../feed/feed.js';
import { postgresTables } from '../support/into-tables.js';
import { startPostgres } from '../support/postgres.js';
import { COMMAND, environment } from '../support/program.js';
import { startService, type Service } from '../support/service.js';
import { serving } from '../support/serving.js';
import { testFolder } from '../support/test-folder.js';

const SOON = { timeout: 60_000, interval: 50 };

let home: string;
let list: string[];
let service: Service;
beforeEach(async () => {
  home = testFolder();
  list = [];
  service = await startService(({ target }, response) => {
    const from = Number(new URL(target, 'http://x').searchParams.get('cursor') ?? 0);
    const part = list.slice(from, from + 200);
    const body = pageBody(
      part.map((id) => eventJson(id, {}).replace('2026-09-23T15:00:00Z', new Date().toISOString())),
      String(from + part.length),
    );
    response.writeHead(200, { 'content-type': 'application/json', date: new Date().toUTCString() }).end(body);
  });
});

interface Running {
  readonly child: ChildProcess;
  readonly said: () => string;
  readonly ended: Promise<number | null>;
}

function start(line: string | readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const words = typeof line === 'string' ? line.split(' ') : line;
  const child = spawn(COMMAND[0], [...COMMAND.slice(1), ...words], {
    env: environment(home, { ...service.env, ...env }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, said: () => said, ended };
}

async function receiver(port = 0) {
  const got: string[] = [];
  const traces: unknown[] = [];
  const serve = await serving(({ headers }, response) => {
    got.push(String(headers['x-id-evento']));
    traces.push(headers['traceparent']);
    response.writeHead(204).end();
  }, port);
  onTestFinished(serve.stop);
  return { ...serve, got, traces };
}

function get(url: string, options: { method?: string; host?: string } = {}) {
  return new Promise<{ status: number; body: string; connection: string | undefined }>((resolve, reject) => {
    const headers = options.host === undefined ? {} : { host: options.host };
    httpRequest(url, { method: options.method ?? 'GET', headers, agent: false }, (answer) => {
      let body = '';
      answer.on('data', (chunk) => (body += String(chunk)));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, body, connection: answer.headers.connection }),
      );
    })
      .on('error', reject)
      .end();
  });
}

async function healthOf({ said }: Running): Promise<string> {
  const port = (): string => /http:\/\/127\.0\.0\.1:(\d+)\/healthz/.exec(said())?.[1] ?? '';
  await expect.poll(port, SOON).not.toBe('');
  return `http://127.0.0.1:${port()}`;
}

const stateOf = async (url: string): Promise<string> => {
  const { status, body } = await get(`${url}/healthz`);
  const { status: word } = JSON.parse(body) as { status: string };
  return `${String(status)} ${word}`;
};

const metricOf = async (url: string, name: string): Promise<number> =>
  Number(new RegExp(`^${name} (.*)$`, 'm').exec((await get(`${url}/metrics`)).body)?.[1]);

it('a dead receiver turns health red though nothing comes behind the event that is stuck; a live one turns it green again', async () => {
  const alive = await receiver();
  const running = start(
    `events forward --to http://127.0.0.1:${String(alive.port)}/ --checkpoint hooks --health 0 --max-lag 3s --interval 100ms`,
  );
  const url = await healthOf(running);
  await expect.poll(() => stateOf(url), SOON).toBe('200 ok');
  list.push('e1');
  await expect.poll(() => alive.got, SOON).toEqual(['e1']);
  await expect.poll(() => metricOf(url, 'svc_events_accepted_total'), SOON).toBe(1);
  expect(await stateOf(url)).toBe('200 ok');

  await alive.stop();
  list.push('e2');
  await expect.poll(() => stateOf(url), SOON).toBe('503 not_accepted');
  expect(JSON.parse((await get(`${url}/healthz`)).body)).toMatchObject({
    ...{ lag_events: 1, max_lag_seconds: 3 },
    why: expect.stringMatching(
      /^Event e2 has not been accepted for \d+ s, and all others wait behind it\.$/,
    ) as string,
  });
  expect(await metricOf(url, 'svc_healthy')).toBe(0);
  expect(await metricOf(url, 'svc_attempts_refused_total')).toBeGreaterThan(0);

  const again = await receiver(alive.port);
  await expect.poll(() => stateOf(url), SOON).toBe('200 ok');
  expect(again.got).toEqual(['e2']);
  running.child.kill('SIGTERM');
  expect(await running.ended).toBe(143);
  await expect(get(`${url}/healthz`)).rejects.toThrow();

  list.push('e3');
  const next = start(
    `events forward --to http://127.0.0.1:${String(alive.port)}/ --checkpoint hooks --no-follow`,
  );
  expect(await next.ended).toBe(0);
  expect(again.got).toEqual(['e2', 'e3']);
});

it('answers this machine, one question a connection, and holds nothing up at the end', async () => {
  list.push(...ids(3));
  const running = start('events tail --health 0');
  const url = await healthOf(running);
  await expect.poll(() => stateOf(url), SOON).toBe('200 ok');
  const port = new URL(url).port;
  const closed = { connection: 'close' };
  const head = await get(`${url}/healthz`, { method: 'HEAD' });
  expect(head).toEqual({ status: 200, body: '', ...closed });
  const rebound = await get(`${url}/healthz`, { host: `rebound.example:${port}` });
  expect(rebound).toMatchObject({ status: 400, ...closed });
  const { connect } = await import('node:net');
  const silent = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  const tunnel = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  tunnel.write('CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(silent, 'connect');
  expect(await stateOf(url)).toBe('200 ok');
  running.child.kill('SIGINT');
  expect(await running.ended).toBe(130);
  silent.destroy();
  tunnel.destroy();
});

const server = await startPostgres();

it.skipIf(server === null)('a database that hangs turns it red, and green once it goes on', async () => {
  const tables = postgresTables(server!);
  const words = ['events', 'tail', '--into', tables.into, '--create', '--health', '0', '--max-lag', '2s'];
  list.push('e1');
  const running = start([...words, '--interval', '100ms'], tables.env);
  const url = await healthOf(running);
  const rows = async (): Promise<number> => (await tables.query('SELECT id FROM svc_events')).length;
  await expect.poll(() => rows().catch(() => 0), SOON).toBe(1);
  await expect.poll(() => stateOf(url), SOON).toBe('200 ok');
  const held = tables.change(
    'BEGIN; LOCK TABLE svc_events IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(8); COMMIT',
  );
  const locks = async (): Promise<unknown[]> =>
    server!.query(`SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted`);
  await expect.poll(locks, SOON).not.toEqual([]);
  list.push('e2');
  await expect.poll(() => stateOf(url), SOON).toBe('503 checkpoint');
  await held;
  await expect.poll(() => stateOf(url), SOON).toBe('200 ok');
  expect(await rows()).toBe(2);
  running.child.kill('SIGTERM');
  expect(await running.ended).toBe(143);
});

function systemd(watchdogMs: number) {
  const log = join(home, 'told');
  writeFileSync(
    join(home, 'systemd-notify'),
    `#!/bin/sh\nenv > '${home}/seen'\nprintf '%s\\n' "$*" >> '${log}'\n`,
    { mode: 0o755 },
  );
  appendFileSync(log, '');
  const env = {
    ...{ NOTIFY_SOCKET: '@svc-test', WATCHDOG_USEC: String(watchdogMs * 1000) },
    PATH: `${home}:/usr/bin:/bin`,
  };
  const told = (): string[] => readFileSync(log, 'utf8').trimEnd().split('\n');
  const fed = (): number => told().filter((line) => line.includes('WATCHDOG=1')).length;
  let [seen, sinceMs] = [0, Date.now()];
  const isLost = (): boolean => {
    if (fed() !== seen) [seen, sinceMs] = [fed(), Date.now()];
    return Date.now() - sinceMs > watchdogMs;
  };
  return { env, told, fed, isLost };
}

it('systemd: ready with the first answer, fed while the end of the feed is looked at, told of the end, and given no key', async () => {
  const { env, told, fed } = systemd(2000);
  const running = start('events tail --checkpoint idle --interval 100ms', env);
  await expect.poll(fed, SOON).toBeGreaterThan(5);
  running.child.kill('SIGTERM');
  expect(await running.ended).toBe(143);
  expect(told()[0]).toMatch(/^READY=1 WATCHDOG=1 STATUS=/);
  expect(told().filter((line) => line.includes('READY=1'))).toHaveLength(1);
  expect(told().join('\n')).toMatch(/^WATCHDOG=1 STATUS=OK: 0 events accepted, lag \d+ s\.$/m);
  expect(told().at(-1)).toMatch(/^STOPPING=1 /);
  expect(readFileSync(join(home, 'seen'), 'utf8')).not.toMatch(/SVC_|svc_test/);
  expect(existsSync(join(home, 'seen'))).toBe(true);
});

it('systemd: a run whose program never ends loses its watchdog, whatever else happens', async () => {
  const { env, fed, isLost } = systemd(2000);
  const hangs = `case $(cat) in *'"e2"'*) exec sleep 600 ;; esac`;
  const running = start(['events', 'tail', '--interval', '100ms', '--exec', hangs], env);
  await expect.poll(fed, SOON).toBeGreaterThan(3);
  list.push('e1');
  expect(isLost()).toBe(false);
  list.push('e2');
  await expect.poll(isLost, SOON).toBe(true);
  running.child.kill('SIGTERM');
  expect(await running.ended).toBe(143);
});
