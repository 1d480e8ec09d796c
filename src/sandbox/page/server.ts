import { signal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { ErrorEnvelope } from '../../contract/errors.js';
import { controlCall, headersOf, type Call } from './call.js';
import { CLOCK, COMPANIES, STATUS, type ApiPath, type ClockNow, type CompanyJson } from './answers.js';

export interface ControlReply {
  readonly status: number;
  readonly json: unknown;
}

export const origin = location.origin;

export async function send(call: Call): Promise<ControlReply> {
  const { method, body, base64 } = call;
  const bytes = base64 === undefined ? body : Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
  const init = { method, headers: headersOf(call), body: bytes ?? null, cache: 'no-store' } as const;
  try {
    const response = await fetch(call.path, init);
    return { status: response.status, json: parseJson(await response.text()) };
  } catch {
    return { status: 0, json: null };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function refusalOf({ status, json }: ControlReply): string | null {
  if (status >= 200 && status < 300) return null;
  if (status === 0) return 'The server did not answer.';
  const { error } = (json ?? {}) as Partial<ErrorEnvelope>;
  if (error === undefined) return `The server answered ${String(status)}.`;
  const fields = error.details?.map(({ field, code }) => `${field} (${code})`).join(', ');
  return `${error.message} ${error.code}${fields === undefined ? '' : `: ${fields}`}`;
}

export async function read<T>(path: ApiPath<T>): Promise<T | null> {
  const { status, json } = await send(controlCall(path));
  return status === 200 ? (json as T) : null;
}

export function versionOf(...kinds: readonly ChangeKind[]): number {
  const now = changes.value;
  return kinds.reduce((sum, kind) => sum + now[kind], 0) + now.server * 1e9;
}

export function useControl<T>(path: ApiPath<T> | null, ...kinds: readonly ChangeKind[]): T | null {
  const version = versionOf(...kinds);
  const [ask] = useState(() => makeSerialAsk<{ readonly path: string; readonly data: T }>());
  const [loaded, setLoaded] = useState<{ readonly path: string; readonly data: T } | null>(null);
  useLayoutEffect(() => {
    if (path === null) return;
    ask(async () => {
      const data = await read(path);
      return data === null ? null : { path, data };
    }, setLoaded);
  }, [path, version]);
  return loaded !== null && loaded.path === path ? loaded.data : null;
}

/** Runs one `ask` at a time, and keeps only the newest that waits. */
export function makeSerialAsk<T>(): (ask: () => Promise<T | null>, take: (value: T) => void) => void {
  let isAsking = false;
  let next: (() => void) | null = null;
  const run = (ask: () => Promise<T | null>, take: (value: T) => void): void => {
    if (isAsking) {
      next = () => run(ask, take);
      return;
    }
    isAsking = true;
    void ask().then((value) => {
      isAsking = false;
      const nextRun = next;
      next = null;
      if (value !== null) take(value);
      nextRun?.();
    });
  };
  return run;
}

export const companies = signal<readonly CompanyJson[]>([]);
export const rightCode = signal('');
export const clock = signal<(ClockNow & { readonly readAtMs: number }) | null>(null);

export const sandboxNowMs = (): number | null =>
  clock.value === null ? null : Date.parse(clock.value.now) + Date.now() - clock.value.readAtMs;

function makeReader<T>(path: ApiPath<T>, take: (answer: T) => void): () => void {
  const ask = makeSerialAsk<T>();
  return () => ask(() => read(path), take);
}

export const readCompanies = makeReader(COMPANIES, (answer) => (companies.value = answer.companies));
export const readStatus = makeReader(STATUS, ({ code }) => (rightCode.value = code));
export const readClock = makeReader(CLOCK, (now) => (clock.value = { ...now, readAtMs: Date.now() }));

export type ChangeKind = 'requests' | 'operations' | 'deliveries' | 'faults' | 'clock';

export const changes = signal<Readonly<Record<ChangeKind | 'server', number>>>({
  ...{ requests: 0, operations: 0, deliveries: 0, faults: 0, clock: 0, server: 0 },
});

export type Link = 'connecting' | 'connected' | 'lost';
export const link = signal<Link>('connecting');

const REOPEN_PAUSE_MS = 500;

/** A hidden tab has no connection, because a browser opens only six connections per server. */
export function followChanges(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) close();
    else open();
  });
  open();
}

let source: EventSource | null = null;
let reopenTimer: ReturnType<typeof setTimeout> | undefined;

function open(): void {
  close();
  const stream = new EventSource('/_control/stream');
  source = stream;
  // Only the first `changed` after `hello` raises `server`, so that a new connection causes one reload.
  let isNewConnection = false;
  stream.addEventListener('hello', () => {
    link.value = 'connected';
    isNewConnection = true;
  });
  stream.addEventListener('changed', (event: MessageEvent<string>) => {
    const server = changes.value.server + (isNewConnection ? 1 : 0);
    isNewConnection = false;
    changes.value = { ...changes.value, ...(JSON.parse(event.data) as Record<ChangeKind, number>), server };
  });
  stream.addEventListener('error', () => {
    link.value = 'lost';
    close();
    reopenTimer = setTimeout(open, REOPEN_PAUSE_MS);
  });
}

function close(): void {
  clearTimeout(reopenTimer);
  source?.close();
  source = null;
}
