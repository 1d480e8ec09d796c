/** The port to other programs: a command line or a program of the user's, its process group, a shell that outlives this process, a browser. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import type { Writable } from 'node:stream';
import { systemClock } from './clock.js';
import { errorCode } from './folders.js';
import { Stopped, type Environ } from './ports.js';

export interface ChildEnd {
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  readonly signalName: string | null;
}

interface ChildOptions {
  /** All it gets to see of the environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: Uint8Array;
  /**
   * Where it is aborted, the child and all that it started get the signal that this process got; how it ends is still waited for.
   * Where this process ends before them, they are killed.
   */
  readonly signal: AbortSignal;
}

/**
 * Runs the command line in a shell (`sh -c`); its output and errors go where those of this process go.
 * A child that does not read its input has still ended in its own way.
 * @throws the system's error where the shell can't be started
 */
export function runShell(commandLine: string, { env, input, signal }: ChildOptions): Promise<ChildEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', commandLine], {
      env: { ...env },
      stdio: ['pipe', 'inherit', 'inherit'],
      // A group of its own: a signal reaches every command of the line, and Ctrl-C reaches it once, through us.
      detached: true,
    });
    requireStreams(child);
    const release = holdGroup(child, signal);
    child.once('error', (error) => {
      release();
      reject(error);
    });
    child.once('close', (exitCode, signalName) => {
      release();
      resolve({ exitCode, signalName });
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

export interface ProgramOptions extends Omit<ChildOptions, 'input'> {
  /** Where it is aborted, the program and all that it started in its process group are killed at once. */
  readonly kill?: AbortSignal;
  /** Gets what it prints, and on which stream, and its input is empty; without it the streams are those of this process. */
  readonly onOutput?: (chunk: Uint8Array, stream: 'output' | 'errors') => void;
  /**
   * How long what was printed at the very end may take to arrive, in milliseconds (100): what has left the process group may hold the streams
   * for longer, and a busy machine takes longer to hand over the last of it.
   */
  readonly lastOutputMs?: number;
}

/**
 * Runs a program with its arguments as they are, in no shell. When it has ended, what it started and
 * left behind in its process group is ended too; so is all of it where this process is killed,
 * but not within the milliseconds in which it tells the guard the program's number.
 * @throws the system's error where it can't be started: `ENOENT` where there is no such program
 */
export async function runProgram(
  [file = '', ...args]: readonly string[],
  { env, signal, kill, onOutput, lastOutputMs = LAST_OUTPUT_MS }: ProgramOptions,
): Promise<ChildEnd> {
  // It is there before the child is, and needs its number only.
  const guard = startGuard();
  try {
    const stdio = onOutput === undefined ? 'inherit' : (['ignore', 'pipe', 'pipe'] as const);
    const child = spawn(file, args, { env: { ...env }, stdio: stdio as StdioOptions, detached: true });
    requireStreams(child);
    guard.take(child.pid);
    const release = holdGroup(child, signal);
    const killGroup = (): void => void signalGroup(child.pid, 'SIGKILL');
    if (kill?.aborted === true) killGroup();
    kill?.addEventListener('abort', killGroup, { once: true });
    const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
    child.stdout?.on('data', (chunk: Uint8Array) => onOutput?.(chunk, 'output'));
    child.stderr?.on('data', (chunk: Uint8Array) => onOutput?.(chunk, 'errors'));
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    try {
      return await new Promise<ChildEnd>((resolve, reject) => {
        child.once('error', reject);
        child.once('exit', (exitCode, signalName) => resolve({ exitCode, signalName }));
      });
    } finally {
      if (kill?.aborted === true) killGroup();
      else await endGroup(child.pid);
      kill?.removeEventListener('abort', killGroup);
      if (child.pid !== undefined && streams.length > 0) {
        // What has left the group may hold the streams for ever.
        const ended = new AbortController();
        const limit = systemClock.sleep(lastOutputMs, ended.signal).catch(() => undefined);
        await Promise.race([closed, limit]);
        ended.abort();
      }
      for (const stream of streams) stream.destroy();
      release();
    }
  } finally {
    guard.dismiss();
  }
}

/** The terminal sends these to the program as well: both are in its foreground. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
const PASSED_ON: readonly NodeJS.Signals[] = [...FROM_TERMINAL, 'SIGHUP', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'];

/**
 * Runs a program in this process's place: it has the streams, the terminal and every signal, and what it leaves behind stays. A signal that ends it
 * ends this process.
 * @throws the system's error where it can't be started
 */
export async function runInPlace(
  [file = '', ...args]: readonly string[],
  { env, signal }: ProgramOptions,
): Promise<ChildEnd> {
  signal.throwIfAborted();
  const atTerminal = [0, 1, 2].some((stream) => isatty(stream));
  let child: ChildProcess | undefined;
  // Before it is started: it may be ready to get one at once.
  for (const name of PASSED_ON) {
    process.removeAllListeners(name);
    process.on(name, () => {
      if (!atTerminal || !FROM_TERMINAL.includes(name)) child?.kill(name);
    });
  }
  const end = await new Promise<ChildEnd>((resolve, reject) => {
    child = spawn(file, args, { env: { ...env }, stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (exitCode, signalName) => resolve({ exitCode, signalName }));
  });
  for (const name of PASSED_ON) process.removeAllListeners(name);
  if (end.signalName !== null) process.kill(process.pid, end.signalName);
  return end;
}

/** The exit code that a shell shows for how a program ended. */
export function shellCode({ exitCode, signalName }: ChildEnd): number {
  if (exitCode !== null) return exitCode;
  return 128 + (signalName === null ? 0 : constants.signals[signalName as NodeJS.Signals]);
}

/**
 * Runs a program that says nothing to anybody here and keeps no process waiting; where it takes too long it is killed.
 * @throws the system's error where it can't be started: `ENOENT` where there is no such program
 */
export function runAside(
  [file = '', ...args]: readonly string[],
  { env, timeoutMs }: Pick<ChildOptions, 'env'> & { readonly timeoutMs: number },
): Promise<ChildEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env: { ...env }, stdio: 'ignore', timeout: timeoutMs });
    child.unref();
    child.once('error', reject);
    child.once('exit', (exitCode, signalName) => resolve({ exitCode, signalName }));
  });
}

const GONE: ReadonlySet<string> = new Set(['ESRCH', 'EPERM']);
/** How long what a program left behind may take to end once it was asked to. */
const GRACE_MS = 2000;
const LOOK_MS = 10;
const LAST_OUTPUT_MS = 100;

/** Passes the signal on, and ends the group with this process. @returns lets go of it */
function holdGroup(child: ChildProcess, signal: AbortSignal): () => void {
  const stop = (): void => {
    signalGroup(child.pid, signal.reason instanceof Stopped ? signal.reason.signalName : 'SIGTERM');
  };
  const kill = (): void => {
    signalGroup(child.pid, 'SIGKILL');
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  process.once('exit', kill);
  // Before the one that ends this process where its launcher was killed (bin/lifeline.js).
  process.prependOnceListener('disconnect', kill);
  return () => {
    signal.removeEventListener('abort', stop);
    process.removeListener('exit', kill);
    process.removeListener('disconnect', kill);
  };
}

/** A process that kills a group where this process is gone, killed itself for example. */
function startGuard(): { take(leader: number | undefined): void; dismiss(): void } {
  const input = startSurvivor('read -r leader && { read -r done || kill -KILL "-$leader"; }');
  let isTaken = false;
  return {
    take: (leader) => {
      if (leader === undefined) return;
      isTaken = true;
      input.write(`${String(leader)}\n`);
    },
    dismiss: () => input.end(isTaken ? 'done\n' : ''),
  };
}

/** Asks first, and kills what does not go. What has ended and was not fetched by its parent yet still counts as there. */
export async function endGroup(leader: number | undefined): Promise<void> {
  if (!signalGroup(leader, 'SIGTERM')) return;
  for (let waitedMs = 0; waitedMs < GRACE_MS; waitedMs += LOOK_MS) {
    await systemClock.sleep(LOOK_MS);
    if (!signalGroup(leader, 0)) return;
  }
  signalGroup(leader, 'SIGKILL');
}

/**
 * Without an id it was never started; a group that is none, or holds nothing of ours any more, has ended.
 * @returns whether there was anybody to get it
 */
function signalGroup(leader: number | undefined, name: NodeJS.Signals | 0): boolean {
  if (leader === undefined) return false;
  try {
    return process.kill(-leader, name);
  } catch (error) {
    if (!GONE.has(errorCode(error) ?? '')) throw error;
    return false;
  }
}

/**
 * @param script what is done, with `$1` as what it is done to; its output goes nowhere
 * @returns says that there is nothing to do any more
 */
export function leaveToSurvivor(script: string, about: string): () => void {
  const input = startSurvivor(`read -r done || { ${script}; }`, about);
  return () => input.end('done\n');
}

/** Its standard input, which ends with this process. */
function startSurvivor(script: string, ...args: readonly string[]): Writable {
  const survivor = spawn('/bin/sh', ['-c', script, 'sh', ...args], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  requireStreams(survivor);
  survivor.once('error', () => undefined);
  survivor.stdin.on('error', () => undefined);
  return survivor.stdin;
}

/** Where no more files may be opened, a child has no streams; its error comes later. */
function requireStreams(child: Partial<Pick<ChildProcess, 'stdin'>> & Pick<ChildProcess, 'once'>): void {
  if (child.stdin !== undefined) return;
  child.once('error', () => undefined);
  throw new Error('spawn EMFILE');
}

/** Quietly nothing where there is no screen, no such program, or one that fails: the address was printed. */
export function openBrowser(url: string, env: Environ): void {
  const isMac = process.platform === 'darwin';
  // Without a screen xdg-open would begin a browser in the terminal.
  if (!isMac && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return;
  const child = spawn(isMac ? 'open' : 'xdg-open', [url], {
    env: { ...env },
    stdio: 'ignore',
    detached: true,
  });
  child.once('error', () => undefined);
  child.unref();
}
