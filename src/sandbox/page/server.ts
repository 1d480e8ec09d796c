/** The way to the sandbox: a call and its answer, and data that stays as new as what the server says has changed. */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';
import { control, headersOf, type Call } from './call.js';
import { CLOCK, COMPANIES, STATUS, type Path, type ClockNow, type CompanyJson } from './answers.js';

export interface ControlReply {
  /** 0 where the server did not answer. */
  readonly status: number;
  readonly text: string;
  /** What the text holds, where it is JSON. */
  readonly json: unknown;
}

export const origin = location.origin;

export async function send(call: Call): Promise<ControlReply> {
  const { method, body, base64 } = call;
  const bytes = base64 === undefined ? body : Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
  const init = {
    method,
    headers: headersOf(call),
    cache: 'no-store',
    ...(bytes !== undefined && { body: bytes }),
  };
  try {
    const response = await fetch(call.path, init as RequestInit);
    const text = await response.text();
    return { status: response.status, text, json: parsed(text) };
  } catch {
    return { status: 0, text: '', json: null };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Why a call was refused, in a sentence of the server's own; null where it was not. */
export function refusalOf({ status, json }: ControlReply): string | null {
  if (status >= 200 && status < 300) return null;
  if (status === 0) return 'The server did not answer.';
  const { error } = (json ?? {}) as {
    error?: { code: string; message: string; details?: { field: string; code: string }[] };
  };
  if (error === undefined) return `The server answered ${String(status)}.`;
  const fields = error.details?.map(({ field, code }) => `${field} (${code})`).join(', ');
  return `${error.message} ${error.code}${fields === undefined ? '' : `: ${fields}`}`;
}

/** What the control answers at that path; null where it does not. */
export async function read<T>(path: Path<T>): Promise<T | null> {
  const { status, json } = await send(control(path));
  return status === 200 ? (json as T) : null;
}

/** A number that grows whenever one of these kinds changes. */
export function versionOf(...kinds: readonly ChangeKind[]): number {
  const now = changes.value;
  return kinds.reduce((sum, kind) => sum + now[kind], 0) + now.server * 1e9;
}

/** What the control answers at that path, asked for again whenever one of the kinds changes; null until it has answered. */
export function useControl<T>(path: Path<T> | null, ...kinds: readonly ChangeKind[]): T | null {
  const version = versionOf(...kinds);
  const [ask] = useState(() => latest<{ readonly path: string; readonly data: T }>());
  const [held, setHeld] = useState<{ readonly path: string; readonly data: T } | null>(null);
  useLayoutEffect(() => {
    if (path === null) return;
    ask(async () => {
      const data = await read(path);
      return data === null ? null : { path, data };
    }, setHeld);
  }, [path, version]);
  return held !== null && held.path === path ? held.data : null;
}

/** One question at a time, and of those that came meanwhile the last: whatever changes often is asked for as often as is answered. */
export function latest<T>(): (ask: () => Promise<T | null>, take: (value: T) => void) => void {
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
      const waiting = next;
      next = null;
      if (value !== null) take(value);
      waiting?.();
    });
  };
  return run;
}

const held = signal<{
  companies: readonly CompanyJson[];
  code: string;
  clock: ClockNow | null;
  readAtMs: number;
}>({
  ...{ companies: [], code: '', clock: null, readAtMs: 0 },
});
/** Companies, the code and the clock, which every view needs. */
export const companies: ReadonlySignal<readonly CompanyJson[]> = computed(() => held.value.companies);
export const rightCode: ReadonlySignal<string> = computed(() => held.value.code);
export const clock: ReadonlySignal<ClockNow | null> = computed(() => held.value.clock);

/** The sandbox's time now, in ms: its clock keeps running between two answers. */
export function sandboxNowMs(): number | null {
  const { clock: shownClock, readAtMs } = held.value;
  return shownClock === null ? null : Date.parse(shownClock.now) + Date.now() - readAtMs;
}

/** Asks for what stands at that path, and keeps of the answer what every view needs. */
function reading<T>(path: Path<T>, kept: (answer: T) => Partial<typeof held.value>): () => void {
  const ask = latest<T>();
  return () =>
    ask(
      () => read(path),
      (answer) => (held.value = { ...held.value, ...kept(answer) }),
    );
}

export const readCompanies = reading(COMPANIES, ({ companies }) => ({ companies }));
export const readStatus = reading(STATUS, ({ code }) => ({ code }));
export const readClock = reading(CLOCK, (clock) => ({ clock, readAtMs: Date.now() }));

type ChangeKind = 'requests' | 'operations' | 'deliveries' | 'faults' | 'clock';

/** How often each kind of thing has changed, as far as the page knows; `server` grows with every connection. */
export const changes = signal<Readonly<Record<ChangeKind | 'server', number>>>({
  ...{ requests: 0, operations: 0, deliveries: 0, faults: 0, clock: 0, server: 0 },
});

export type Link = 'connecting' | 'connected' | 'lost';
export const link = signal<Link>('connecting');

const AGAIN_MS = 500;

/** A tab that nobody sees keeps no connection: a browser has six for a server. */
export function keepUp(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) close();
    else open();
  });
  open();
}

let source: EventSource | null = null;
let again: ReturnType<typeof setTimeout> | undefined;

function open(): void {
  close();
  const opened = new EventSource('/_control/stream');
  source = opened;
  // What has changed is said right behind it: asked for once then, and not for each of the two.
  let isNew = false;
  opened.addEventListener('hello', () => {
    link.value = 'connected';
    isNew = true;
  });
  opened.addEventListener('changed', (event: MessageEvent<string>) => {
    const server = changes.value.server + (isNew ? 1 : 0);
    isNew = false;
    changes.value = { ...changes.value, ...(JSON.parse(event.data) as Record<ChangeKind, number>), server };
  });
  opened.addEventListener('error', () => {
    link.value = 'lost';
    later();
  });
}

function later(): void {
  close();
  again = setTimeout(open, AGAIN_MS);
}

function close(): void {
  clearTimeout(again);
  source?.close();
  source = null;
}
