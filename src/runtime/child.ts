import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import type { Writable } from 'node:stream';
import { systemClock } from './clock.js';
import { errorCode } from './folders.js';
import { Stopped, type Environ } from './ports.js';

export interface ChildEnd {
  readonly exitCode: number | null;
  readonly signalName: string | null;
}

interface ChildOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: Uint8Array;
  readonly signal: AbortSignal;
}

export async function runShell(commandLine: string, { env, input, signal }: ChildOptions): Promise<ChildEnd> {
  const child = spawn('/bin/sh', ['-c', commandLine], {
    env: { ...env },
    stdio: ['pipe', 'inherit', 'inherit'],
    // `detached` makes a process group, because a signal must reach every command of the line.
    detached: true,
  });
  requireStreams(child);
  const release = tieGroup(child, signal);
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return endOf(child, 'close').finally(release);
}

/** `close` comes after `exit`, when the streams of the child have ended too. */
export function endOf(child: ChildProcess, event: 'exit' | 'close' = 'exit'): Promise<ChildEnd> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once(event, (exitCode: number | null, signalName: string | null) =>
      resolve({ exitCode, signalName }),
    );
  });
}

export interface ProgramOptions extends Omit<ChildOptions, 'input'> {
  readonly kill?: AbortSignal;
  readonly onOutput?: (chunk: Uint8Array, stream: 'output' | 'errors') => void;
  readonly outputWaitMs?: number;
}

export async function runProgram(
  [file = '', ...args]: readonly string[],
  { env, signal, kill, onOutput, outputWaitMs = OUTPUT_WAIT_MS }: ProgramOptions,
): Promise<ChildEnd> {
  const guard = startGuard();
  try {
    const stdio = onOutput === undefined ? 'inherit' : (['ignore', 'pipe', 'pipe'] as const);
    const child = spawn(file, args, { env: { ...env }, stdio: stdio as StdioOptions, detached: true });
    requireStreams(child);
    guard.watch(child.pid);
    const release = tieGroup(child, signal);
    const killGroup = (): void => void signalGroup(child.pid, 'SIGKILL');
    if (kill?.aborted === true) killGroup();
    kill?.addEventListener('abort', killGroup, { once: true });
    const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
    child.stdout?.on('data', (chunk: Uint8Array) => onOutput?.(chunk, 'output'));
    child.stderr?.on('data', (chunk: Uint8Array) => onOutput?.(chunk, 'errors'));
    const streamsClosed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    try {
      return await endOf(child);
    } finally {
      if (kill?.aborted === true) killGroup();
      else await endGroup(child.pid);
      kill?.removeEventListener('abort', killGroup);
      if (child.pid !== undefined && streams.length > 0) {
        const waitEnd = new AbortController();
        const limit = systemClock.sleep(outputWaitMs, waitEnd.signal).catch(() => undefined);
        await Promise.race([streamsClosed, limit]);
        waitEnd.abort();
      }
      for (const stream of streams) stream.destroy();
      release();
    }
  } finally {
    guard.dismiss();
  }
}

const TERMINAL_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
const FORWARDED_SIGNALS: readonly NodeJS.Signals[] = [
  ...TERMINAL_SIGNALS,
  'SIGHUP',
  'SIGTERM',
  'SIGUSR1',
  'SIGUSR2',
];

export async function runInPlace(
  [file = '', ...args]: readonly string[],
  { env, signal }: ProgramOptions,
): Promise<ChildEnd> {
  signal.throwIfAborted();
  const isAtTerminal = [0, 1, 2].some((stream) => isatty(stream));
  let child = null as ChildProcess | null;
  // The handlers come before the spawn, because a signal may arrive as soon as the program runs.
  for (const name of FORWARDED_SIGNALS) {
    process.removeAllListeners(name);
    process.on(name, () => {
      if (!isAtTerminal || !TERMINAL_SIGNALS.includes(name)) child?.kill(name);
    });
  }
  child = spawn(file, args, { env: { ...env }, stdio: 'inherit' });
  const end = await endOf(child);
  for (const name of FORWARDED_SIGNALS) process.removeAllListeners(name);
  if (end.signalName !== null) process.kill(process.pid, end.signalName);
  return end;
}

export function shellCode({ exitCode, signalName }: ChildEnd): number {
  if (exitCode !== null) return exitCode;
  return 128 + (signalName === null ? 0 : constants.signals[signalName as NodeJS.Signals]);
}

export async function runInBackground(
  [file = '', ...args]: readonly string[],
  { env, timeoutMs }: Pick<ChildOptions, 'env'> & { readonly timeoutMs: number },
): Promise<ChildEnd> {
  const child = spawn(file, args, { env: { ...env }, stdio: 'ignore', timeout: timeoutMs });
  child.unref();
  return endOf(child);
}

const NOT_RUNNING_CODES: ReadonlySet<string> = new Set(['ESRCH', 'EPERM']);
const GRACE_MS = 2000;
const POLL_MS = 10;
const OUTPUT_WAIT_MS = 100;

function tieGroup(child: ChildProcess, signal: AbortSignal): () => void {
  const stop = (): void => {
    signalGroup(child.pid, signal.reason instanceof Stopped ? signal.reason.signalName : 'SIGTERM');
  };
  const kill = (): void => void signalGroup(child.pid, 'SIGKILL');
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  process.once('exit', kill);
  // `kill` is prepended, because a listener in bin/lifeline.js ends this process.
  process.prependOnceListener('disconnect', kill);
  return () => {
    signal.removeEventListener('abort', stop);
    process.removeListener('exit', kill);
    process.removeListener('disconnect', kill);
  };
}

function startGuard(): { watch(leader: number | undefined): void; dismiss(): void } {
  const input = startWatcher('read -r leader && { read -r done || kill -KILL "-$leader"; }');
  let hasLeader = false;
  return {
    watch: (leader) => {
      if (leader === undefined) return;
      hasLeader = true;
      input.write(`${String(leader)}\n`);
    },
    dismiss: () => input.end(hasLeader ? 'done\n' : ''),
  };
}

export async function endGroup(leader: number | undefined): Promise<void> {
  if (!signalGroup(leader, 'SIGTERM')) return;
  for (let waitedMs = 0; waitedMs < GRACE_MS; waitedMs += POLL_MS) {
    await systemClock.sleep(POLL_MS);
    if (!signalGroup(leader, 0)) return;
  }
  signalGroup(leader, 'SIGKILL');
}

function signalGroup(leader: number | undefined, name: NodeJS.Signals | 0): boolean {
  if (leader === undefined) return false;
  try {
    return process.kill(-leader, name);
  } catch (error) {
    if (!NOT_RUNNING_CODES.has(errorCode(error) ?? '')) throw error;
    return false;
  }
}

/** Runs the script when this process ends, even by SIGKILL. The returned function cancels it. */
export function runAfterExit(script: string, argument: string): () => void {
  const input = startWatcher(`read -r done || { ${script}; }`, argument);
  return () => input.end('done\n');
}

function startWatcher(script: string, ...args: readonly string[]): Writable {
  const watcher = spawn('/bin/sh', ['-c', script, 'sh', ...args], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  requireStreams(watcher);
  watcher.once('error', () => undefined);
  watcher.stdin.on('error', () => undefined);
  return watcher.stdin;
}

/** If no more files may be opened, `spawn` returns a child without streams and reports the error later. */
function requireStreams(child: Partial<Pick<ChildProcess, 'stdin'>> & Pick<ChildProcess, 'once'>): void {
  if (child.stdin !== undefined) return;
  child.once('error', () => undefined);
  throw new Error('spawn EMFILE');
}

export function openBrowser(url: string, env: Environ): void {
  const isMac = process.platform === 'darwin';
  if (!isMac && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return;
  const child = spawn(isMac ? 'open' : 'xdg-open', [url], {
    env: { ...env },
    stdio: 'ignore',
    detached: true,
  });
  child.once('error', () => undefined);
  child.unref();
}
