/** The port to other programs: runs a command line of the user's with some bytes on its standard input, or a program as it was typed. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { endGroup, guardGroup, holdGroup } from './child-group.js';

export interface ChildEnd {
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  readonly signalName: string | null;
}

export interface ChildOptions {
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

/**
 * Runs a program with its arguments as they are, in no shell, with the streams of this process. When it has ended, what it started and
 * left behind in its process group is ended too; so is all of it where this process is killed.
 * @throws the system's error where it can't be started: `ENOENT` where there is no such program
 */
export async function runProgram(
  [file = '', ...args]: readonly string[],
  { env, signal }: Omit<ChildOptions, 'input'>,
): Promise<ChildEnd> {
  const child = spawn(file, args, { env: { ...env }, stdio: 'inherit', detached: true });
  const ended = new Promise<ChildEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, signalName) => resolve({ exitCode, signalName }));
  });
  const release = holdGroup(child, signal);
  const dismiss = guardGroup(child.pid);
  try {
    return await ended;
  } finally {
    await endGroup(child.pid);
    dismiss();
    release();
  }
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
