/** Runs a command line in this process, with a fake clock and streams that are plain data. */
import { rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { run } from '../../src/main.js';
import { createRedactor } from '../../src/output/redact.js';
import { systemClock, UTC, type MachineClock, type Zone, systemRandom } from '../../src/runtime/clock.js';
import { coalesceSyncs, type DataOutput, ReaderGone, type Output } from '../../src/runtime/streams.js';
import { Failure } from '../../src/runtime/failure.js';
import { pathsFrom } from '../../src/runtime/folders.js';
import { type Processes, systemProcesses } from '../../src/runtime/processes.js';
import type { Machine, Ports } from '../../src/runtime/ports.js';
import type { HttpRequest, Transport } from '../../src/runtime/transport.js';
import { fakeClock, type FakeClock } from './fake-clock.js';
import { fresh } from './fresh.js';
import { BARE_MACHINE } from './machine.js';
import { testFolder } from './test-folder.js';

export type Result = ReturnType<typeof resultOf>;
export type World = ReturnType<typeof world>;

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  readonly transport?: Transport;
  readonly readLine?: () => Promise<string>;
  readonly tty?: { readonly stdin?: boolean; readonly stdout?: boolean; readonly stderr?: boolean };
  readonly columns?: number;
  readonly zone?: Zone;
  readonly signal?: AbortSignal;
  readonly clock?: MachineClock;
  readonly processes?: Processes;
  readonly machine?: Machine;
  readonly run?: typeof run;
  readonly breakAfterWrites?: number;
  readonly writeError?: Error;
  readonly sync?: () => Promise<void>;
  /** Uses the real network with its time limits. Waits between attempts still take no time. */
  readonly wire?: boolean;
  readonly onData?: (text: string) => void;
  readonly onNote?: (text: string) => void;
}

/** Removed with its test, or with the test file that made it. */
export function world(startIso = '2026-09-23T15:00:00Z') {
  const home = testFolder();
  const clock = fakeClock(Date.parse(startIso));
  const portsOf = (options: RunOptions, output: DataOutput, errors: Output): Ports => {
    const env = { HOME: home, ...options.env };
    const signal = options.signal ?? new AbortController().signal;
    return {
      env,
      input: inputOf(options),
      output,
      errors,
      clock: options.clock ?? (options.wire === true ? wireClock(clock, signal) : clock),
      zone: options.zone ?? UTC,
      random: systemRandom,
      paths: pathsFrom(env, () => home),
      mapStack: (stack) => stack,
      redact: createRedactor([]),
      pid: 4242,
      processes: options.processes ?? systemProcesses,
      machine: options.machine ?? BARE_MACHINE,
      signal,
      ...(options.transport === undefined ? {} : { transport: options.transport }),
    };
  };
  return {
    home,
    clock,
    ports: portsOf({}, collector(false, 80).output, collector(false, 80).output),
    async svc(argv: string | readonly string[], options: RunOptions = {}): Promise<Result> {
      const { tty = {}, columns = 80 } = options;
      const { breakAfterWrites, writeError, sync, onData, onNote } = options;
      const watched = { breakAfterWrites, writeError, sync, onWrite: onData };
      const out = collector(tty.stdout ?? false, columns, watched);
      const err = collector(tty.stderr ?? false, columns, { onWrite: onNote });
      const words = typeof argv === 'string' ? argv.split(' ').filter((word) => word !== '') : argv;
      const program = options.run ?? run;
      const exitCode = await program(words, portsOf(options, out.output, err.output));
      return resultOf(exitCode, out.bytes(), err.bytes());
    },
    remove: (): void => rmSync(home, { recursive: true, force: true }),
  };
}

export const eachWorld = (startIso?: string): World => fresh(() => world(startIso));

export function watched(line: Transport, look: (request: HttpRequest) => unknown): Transport {
  return (request, options) => {
    look(request);
    return line(request, options);
  };
}

function resultOf(exitCode: number, bytes: Buffer, errors: Buffer) {
  const stdout = bytes.toString('utf8');
  const stderr = errors.toString('utf8');
  const error = (): Record<string, unknown> => {
    const last = stderr.trimEnd().split('\n').at(-1) ?? '';
    return (JSON.parse(last) as { error: Record<string, unknown> }).error;
  };
  return {
    exitCode,
    stdout,
    stderr,
    bytes,
    json: () => {
      if (stdout === '') throw new Error(`nothing on standard output (exit ${String(exitCode)}): ${stderr}`);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    error,
    failure: () => `${String(error()['exit_code'])} ${String(error()['code'])}`,
  };
}

function wireClock(clock: FakeClock, command: AbortSignal): MachineClock {
  const startMs = systemClock.monotonic();
  return {
    ...clock,
    monotonic: () => clock.monotonic() + Math.floor(systemClock.monotonic() - startMs),
    sleep: (ms, signal) =>
      signal === undefined || signal === command ? clock.sleep(ms, signal) : systemClock.sleep(ms, signal),
  };
}

interface Watched {
  readonly breakAfterWrites?: number | undefined;
  readonly writeError?: Error | undefined;
  readonly sync?: (() => Promise<void>) | undefined;
  readonly onWrite?: ((text: string) => void) | undefined;
}

function collector(isTTY: boolean, columns: number, watched: Watched = {}) {
  const { breakAfterWrites = Infinity, writeError = new ReaderGone('gone'), onWrite } = watched;
  const { noteWrite, durable } = coalesceSyncs(watched.sync ?? (() => Promise.resolve()));
  const chunks: Buffer[] = [];
  const output: DataOutput = {
    isTTY,
    columns,
    write: (chunk) => {
      if (chunks.length >= breakAfterWrites) return Promise.reject(writeError);
      chunks.push(Buffer.from(chunk));
      noteWrite();
      onWrite?.(Buffer.from(chunk).toString('utf8'));
      return Promise.resolve();
    },
    durable,
  };
  return { output, bytes: () => Buffer.concat(chunks) };
}

function inputOf({ stdin = '', tty = {}, readLine }: RunOptions): Ports['input'] {
  return {
    isTTY: tty.stdin ?? false,
    readAll: (maxBytes) =>
      Buffer.byteLength(stdin) > maxBytes
        ? Promise.reject(new Failure('usage', 'Standard input is too long. Nothing was sent.'))
        : Promise.resolve(Buffer.from(stdin)),
    chunks: () => Readable.from([Buffer.from(stdin)].filter(({ length }) => length > 0)),
    readLine: readLine ?? (() => Promise.resolve(Buffer.from(stdin).toString('utf8').split('\n')[0] ?? null)),
  };
}
