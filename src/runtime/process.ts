import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isatty } from 'node:tty';
import { systemClock, systemZone, systemRandom } from './clock.js';
import { fileSyncOf, inputOf, isReported, notesOf, outputOf } from './streams.js';
import { pathsFrom } from './folders.js';
import { markedLock, ancestorValues } from './parents.js';
import { type Machine, Stopped, type Ports, SECRET_VARIABLES } from './ports.js';
import { systemProcesses } from './processes.js';
import { readTrusted } from './trusted-file.js';

const thisMachine: Machine = {
  policyFile: '/etc/svc/policy.json',
  keygens: ['/usr/bin/ssh-keygen', '/usr/local/bin/ssh-keygen', '/opt/homebrew/bin/ssh-keygen'],
  readTrusted,
  parentLocks: () => [...ancestorValues('SVC_LOCK'), ...markedLock()],
};

const STANDARD_OUTPUT = 1;
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export function processPorts(otherPorts: Pick<Ports, 'mapStack' | 'redact' | 'thread'>): Ports {
  const env = { ...process.env };
  for (const name of SECRET_VARIABLES) Reflect.deleteProperty(process.env, name);
  // These variables are deleted, because the client of PostgreSQL would take missing settings from them.
  for (const name of Object.keys(process.env))
    if (/^(PG[A-Z_]+|NODE_PG_FORCE_NATIVE)$/.test(name)) Reflect.deleteProperty(process.env, name);
  return {
    env,
    input: inputOf(() => process.stdin, isatty(0)),
    output: outputOf(process.stdout, fileSyncOf(STANDARD_OUTPUT)),
    errors: notesOf(process.stderr),
    clock: systemClock,
    zone: systemZone,
    random: systemRandom,
    paths: pathsFrom(env, accountHome),
    ...otherPorts,
    pid: process.pid,
    processes: systemProcesses,
    machine: thisMachine,
    signal: stopSignal(),
  };
}

function accountHome(): string | null {
  try {
    return userInfo().homedir;
  } catch {
    return null;
  }
}

function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const [name, exitCode] of Object.entries(SIGNALS) as [keyof typeof SIGNALS, 129 | 130 | 143][]) {
    process.on(name, () => {
      if (controller.signal.aborted) exitNow(exitCode);
      controller.abort(new Stopped(name, exitCode));
    });
  }
  return controller.signal;
}

export function onUncaught(report: (error: unknown) => void): void {
  let isReporting = false;
  const reportOnce = (error: unknown): void => {
    if (isReporting) exitNow(1);
    isReporting = true;
    report(error);
  };
  // oclif also throws errors of standard output, which may already be reported.
  process.on('uncaughtException', (error) => {
    if (!isReported(error)) reportOnce(error);
  });
  process.on('unhandledRejection', reportOnce);
}

/** The exit code is 1 until `endProcess` sets another, so that a process that ends too early fails. */
export function beginProcess(): string[] {
  process.exitCode = 1;
  return process.argv.slice(2);
}

export async function endProcess(exitCode: number): Promise<void> {
  process.exitCode = exitCode;
  for (const name of Object.keys(SIGNALS)) process.removeAllListeners(name);
  await Promise.race([
    Promise.all([waitForDrain(process.stdout), waitForDrain(process.stderr)]),
    systemClock.sleep(2000),
  ]);
  exitNow(exitCode);
}

const libraryCalls = new Set<Promise<unknown>>();

export function trackLibraryCall<T>(call: Promise<T>): Promise<T> {
  const forget = (): void => void libraryCalls.delete(call);
  libraryCalls.add(call);
  call.then(forget, forget);
  return call;
}

const SHELL = '/bin/sh';

/** A shell replaces this process (`execve`), because `process.exit` waits for blocked threads. */
function exitNow(exitCode: number): never {
  const isBlocked = libraryCalls.size > 0 || process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap');
  if (isBlocked && existsSync(SHELL)) {
    process.emit('exit', exitCode);
    // The streams get their initial state back, because other processes share them.
    if (process.stdin.isRaw) process.stdin.setRawMode(false);
    for (const stream of [process.stdin, process.stdout, process.stderr]) {
      const { _handle: handle } = stream as { _handle?: { setBlocking?(isBlocking: boolean): void } };
      handle?.setBlocking?.(true);
    }
    process.execve?.(SHELL, ['sh', '-c', `exit ${exitCode}`], {});
  }
  process.exit(exitCode);
}

function waitForDrain(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) resolve();
    else
      stream
        .once('drain', resolve)
        .once('close', resolve)
        .once('error', () => resolve());
  });
}
