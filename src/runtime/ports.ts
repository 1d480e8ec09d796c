import type { MachineClock, Zone, Clock, Random } from './clock.js';
import { Failure } from './failure.js';
import type { Paths } from './folders.js';
import type { Processes } from './processes.js';
import type { DataOutput, Input, Output } from './streams.js';
import type { Transport } from './transport.js';
import type { readTrusted } from './trusted-file.js';

export type Environ = Record<string, string | undefined>;

/** Redacting a text twice gives the same result as redacting it once. */
export interface Redactor {
  (text: string): string;
  /** Empty secrets are ignored. */
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

/** Only the administrator of this machine sets these. No flag, variable or folder of the user changes them. */
export interface Machine {
  readonly policyFile: string;
  /** The first path that exists counts. */
  readonly keygens: readonly string[];
  readonly readTrusted: typeof readTrusted;
  readonly parentLocks: () => readonly string[];
}

export interface Ports {
  readonly env: Environ;
  readonly input: Input;
  /** Standard output has data and nothing else. */
  readonly output: DataOutput;
  readonly errors: Output;
  /** Present only if standard error is a log of JSON objects. */
  readonly log?: (text: string, facts?: LogFacts) => Promise<void>;
  /**
   * The only redactor. All text on standard error passes through it. Code that loads a secret adds the
   * secret to it.
   */
  readonly redact: Redactor;
  readonly clock: MachineClock;
  /** The time zone of a person who reads the output. */
  readonly zone: Zone;
  readonly random: Random;
  readonly paths: Paths;
  readonly mapStack: (stack: string) => string;
  readonly pid: number;
  readonly processes: Processes;
  readonly machine: Machine;
  /** Ends every wait of a command. Its reason is a `Stopped`. */
  readonly signal: AbortSignal;
  /** If absent, the work of threads runs in this thread. */
  readonly thread?: ThreadStart;
  readonly transport?: Transport;
  readonly terminal?: Terminal;
}

export class Stopped extends Error {
  override readonly name = 'Stopped';
  constructor(
    readonly signalName: 'SIGINT' | 'SIGTERM' | 'SIGHUP',
    readonly exitCode: 130 | 143 | 129,
    /** The result of the request that was in progress, if there was one. */
    readonly failure: Failure | null = null,
  ) {
    super(`Stopped by ${signalName}.`);
  }
}

/** The abort signals of the runs that have sent a request other than a read. */
const SENDING_RUNS = new WeakSet<AbortSignal>();

export function noteSending({ signal }: Pick<Ports, 'signal'>): void {
  SENDING_RUNS.add(signal);
}

export function hasSent({ signal }: Pick<Ports, 'signal'>): boolean {
  return SENDING_RUNS.has(signal);
}

/** Adds the text to a `Stopped` that has no failure. Returns any other error unchanged. */
export function withEndText(error: unknown, text: string): unknown {
  if (!(error instanceof Stopped) || error.failure !== null) return error;
  const end = new Failure('unsafe', text, { outcome: 'sent', cause: error });
  return new Stopped(error.signalName, error.exitCode, end);
}

/**
 * The signal ends only the wait: the work goes on. With `grace`, work that ends within this time after
 * the signal still counts.
 */
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
