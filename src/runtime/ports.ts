import type { MachineClock, Zone, Clock, Random } from './clock.js';
import { Failure } from './failure.js';
import type { Paths } from './folders.js';
import type { Processes } from './processes.js';
import type { DataOutput, Input, Output } from './streams.js';
import type { Transport } from './transport.js';
import type { readTrusted } from './trusted-file.js';

export type Environ = Record<string, string | undefined>;

export interface Redactor {
  (text: string): string;
  add(secrets: Iterable<string>): void;
}

export interface ThreadStart {
  readonly source: string;
  readonly isCode: boolean;
  readonly pack?: string;
}

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

export function processTerminal(): Terminal {
  return { input: process.stdin, output: process.stderr };
}

export interface LogFacts {
  readonly level?: 'debug' | 'info' | 'warn' | 'error';
  readonly eventId?: string;
  readonly attempt?: number;
  readonly ms?: number;
}

export interface Machine {
  readonly policyFile: string;
  readonly keygens: readonly string[];
  readonly readTrusted: typeof readTrusted;
  readonly parentLocks: () => readonly string[];
}

export interface Ports {
  readonly env: Environ;
  readonly input: Input;
  readonly output: DataOutput;
  readonly errors: Output;
  readonly log?: (text: string, facts?: LogFacts) => Promise<void>;
  /** Code that loads a secret adds it here, because all text on standard error passes through this redactor. */
  readonly redact: Redactor;
  readonly clock: MachineClock;
  readonly zone: Zone;
  readonly random: Random;
  readonly paths: Paths;
  readonly mapStack: (stack: string) => string;
  readonly pid: number;
  readonly processes: Processes;
  readonly machine: Machine;
  readonly signal: AbortSignal;
  readonly thread?: ThreadStart;
  readonly transport?: Transport;
  readonly terminal?: Terminal;
}

export class Stopped extends Error {
  override readonly name = 'Stopped';
  constructor(
    readonly signalName: 'SIGINT' | 'SIGTERM' | 'SIGHUP',
    readonly exitCode: 130 | 143 | 129,
    readonly failure: Failure | null = null,
  ) {
    super(`Stopped by ${signalName === 'SIGINT' ? 'Ctrl-C' : signalName}.`);
  }
}

const SENDING_RUNS = new WeakSet<AbortSignal>();

export function noteSending({ signal }: Pick<Ports, 'signal'>): void {
  SENDING_RUNS.add(signal);
}

export function hasSent({ signal }: Pick<Ports, 'signal'>): boolean {
  return SENDING_RUNS.has(signal);
}

export function withEndText(error: unknown, text: string): unknown {
  if (!(error instanceof Stopped) || error.failure !== null) return error;
  const end = new Failure('unsafe', text, { outcome: 'sent', cause: error });
  return new Stopped(error.signalName, error.exitCode, end);
}

/** The wait ends at the signal, or `grace` after it, but the work goes on. */
export function untilStopped<T>(
  work: Promise<T>,
  signal: AbortSignal,
  grace?: { readonly clock: Clock; readonly ms: number },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const workEnd = new AbortController();
    const rejectStopped = (): void => reject(signal.reason as Error);
    const stop = (): void => {
      if (grace === undefined) rejectStopped();
      else grace.clock.sleep(grace.ms, workEnd.signal).then(rejectStopped, () => undefined);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop);
      workEnd.abort();
    });
  });
}

export const SECRET_VARIABLES: readonly string[] = [
  'SVC_API_KEY',
  'SVC_WEBHOOK_SECRET',
  'SVC_STATE',
  'SVC_STATE_PASSWORD',
  'SVC_INTO_PASSWORD',
];
