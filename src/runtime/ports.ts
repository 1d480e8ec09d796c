/** Everything a command may know of the world it runs in, and what ends its waits; a test passes its own. */
import type { MachineClock, Zone, Clock, Random } from './clock.js';
import { Failure } from './failure.js';
import type { Paths } from './folders.js';
import type { Processes } from './processes.js';
import type { DataOutput, Input, Output } from './streams.js';
import type { Transport } from './transport.js';
import type { readTrusted } from './trusted-file.js';

/** Environment variables. Keys are taken out once they are read. */
export type Environ = Record<string, string | undefined>;

/** Hides secrets in a text: idempotent, and what it has learned to hide stays hidden. */
export interface Redactor {
  (text: string): string;
  /** Hides these too, from now on: a key, a webhook secret, a one-time code. Empty ones are ignored. */
  add(secrets: Iterable<string>): void;
}

/** What a thread of the built program begins with: a file, or the code itself. Its first argument is the part of the program to run. */
export interface ThreadStart {
  readonly source: string;
  readonly isCode: boolean;
  /** The pack that it has to take, its second argument: a version that was installed meanwhile is not what asks it. */
  readonly pack?: string;
}

/** A terminal as a dialogue needs it: raw keys in, frames out. Standard output is not part of it: that carries data. */
export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** Standard input and standard error of this process. */
export function processTerminal(): Terminal {
  return { input: process.stdin, output: process.stderr };
}

/** What a line of a log says beside its text. */
export interface LogFacts {
  /** `info` unless given. */
  readonly level?: 'debug' | 'info' | 'warn' | 'error';
  readonly eventId?: string;
  readonly attempt?: number;
  readonly ms?: number;
}

/** What the administrator of this machine has put there, and no flag, variable or folder changes. */
export interface Machine {
  /** The policy for what is sent live. */
  readonly policyFile: string;
  /** Where `ssh-keygen` may be, the first one that is there counts. */
  readonly keygens: readonly string[];
  /** A file that the user who runs svc cannot have made. */
  readonly readTrusted: typeof readTrusted;
  /** The locks that this process and those above it were given when they began, as they were written. */
  readonly parentLocks: () => readonly string[];
}

export interface Ports {
  readonly env: Environ;
  readonly input: Input;
  /** Standard output: data and nothing else. */
  readonly output: DataOutput;
  /** Standard error: notes, prompts, progress, errors. */
  readonly errors: Output;
  /** Where what is said there is a log of objects: takes an entry. */
  readonly log?: (text: string, facts?: LogFacts) => Promise<void>;
  /** The one redactor: all text on standard error passes through it, and code that loads a secret adds it. */
  readonly redact: Redactor;
  readonly clock: MachineClock;
  /** Where the reader is, for what is laid out for a person. */
  readonly zone: Zone;
  readonly random: Random;
  readonly paths: Paths;
  /** A stack trace with the places in the sources that bundled code came from. */
  readonly mapStack: (stack: string) => string;
  /** The id of this process. */
  readonly pid: number;
  readonly processes: Processes;
  readonly machine: Machine;
  /** Stops what a command waits for: its reason is a `Stopped`. */
  readonly signal: AbortSignal;
  /** For threads of the built program; without it, their work is done where it is asked for. */
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
    /** What became of the request that was under way, where there was one. */
    readonly failure: Failure | null = null,
  ) {
    super(`Stopped by ${signalName}.`);
  }
}

/** Runs, by their signals, from which something else than a read has left. */
const SENT = new WeakSet<AbortSignal>();

export function noteSending({ signal }: Pick<Ports, 'signal'>): void {
  SENT.add(signal);
}

export function hasSent({ signal }: Pick<Ports, 'signal'>): boolean {
  return SENT.has(signal);
}

/**
 * What ended a command that runs until it is stopped: a signal is how it ends, and nothing that was to be sent is left.
 * @param text what is true now, in a sentence
 * @returns the same error where it is no signal, or one that knows more already
 */
export function asEnd(error: unknown, text: string): unknown {
  if (!(error instanceof Stopped) || error.failure !== null) return error;
  const end = new Failure('unsafe', text, { outcome: 'sent', cause: error });
  return new Stopped(error.signalName, error.exitCode, end);
}

/**
 * What the work comes to, or a rejection with the signal's reason where that is aborted first; the work itself goes on.
 * @param grace work that ends this soon after the signal still counts
 */
export function untilStopped<T>(
  work: Promise<T>,
  signal: AbortSignal,
  grace?: { readonly clock: Clock; readonly ms: number },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = new AbortController();
    const refuse = (): void => {
      reject(signal.reason as Error);
    };
    const stop = (): void => {
      if (grace === undefined) refuse();
      else grace.clock.sleep(grace.ms, ended.signal).then(refuse, () => undefined);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop);
      ended.abort();
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
