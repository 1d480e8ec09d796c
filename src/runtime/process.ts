/** The machine's own ports: the only place that touches `process`. */
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isatty } from 'node:tty';
import { systemClock, systemZone, systemRandom } from './clock.js';
import { fileSync, inputOf, isTold, notesOf, outputOf } from './streams.js';
import { pathsFrom } from './folders.js';
import { markedLock, valuesAbove } from './parents.js';
import { type Machine, Stopped, type Ports, SECRET_VARIABLES } from './ports.js';
import { systemProcesses } from './processes.js';
import { readTrusted } from './trusted-file.js';

/** No flag, variable or folder changes any of it. */
const thisMachine: Machine = {
  policyFile: '/etc/svc/policy.json',
  keygens: ['/usr/bin/ssh-keygen', '/usr/local/bin/ssh-keygen', '/opt/homebrew/bin/ssh-keygen'],
  readTrusted,
  parentLocks: () => [...valuesAbove('SVC_LOCK'), ...markedLock()],
};

const STANDARD_OUTPUT = 1;
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** The ports of this process. The environment is a copy; keys and signing secrets are removed from the process's own at once. */
export function processPorts(given: Pick<Ports, 'mapStack' | 'redact' | 'thread'>): Ports {
  const env = { ...process.env };
  for (const name of SECRET_VARIABLES) Reflect.deleteProperty(process.env, name);
  // The client of PostgreSQL would take from these what was not said: options, certificates, a password.
  for (const name of Object.keys(process.env))
    if (/^(PG[A-Z_]+|NODE_PG_FORCE_NATIVE)$/.test(name)) Reflect.deleteProperty(process.env, name);
  return {
    env,
    input: inputOf(() => process.stdin, isatty(0)),
    output: outputOf(process.stdout, fileSync(STANDARD_OUTPUT)),
    errors: notesOf(process.stderr),
    clock: systemClock,
    zone: systemZone,
    random: systemRandom,
    paths: pathsFrom(env, accountHome),
    ...given,
    pid: process.pid,
    processes: systemProcesses,
    machine: thisMachine,
    signal: signals(),
  };
}

/** The home of the account, whatever HOME says; null where the account is unknown here, as in many containers. */
function accountHome(): string | null {
  try {
    return userInfo().homedir;
  } catch {
    return null;
  }
}

/** Aborts on the first INT, TERM or HUP; a second one ends the process at once. */
function signals(): AbortSignal {
  const controller = new AbortController();
  for (const [name, exitCode] of Object.entries(SIGNALS) as [keyof typeof SIGNALS, 129 | 130 | 143][]) {
    process.on(name, () => {
      if (controller.signal.aborted) leave(exitCode);
      controller.abort(new Stopped(name, exitCode));
    });
  }
  return controller.signal;
}

/**
 * Calls back for an error that nobody caught: a defect, whose report must not print secrets either. An error of the report itself ends the
 * process: else it would be reported for ever.
 */
export function onUncaught(tellOf: (error: unknown) => void): void {
  let isTelling = false;
  const tell = (error: unknown): void => {
    if (isTelling) leave(1);
    isTelling = true;
    tellOf(error);
  };
  // oclif listens to standard output too, and throws what it hears.
  process.on('uncaughtException', (error) => {
    if (!isTold(error)) tell(error);
  });
  process.on('unhandledRejection', tell);
}

/** From now on the process fails unless `endProcess` says otherwise: one that merely has nothing left to do has not succeeded. */
export function beginProcess(): void {
  process.exitCode = 1;
}

/** The arguments of this process, without the runtime and the script. */
export function processArguments(): string[] {
  return process.argv.slice(2);
}

/**
 * Ends with that exit code once what was written is flushed, and in any case soon: nothing that still waits (an idle connection, a timer, a
 * thread) holds the process up. A signal ends it at once.
 */
export async function endProcess(exitCode: number): Promise<void> {
  process.exitCode = exitCode;
  for (const name of Object.keys(SIGNALS)) process.removeAllListeners(name);
  await Promise.race([
    Promise.all([drained(process.stdout), drained(process.stderr)]),
    systemClock.sleep(2000),
  ]);
  leave(exitCode);
}

/** Calls into libraries that no signal and no timer can end. */
const calls = new Set<Promise<unknown>>();

/** Lets the process end although a thread of a library still works at this call, for example at a prompt that nobody answers. */
export function abandonable<T>(call: Promise<T>): Promise<T> {
  const forget = (): void => void calls.delete(call);
  calls.add(call);
  call.then(forget, forget);
  return call;
}

const SHELL = '/bin/sh';

/** `process.exit` joins every thread of the pool first, however long it takes. Only another program in place of this one ends them. */
function leave(exitCode: number): never {
  const isHeld = calls.size > 0 || process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap');
  if (isHeld && existsSync(SHELL)) {
    process.emit('exit', exitCode);
    // As they were when the process began: others share them. `process.exit` does the same.
    if (process.stdin.isRaw) process.stdin.setRawMode(false);
    for (const stream of [process.stdin, process.stdout, process.stderr]) {
      const { _handle: handle } = stream as { _handle?: { setBlocking?(isBlocking: boolean): void } };
      handle?.setBlocking?.(true);
    }
    process.execve?.(SHELL, ['sh', '-c', `exit ${exitCode}`], {});
  }
  process.exit(exitCode);
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) resolve();
    else
      stream
        .once('drain', resolve)
        .once('close', resolve)
        .once('error', () => {
          resolve();
        });
  });
}
