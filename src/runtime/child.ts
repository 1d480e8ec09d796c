/** The port to other programs: runs a command line of the user's with some bytes on its standard input. */
import { spawn } from 'node:child_process';
import { errorCode } from './disk.js';
import { Stopped } from './ports.js';

const GONE: ReadonlySet<string> = new Set(['ESRCH', 'EPERM']);

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
    const stop = (): void => {
      signalGroup(child.pid, signal.reason instanceof Stopped ? signal.reason.signalName : 'SIGTERM');
    };
    const kill = (): void => signalGroup(child.pid, 'SIGKILL');
    const release = (): void => {
      signal.removeEventListener('abort', stop);
      process.removeListener('exit', kill);
      process.removeListener('disconnect', kill);
    };
    signal.addEventListener('abort', stop, { once: true });
    process.once('exit', kill);
    // Before the one that ends this process where its launcher was killed (bin/lifeline.js).
    process.prependOnceListener('disconnect', kill);
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

/** Without an id it was never started; a group that is none, or holds nothing of ours any more, has ended. */
function signalGroup(leader: number | undefined, name: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, name);
  } catch (error) {
    if (!GONE.has(errorCode(error) ?? '')) throw error;
  }
}
