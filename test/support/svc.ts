/** Runs a command line in the process: own folders, a fake clock, streams that are plain data. No port, no sleep. */
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
  /** What a person types, where it takes a while; standard input otherwise. */
  readonly readLine?: () => Promise<string>;
  /** Which streams are terminals; none by default. */
  readonly tty?: { readonly stdin?: boolean; readonly stdout?: boolean; readonly stderr?: boolean };
  readonly columns?: number;
  /** Where the reader is; UTC by default. */
  readonly zone?: Zone;
  readonly signal?: AbortSignal;
  /** Another clock than the world's: a machine that is set wrong. */
  readonly clock?: MachineClock;
  /** Another one of this machine's processes than the test's own. */
  readonly processes?: Processes;
  /** What an administrator has put on it; nothing by default. */
  readonly machine?: Machine;
  /** Another program than the one of the sources. */
  readonly run?: typeof run;
  /** Standard output breaks after so many writes: its reader is gone, or it fails with `writeError`. */
  readonly breakAfterWrites?: number;
  readonly writeError?: Error;
  /** Standard output is a file: puts on the disk what was written to it. */
  readonly sync?: () => Promise<void>;
  /** The real network: its time limits pass as they do; waits between attempts and polls still take no time. */
  readonly wire?: boolean;
  /** Told of everything that is written to standard output, as it is written. */
  readonly onData?: (text: string) => void;
  /** Told of everything that is written to standard error, as it is written. */
  readonly onNote?: (text: string) => void;
}

/** Goes with its test, or with the file that made it for all of its tests. */
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
    /** Runs one command line; the folders stay from one to the next. */
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
    /** Before its time. */
    remove: (): void => rmSync(home, { recursive: true, force: true }),
  };
}

/** A world for each test of a file or of a block: each begins with a new one. */
export const eachWorld = (startIso?: string): World => fresh(() => world(startIso));

/** The same line; somebody looks at each request before it leaves. */
export function watched(line: Transport, look: (request: HttpRequest) => unknown): Transport {
  return (request, options) => {
    look(request);
    return line(request, options);
  };
}

function resultOf(exitCode: number, bytes: Buffer, errors: Buffer) {
  const stdout = bytes.toString('utf8');
  const stderr = errors.toString('utf8');
  /** The error object on the last line of standard error. */
  const error = (): Record<string, unknown> => {
    const last = stderr.trimEnd().split('\n').at(-1) ?? '';
    return (JSON.parse(last) as { error: Record<string, unknown> }).error;
  };
  return {
    exitCode,
    stdout,
    stderr,
    /** The raw bytes of standard output. */
    bytes,
    json: () => {
      if (stdout === '') throw new Error(`nothing on standard output (exit ${String(exitCode)}): ${stderr}`);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    error,
    /** The exit code and the code of that object, such as `13 locked`. */
    failure: () => `${String(error()['exit_code'])} ${String(error()['code'])}`,
  };
}

/** The transport hands its limits to a signal of its own; the pauses of a command end with the signal of the command. */
function wireClock(clock: FakeClock, command: AbortSignal): MachineClock {
  const startMs = systemClock.monotonic();
  return {
    ...clock,
    // A limit is held by what passes between two looks at it.
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
