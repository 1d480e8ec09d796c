import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Clock } from '../../runtime/clock.js';
import { checkHost, checkSite, headerValues } from '../http/access.js';
import { methodRefusal } from '../http/endpoints.js';
import { datedAnswer, jsonAnswer, refusalAnswer } from '../message.js';
import type { SandboxRequest, SandboxAnswer } from '../message.js';
import type { Sandbox } from '../sandbox.js';
import { writeAnswer } from './http.js';
import { CONTROL_PATH } from '../control/control.js';

const PAUSE_MS = 50;
/** Together with `PAUSE_MS`, this limits steady changes to four messages a second. */
const BUSY_PAUSE_MS = 200;
const KEEP_ALIVE_MS = 15_000;
const WATCHERS_MAX = 200;
const STREAM_TARGET = /^\/_control\/stream(?:\?.*)?$/;

interface Watcher {
  readonly response: ServerResponse;
  lastCounters: string;
}

export function openWatchers(
  { counters, timeMs }: Pick<Sandbox, 'counters' | 'timeMs'>,
  clock: Clock,
  pid: number,
  onDefect: (error: Error) => void,
) {
  const hello = { pid, started_at: new Date(clock.now()).toISOString() };
  const watchers = new Set<Watcher>();
  const stop = new AbortController();
  let isPausing = false;
  let isChanged = false;
  let isKeepingAlive = false;
  let newestCounters = '';

  const sendTo = (watcher: Watcher): void => {
    if (watcher.lastCounters === newestCounters || watcher.response.writableNeedDrain) return;
    watcher.lastCounters = newestCounters;
    watcher.response.write(`event: changed\ndata: ${newestCounters}\n\n`);
  };

  const sendCounters = (): void => {
    try {
      newestCounters = JSON.stringify(counters());
    } catch (error) {
      onDefect(error as Error);
    }
    watchers.forEach(sendTo);
  };

  const notify = (): void => {
    isChanged = watchers.size > 0;
    if (!isChanged || isPausing) return;
    isPausing = true;
    const tell = async (): Promise<void> => {
      await clock.sleep(PAUSE_MS, stop.signal);
      isChanged = false;
      sendCounters();
      await clock.sleep(BUSY_PAUSE_MS, stop.signal);
    };
    const resume = (): void => {
      isPausing = false;
      if (isChanged && !stop.signal.aborted) notify();
    };
    tell().then(resume, resume);
  };

  const sendKeepAlives = async (): Promise<void> => {
    isKeepingAlive = true;
    while (watchers.size > 0 && !stop.signal.aborted) {
      for (const { response } of watchers) if (!response.writableNeedDrain) response.write(':\n\n');
      await clock.sleep(KEEP_ALIVE_MS, stop.signal).catch(() => undefined);
    }
    isKeepingAlive = false;
  };

  return {
    take(request: SandboxRequest, response: ServerResponse): boolean {
      if (!STREAM_TARGET.test(request.target)) return false;
      const isFull = watchers.size >= WATCHERS_MAX;
      const fullRefusal = isFull ? ({ refusal: 'temporarily_unavailable' } as const) : null;
      const wrongMethodRefusal = request.method === 'GET' ? null : methodRefusal(['GET']);
      const refusal = checkHost(request) ?? wrongMethodRefusal ?? checkSite(request) ?? fullRefusal;
      if (refusal !== null) {
        writeAnswer(datedAnswer(refusalAnswer(refusal), timeMs()), response, false);
        return true;
      }
      const watcher: Watcher = { response, lastCounters: '' };
      const { headers } = datedAnswer(jsonAnswer(200, ''), timeMs());
      response.sendDate = false;
      const streamHeaders = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' };
      response.writeHead(200, { ...headers, ...streamHeaders });
      response.on('drain', () => sendTo(watcher));
      response.on('close', () => watchers.delete(watcher));
      response.write(`retry: 1000\nevent: hello\ndata: ${JSON.stringify(hello)}\n\n`);
      watchers.add(watcher);
      sendCounters();
      if (!isKeepingAlive) void sendKeepAlives();
      return true;
    },
    notify,
    close(): void {
      stop.abort();
      for (const { response } of watchers) response.end();
    },
  };
}

export type ReadPage = (name: string) => Uint8Array;

const PAGE_FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
};

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
};

export function isReadByPage({ method, target, headers }: SandboxRequest): boolean {
  if (method !== 'GET' || !target.startsWith(CONTROL_PATH)) return false;
  return headerValues({ headers }, 'sec-fetch-site').includes('same-origin');
}

/** Level 1 costs the least time and still shrinks lists in JSON to a tenth. */
const GZIP_LEVEL = 1;

export function compressForPage(request: SandboxRequest, answer: SandboxAnswer): SandboxAnswer {
  const codings = headerValues(request, 'accept-encoding').join(',');
  const acceptsGzip = /(?:^|[\s,])gzip\s*(?:,|$|;(?!\s*q=0(?:\.0*)?\s*(?:,|$)))/i.test(codings);
  if (!acceptsGzip || !isReadByPage(request)) return answer;
  const headers = { ...answer.headers, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' };
  return { ...answer, headers, body: gzipSync(answer.body, { level: GZIP_LEVEL }) };
}

export function answerPage(request: SandboxRequest, read: ReadPage): SandboxAnswer | null {
  const [path = ''] = request.target.split('?', 1);
  const file = Object.hasOwn(PAGE_FILES, path) ? PAGE_FILES[path] : undefined;
  if (file === undefined) return null;
  const hostRefusal = checkHost(request);
  if (hostRefusal !== null) return refusalAnswer(hostRefusal);
  if (!['GET', 'HEAD'].includes(request.method)) return refusalAnswer(methodRefusal(['GET', 'HEAD']));
  const [name, type] = file;
  const headers = { 'Content-Type': type, ...PAGE_HEADERS };
  return { status: 200, headers, body: read(name), interference: null };
}
