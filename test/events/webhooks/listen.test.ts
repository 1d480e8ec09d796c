import { writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { Failure } from '../../../src/runtime/failure.js';
import { Stopped } from '../../../src/runtime/ports.js';
import { payout } from '../../support/requests.js';
import { eachWorld, type Result, type RunOptions } from '../../support/svc.js';

const home = eachWorld(new Date().toISOString());
let stopping: AbortController;
beforeEach(() => (stopping = new AbortController()));

interface Listening {
  readonly url: string;
  readonly notes: string[];
  readonly data: string[];
  stop(): Promise<Result>;
  readonly ended: Promise<Result>;
}

function listen(words = '', options: RunOptions = {}): Promise<Listening> {
  const notes: string[] = [];
  const data: string[] = [];
  const controller = new AbortController();
  stopping = controller;
  return new Promise((resolve, reject) => {
    const running = home.svc(`webhooks listen --port 0 ${words}`, {
      ...options,
      wire: true,
      signal: controller.signal,
      onData: (text) => data.push(text),
      onNote: (text) => {
        notes.push(text);
        const [, url] = /Listening on (\S+)/.exec(text) ?? [];
        if (url !== undefined) resolve({ url, notes, data, stop, ended: running });
      },
    });
    running.then(({ stderr }) => reject(new Error(stderr)), reject);
    const stop = (): Promise<Result> => {
      controller.abort(new Stopped('SIGTERM', 143));
      return running;
    };
  });
}

const trigger = (words: string, options: RunOptions = {}): Promise<Result> =>
  home.svc(`webhooks trigger ${words}`, { wire: true, ...options });

const forward = (url: string): Promise<Result> =>
  home.svc(`events forward --to ${url} --no-follow`, { wire: true });

async function status(url: string, method: string, body = Buffer.alloc(0), headers = {}): Promise<number> {
  const sent = request(url, { method, headers, agent: false }).end(body);
  const [{ statusCode }] = (await once(sent, 'response')) as [IncomingMessage];
  return statusCode ?? 0;
}

it('prints each event once and in its own bytes, whoever sends it how often', async () => {
  const { url, data, notes, stop } = await listen();
  expect((await trigger(`payin.confirmed --to ${url} --duplicate --times 2`)).exitCode).toBe(0);
  expect((await trigger(`test.ping --to ${url}`)).exitCode).toBe(0);
  expect((await trigger(`payin.failed --to ${url} --bad-signature`)).exitCode).toBe(0);
  expect((await trigger(`payin.failed --to ${url} --old`)).exitCode).toBe(0);
  const events = data.map((line) => JSON.parse(line) as { id: string; type: string });
  expect(events.map(({ type }) => type)).toEqual(['payin.confirmed', 'payin.confirmed']);
  const said = /arrived again.*arrived again.*test\.ping.*signature_mismatch.*timestamp_outside/s;
  expect(notes.join('')).toMatch(said);
  expect((await stop()).exitCode).toBe(143);
});

it('takes what events forward sends, once across restarts', async () => {
  for (const amount of ['1.00', '2.00']) await home.svc(payout('12345678', amount));
  const first = await listen();
  expect((await forward(first.url)).exitCode).toBe(0);
  await first.stop();
  const list = await home.svc('events list -o ndjson');
  expect(first.data.join('')).toBe(list.stdout);
  const second = await listen();
  expect((await forward(second.url)).exitCode).toBe(0);
  await second.stop();
  expect(second.data).toEqual([]);
});

it('says once what a mismatch may come from, where the stored secrets are read', async () => {
  const { url, notes, stop } = await listen();
  for (let times = 0; times < 2; times += 1)
    expect((await trigger(`payin.confirmed --to ${url} --bad-signature`)).exitCode).toBe(0);
  await stop();
  expect(notes.filter((text) => text.includes('start it again'))).toHaveLength(1);
  const given = await listen('', { env: { SVC_WEBHOOK_SECRET: 'whsec_given' } });
  await trigger(`payin.confirmed --to ${given.url} --bad-signature`);
  await given.stop();
  expect(given.notes.join('')).not.toContain('start it again');
});

it('verifies with the secret that is given, and with that alone', async () => {
  const file = join(home.home, 'secret');
  writeFileSync(file, 'whsec_given', { mode: 0o600 });
  const { url, stop } = await listen(`--secret-file ${file}`);
  const given = { env: { SVC_WEBHOOK_SECRET: 'whsec_given' } };
  expect((await trigger(`payin.confirmed --to ${url}`, given)).exitCode).toBe(0);
  expect((await trigger(`payin.confirmed --to ${url}`)).exitCode).toBe(6);
  await stop();
});

it('answers what is no delivery on the wire: 405, 413, 415', async () => {
  const { url, stop, data } = await listen();
  expect(await status(url, 'GET')).toBe(405);
  expect(await status(url, 'POST', Buffer.alloc(2 * 1024 * 1024))).toBe(413);
  expect(await status(url, 'POST', Buffer.from('x'), { 'content-encoding': 'gzip' })).toBe(415);
  expect(await status(url, 'POST', Buffer.from('{}'))).toBe(400);
  await stop();
  expect(data).toEqual([]);
});

it('accepts nothing that its reader did not take, and ends with 0', async () => {
  const { url } = await listen('', { breakAfterWrites: 0 });
  const refused = await trigger(`payin.confirmed --to ${url}`);
  expect(refused.exitCode).toBe(10);
  expect(refused.json()).toMatchObject({ deliveries: [{ status: 503 }] });
});

it('answers once the file that it prints into is synced, once for each event', async () => {
  const seen: string[] = [];
  let answered = 0;
  const sync = () => Promise.resolve(void seen.push(`${String(data.length)} ${String(answered)}`));
  const { url, data, stop } = await listen('', { sync });
  for (let count = 0; count < 3; count += 1) {
    expect((await trigger(`payin.confirmed --to ${url} --duplicate`)).exitCode).toBe(0);
    answered += 1;
  }
  await trigger(`test.ping --to ${url}`);
  await trigger(`payin.failed --to ${url} --bad-signature`);
  await stop();
  expect(seen).toEqual(['1 0', '2 1', '3 2']);
});

it('answers nothing with 2xx that can not be synced, ends with 16, and takes it when it comes again', async () => {
  const lost = new Failure('local_state', 'Standard output could not be written to the disk.');
  const { url, ended } = await listen('', { sync: () => Promise.reject(lost) });
  const refused = await trigger(`payin.confirmed --to ${url}`);
  expect(refused.json()).toMatchObject({ deliveries: [{ status: 503 }] });
  const end = await ended;
  expect([end.exitCode, end.stderr]).toEqual([16, expect.stringContaining(lost.message) as string]);
  await home.svc(payout());
  const first = await listen('', { sync: () => Promise.reject(lost) });
  expect((await forward(first.url)).exitCode).toBe(10);
  expect((await first.ended).exitCode).toBe(16);
  const second = await listen();
  expect((await forward(second.url)).exitCode).toBe(0);
  expect(second.data).toEqual(first.data.slice(0, 1));
  await second.stop();
});

it('says that its port is taken', async () => {
  const { url, stop } = await listen();
  const { exitCode, stderr } = await home.svc(`webhooks listen --port ${new URL(url).port}`);
  expect([exitCode, stderr]).toEqual([16, expect.stringContaining('is in use') as string]);
  await stop();
  expect((await home.svc('webhooks listen --port 70000')).exitCode).toBe(2);
});

it('hides nothing of its address behind --quiet but its notes', async () => {
  stopping.abort(new Stopped('SIGINT', 130));
  const options = { signal: stopping.signal, wire: true };
  const { exitCode, stderr } = await home.svc('webhooks listen --port 0 --quiet', options);
  expect([exitCode, stderr.includes('Listening')]).toEqual([130, false]);
  expect(stderr).not.toContain('Nothing was sent');
});
