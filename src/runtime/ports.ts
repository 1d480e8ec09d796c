/** The ports: everything that a command may know of its surroundings. Tests pass their own. */
import type { MachineClock, Zone, Clock, Random } from './clock.js';
import { Failure } from './failure.js';
import type { Paths } from './folders.js';
import type { Processes } from './processes.js';
import type { DataOutput, Input, Output } from './streams.js';
import type { Transport } from './transport.js';
import type { readTrusted } from './trusted-file.js';

/** Environment variables. Secrets are removed once they are read. */
export type Environ = Record<string, string | undefined>;

/** Hides secrets in a text. A second pass over the result changes nothing. */
export interface Redactor {
  (text: string): string;
  /** Adds secrets to hide: a key, a webhook secret, a one-time code. Empty ones are ignored. */
  add(secrets: Iterable<string>): void;
}

/** How to start a thread of the built program: from a file, or from code as text. The thread's first argument names the part to run. */
export interface ThreadStart {
  readonly source: string;
  readonly isCode: boolean;
  /** The pack of code to load, the thread's second argument. It keeps a thread from loading a version that was installed meanwhile. */
  readonly pack?: string;
}

/** A terminal for a dialogue: raw keys in, frames out. It does not use standard output, which carries data. */
export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** Standard input and standard error of this process. */
export function processTerminal(): Terminal {
  return { input: process.stdin, output: process.stderr };
}

/** Optional members of a line in the log. */
export interface LogFacts {
  /** How important the line is; default `info`. */
  readonly level?: 'debug' | 'info' | 'warn' | 'error';
  readonly eventId?: string;
  readonly attempt?: number;
  readonly ms?: number;
}

/** What only the administrator of this machine sets. No flag, variable or folder of the user changes it. */
export interface Machine {
  /** The policy for live requests. */
  readonly policyFile: string;
  /** Paths of `ssh-keygen`; the first one that exists counts. */
  readonly keygens: readonly string[];
  /** Reads a file that only root can have written. */
  readonly readTrusted: typeof readTrusted;
  /** The locks under which this process and its ancestors started, as they were written. */
  readonly parentLocks: () => readonly string[];
}

export interface Ports {
  readonly env: Environ;
  readonly input: Input;
  /** Standard output: data and nothing else. */
  readonly output: DataOutput;
  /** Standard error: notes, prompts, progress, errors. */
  readonly errors: Output;
  /** Writes an entry of the log. Present only if standard error is a log of JSON objects. */
  readonly log?: (text: string, facts?: LogFacts) => Promise<void>;
  /** The only redactor. All text on standard error passes through it, and code that loads a secret adds the secret. */
  readonly redact: Redactor;
  readonly clock: MachineClock;
  /** The time zone of the reader, for output that a person reads. */
  readonly zone: Zone;
  readonly random: Random;
  readonly paths: Paths;
  /** Translates a stack trace of the bundled code to places in the sources. */
  readonly mapStack: (stack: string) => string;
  /** The id of this process. */
  readonly pid: number;
  readonly processes: Processes;
  readonly machine: Machine;
  /** Ends every wait of a command. Its reason is a `Stopped`. */
  readonly signal: AbortSignal;
  /** Starts threads of the built program. If absent, their work runs in this thread. */
  readonly thread?: ThreadStart;
  /** Replaces the network in tests. */
  readonly transport?: Transport;
  /** Replaces the terminal of a dialogue in tests. */
  readonly terminal?: Terminal;
}

/** The reason of `Ports.signal`: the process was asked to end. */
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

/** The signals of the runs that have sent a request other than a read. */
const SENDING_RUNS = new WeakSet<AbortSignal>();

export function noteSending({ signal }: Pick<Ports, 'signal'>): void {
  SENDING_RUNS.add(signal);
}

export function hasSent({ signal }: Pick<Ports, 'signal'>): boolean {
  return SENDING_RUNS.has(signal);
}

/**
 * Adds a text to the `Stopped` error of a command that runs until a signal stops it. Such a command has nothing left to send.
 * @param text a sentence about the state now
 * @returns the same error if it is no signal, or already has a failure
 */
export function withEndText(error: unknown, text: string): unknown {
  if (!(error instanceof Stopped) || error.failure !== null) return error;
  const end = new Failure('unsafe', text, { outcome: 'sent', cause: error });
  return new Stopped(error.signalName, error.exitCode, end);
}

/**
 * Waits for the work, or rejects with the signal's reason if the signal comes first; the work itself goes on.
 * @param grace work that ends within this time after the signal still counts
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
