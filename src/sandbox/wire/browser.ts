/**
 * The followers of `/_control/stream`: server-sent events say that something changed, and never what. Nothing is queued for a slow
 * reader: it gets the newest counters when it reads again.
 */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../runtime/clock.js';
import type { Outbox } from '../delivery/outbox.js';
import { checkHost, checkSite, headerValues } from '../http/access.js';
import { methodNotAllowed } from '../http/endpoints.js';
import {
  datedAnswer,
  jsonAnswer,
  refusalAnswer,
  type HttpRefusal,
  type SandboxRequest,
  type SandboxAnswer,
} from '../message.js';
import type { Sandbox } from '../sandbox.js';
import { write } from './http.js';
import { CONTROL_PATH } from '../control/control.js';

/** How long changes are collected before they are sent. */
const PAUSE_MS = 50;
/** A line that says nothing, so that a connection that is gone is noticed. */
const SIGN_OF_LIFE_MS = 15_000;
/** A page has one; more than this is a mistake. */
const WATCHERS_MAX = 200;
const TARGET = /^\/_control\/stream(?:\?.*)?$/;

interface Watchers {
  /** Whether the request is one to follow along; it is answered then, and goes on being. */
  take(request: SandboxRequest, response: ServerResponse): boolean;
  /** Something may have changed. Cheap where nobody watches. */
  tell(): void;
  close(): void;
}

interface Watcher {
  readonly response: ServerResponse;
  /** The counters that it got last. */
  sent: string;
}

export function watchersOf(
  { counters, timeMs }: Pick<Sandbox, 'counters' | 'timeMs'>,
  {
    clock,
    pid,
    onDefect,
  }: { readonly clock: Clock; readonly pid: number; readonly onDefect: (error: Error) => void },
): Watchers {
  const hello = { pid, started_at: new Date(clock.now()).toISOString() };
  const watching = new Set<Watcher>();
  const closing = new AbortController();
  let isPausing = false;
  let isAlive = false;
  let newest = '';

  const show = (watcher: Watcher): void => {
    if (watcher.sent === newest || watcher.response.writableNeedDrain) return;
    watcher.sent = newest;
    watcher.response.write(`event: changed\ndata: ${newest}\n\n`);
  };

  const look = (): void => {
    try {
      newest = JSON.stringify(counters());
    } catch (error) {
      onDefect(error as Error);
    }
    watching.forEach(show);
  };

  const tell = (): void => {
    if (watching.size === 0 || isPausing) return;
    isPausing = true;
    const ended = (): void => {
      isPausing = false;
      if (!closing.signal.aborted) look();
    };
    clock.sleep(PAUSE_MS, closing.signal).then(ended, ended);
  };

  const stayAlive = async (): Promise<void> => {
    isAlive = true;
    while (watching.size > 0 && !closing.signal.aborted) {
      for (const { response } of watching) if (!response.writableNeedDrain) response.write(':\n\n');
      await clock.sleep(SIGN_OF_LIFE_MS, closing.signal).catch(() => undefined);
    }
    isAlive = false;
  };

  const begin = (response: ServerResponse): void => {
    const watcher: Watcher = { response, sent: '' };
    const { headers } = datedAnswer(jsonAnswer(200, ''), timeMs());
    response.sendDate = false;
    const type = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' };
    response.writeHead(200, { ...headers, ...type });
    response.on('drain', () => show(watcher));
    response.on('close', () => watching.delete(watcher));
    response.write(`retry: 1000\nevent: hello\ndata: ${JSON.stringify(hello)}\n\n`);
    watching.add(watcher);
    look();
    if (!isAlive) void stayAlive();
  };

  return {
    take(request, response) {
      if (!TARGET.test(request.target)) return false;
      const isFull = watching.size >= WATCHERS_MAX;
      const refused = refuse(request) ?? (isFull ? { refusal: 'temporarily_unavailable' as const } : null);
      if (refused === null) begin(response);
      else write(datedAnswer(refusalAnswer(refused), timeMs()), response, false);
      return true;
    },
    tell,
    close() {
      closing.abort();
      for (const { response } of watching) response.end();
    },
  };
}

/** A page of another site could not read it, but hold it open. */
function refuse(request: SandboxRequest): HttpRefusal | null {
  const refused = checkHost(request);
  if (refused !== null) return refused;
  if (request.method !== 'GET') return methodNotAllowed(['GET']);
  return checkSite(request);
}

/** The same outbox; its changes reach the followers. */
export function toldOf(outbox: Outbox, watchers: Pick<Watchers, 'tell'>): Outbox {
  return {
    round: (...args) => {
      const result = outbox.round(...args);
      watchers.tell();
      return result;
    },
    record: (finished) => {
      outbox.record(finished);
      watchers.tell();
    },
  };
}

/** The bytes of `page.html`, `page.js` or `page.css`. */
export type ReadPage = (name: string) => Uint8Array;

const FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
};

/** Whatever the page is made to show, it loads and reaches nothing but this server, and stands in no frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
};

/** What the page shows is read again with every change: nobody has asked for that. */
export function isReadByPage({ method, target, headers }: SandboxRequest): boolean {
  if (method !== 'GET' || !target.startsWith(CONTROL_PATH)) return false;
  return headerValues({ headers }, 'sec-fetch-site').includes('same-origin');
}

/** Null where the request asks for no file of the page. */
export function answerPage(request: SandboxRequest, read: ReadPage): SandboxAnswer | null {
  const [path = ''] = request.target.split('?', 1);
  const file = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  if (file === undefined) return null;
  const refused = checkHost(request);
  if (refused !== null) return refusalAnswer(refused);
  if (!['GET', 'HEAD'].includes(request.method)) return refusalAnswer(methodNotAllowed(['GET', 'HEAD']));
  const [name, type] = file;
  return { status: 200, headers: { 'Content-Type': type, ...HEADERS }, body: read(name), interference: null };
}
