import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { environment, PROGRAM } from '../../support/program.js';
import { startFeed, type FeedServer, type Misbehave } from './feed-server.js';

const later = (ms: number, work: () => void): void => void setTimeout(work, ms);
const headed = (page: string) => ({
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(page),
});

const FAULTS: Readonly<Record<string, (feed: () => FeedServer) => Misbehave>> = {
  latency: () => (page, response) => later(300, () => response.end(page)),
  reset: () => (_page, _response, request) => request.socket.resetAndDestroy(),
  'a slow close': () => (page, response) => {
    response.writeHead(200, { connection: 'close' });
    response.write(page);
    later(300, () => response.end());
  },
  'a stall': () => () => undefined,
  'half a page': () => (page, response) => {
    response.writeHead(200, headed(page));
    response.write(page.slice(0, page.length / 2));
    later(20, () => response.destroy());
  },
  garbage: () => (_page, response) => response.end('\u0000\u0001 not a page {"events":'),
  '503': () => (_page, response) => {
    response.writeHead(503, { 'content-type': 'application/json' });
    response.end('{"error":{"code":"temporarily_unavailable","message":"Later."}}');
  },
  'down for a while': (feed) => () => feed().goAway(500),
};

const EVENTS = 40;

it.concurrent.each(Object.entries(FAULTS))('%s', { timeout: 60_000 }, async (_name, faultOf) => {
  const home = mkdtempSync(join(tmpdir(), 'svc-faults-'));
  let feed: FeedServer | null = null;
  const fault = faultOf(() => feed!);
  feed = await startFeed({ events: EVENTS, pageEvents: 10, eventBytes: 300 }, (request) =>
    request === 2 || request === 4 ? fault : undefined,
  );
  const args = 'events tail --interval 100ms --timeout 1s --checkpoint faults'.split(' ');
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: environment(home, feed.env),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.split('\n').length > EVENTS) child.kill('SIGTERM');
  }
  const [exitCode] = (await ended) as [number | null];
  await feed.stop();
  rmSync(home, { recursive: true, force: true });
  expect(exitCode).toBe(143);
  const ids = text.match(/"id":"e\d+"/g);
  expect(ids).toEqual(Array.from({ length: EVENTS }, (_, index) => `"id":"e${String(index + 1)}"`));
});
