import { effect, signal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ErrorEnvelope } from '../../contract/errors.js';
import { controlCall, headersOf, type Call } from './call.js';
import { CLOCK_PATH, COMPANIES_PATH, FAULTS_PATH, STATUS_PATH } from './answers.js';
import type { ApiPath, ClockNow, CompanyJson, ListedFault } from './answers.js';

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

/** Resolves to true if the reading must run again in the next turn. */
export type Reading = () => Promise<boolean>;

const READS_PER_SECOND = 4;
const waitingReadings = new Set<Reading>();
const lastReadsMs: number[] = Array<number>(READS_PER_SECOND).fill(-1000);
let isTakingTurns = false;

/** Readings take turns, so that the page reads at most four times in any second. */
function readInTurn(reading: Reading): void {
  waitingReadings.add(reading);
  if (!isTakingTurns) void takeTurns();
}

async function takeTurns(): Promise<void> {
  isTakingTurns = true;
  // The loop also reaches readings that are added while it runs.
  for (const reading of waitingReadings) {
    const waitMs = Math.min(...lastReadsMs) + 1000 - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (!waitingReadings.delete(reading)) continue;
    lastReadsMs.shift();
    lastReadsMs.push(performance.now());
    if (await reading()) waitingReadings.add(reading);
  }
  isTakingTurns = false;
}

export function versionOf(...kinds: readonly ChangeKind[]): number {
  const versions = changes.value;
  return kinds.reduce((sum, kind) => sum + versions[kind], 0) + versions.server * 1e9;
}

export function useReading(reading: Reading, version: number): void {
  const lastVersion = useRef(version);
  useLayoutEffect(() => {
    void reading();
    return () => void waitingReadings.delete(reading);
  }, [reading]);
  useLayoutEffect(() => {
    if (lastVersion.current !== version) readInTurn(reading);
    lastVersion.current = version;
  }, [version]);
}

export function useReply(
  path: ApiPath<unknown> | null,
  ...kinds: readonly ChangeKind[]
): ControlReply | null {
  const [last, setLast] = useState<{ readonly path: string; readonly reply: ControlReply } | null>(null);
  const reading = useMemo(
    () => async (): Promise<boolean> => {
      if (path === null) return false;
      const reply = await send(controlCall(path));
      setLast((before) => (reply.status === 0 && before?.path === path ? before : { path, reply }));
      return false;
    },
    [path],
  );
  useReading(reading, versionOf(...kinds));
  return last !== null && last.path === path ? last.reply : null;
}

export function useControl<T>(path: ApiPath<T> | null, ...kinds: readonly ChangeKind[]): T | null {
  const reply = useReply(path, ...kinds);
  return reply?.status === 200 ? (reply.json as T) : null;
}

export const companies = signal<readonly CompanyJson[]>([]);
export const rightCode = signal('');
export const armedFaults = signal<readonly ListedFault[]>([]);
export const clock = signal<(ClockNow & { readonly readAtMs: number }) | null>(null);

const nowMs = signal(Date.now());

/** Everything that shows this time is redrawn each second, so that "valid for" stays true. */
export const sandboxNowMs = (): number | null =>
  clock.value === null ? null : Date.parse(clock.value.now) + nowMs.value - clock.value.readAtMs;

export const showClock = (now: ClockNow): void => {
  nowMs.value = Date.now();
  clock.value = { ...now, readAtMs: nowMs.value };
};

function readOnChange<T>(path: ApiPath<T>, kind: ChangeKind, take: (answer: T) => void): void {
  const reading = async (): Promise<boolean> => {
    const answer = await read(path);
    if (answer !== null) take(answer);
    return false;
  };
  let [connections, version] = [0, 0];
  effect(() => {
    const { server } = changes.value;
    const isChanged = changes.value[kind] !== version;
    if (server > connections) void reading();
    else if (isChanged) readInTurn(reading);
    [connections, version] = [server, changes.value[kind]];
  });
}

export function followSandbox(): void {
  readOnChange(CLOCK_PATH, 'clock', showClock);
  readOnChange(COMPANIES_PATH, 'companies', (answer) => (companies.value = answer.companies));
  readOnChange(STATUS_PATH, 'server', ({ code }) => (rightCode.value = code));
  readOnChange(FAULTS_PATH, 'faults', ({ faults }) => (armedFaults.value = faults));
  followChanges();
  setInterval(() => (nowMs.value = Date.now()), 1000);
}

export type ChangeKind =
  'requests' | 'operations' | 'deliveries' | 'faults' | 'clock' | 'companies' | 'server';

export const changes = signal<Readonly<Record<ChangeKind, number>>>({
  ...{ requests: 0, operations: 0, deliveries: 0, faults: 0, clock: 0, companies: 0, server: 0 },
});

export type ConnectionState = 'connecting' | 'connected' | 'lost';
export const connectionState = signal<ConnectionState>('connecting');

const REOPEN_PAUSE_MS = 500;

/** A hidden tab has no connection, because a browser opens only six connections per server. */
function followChanges(): void {
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
    connectionState.value = 'connected';
    isNewConnection = true;
  });
  stream.addEventListener('changed', (event: MessageEvent<string>) => {
    const server = changes.value.server + (isNewConnection ? 1 : 0);
    isNewConnection = false;
    changes.value = { ...changes.value, ...(JSON.parse(event.data) as Record<ChangeKind, number>), server };
  });
  stream.addEventListener('error', () => {
    connectionState.value = 'lost';
    close();
    reopenTimer = setTimeout(open, REOPEN_PAUSE_MS);
  });
}

function close(): void {
  clearTimeout(reopenTimer);
  source?.close();
  source = null;
}
