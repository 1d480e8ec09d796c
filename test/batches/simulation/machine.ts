import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { createRedactor } from '../../../src/output/redact.js';
import { UTC, type MachineClock, type Random } from '../../../src/runtime/clock.js';
import { pathsFrom } from '../../../src/runtime/folders.js';
import type { Ports } from '../../../src/runtime/ports.js';
import type { Processes } from '../../../src/runtime/processes.js';
import type { DataOutput } from '../../../src/runtime/streams.js';
import { BARE_MACHINE } from '../../support/machine.js';
import { Seeded } from '../../support/seeded.js';
import type { Program } from './program.js';
import { Killed, type CompanyName, type SimulatedService } from './service.js';

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly isKilled: boolean;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly next_command: string | null;
    readonly idempotency_key?: string | null;
    readonly details?: unknown;
  } | null;
}

export interface Life {
  readonly diesHere?: () => boolean;
  readonly turn?: (end: () => void) => Promise<void>;
  readonly isTerminal?: boolean;
}

export type Person = (printed: string) => string;

export type Part = 'both' | 'store' | 'mirror';
export type Snapshot = ReadonlyMap<string, Buffer>;

const UPTIME_MS = 86_400_000;

const STORE = ['batches.db', 'requests.db'];
const MIRROR = ['feed.db'];

export class Machine {
  readonly home = mkdtempSync(join(tmpdir(), 'svc-simulation-'));
  readonly state = pathsFrom({}, () => this.home).state;
  skewMs = 0;
  frozenMs = 0;
  readonly rotations: Record<CompanyName, number> = { A: 0, B: 0 };
  bornAtMs = -Infinity;
  readonly backups: Snapshot[] = [];
  changes = 0;
  readonly #service: SimulatedService;
  readonly #random: Random;
  readonly #program: Program;
  readonly #running = new Set<number>();
  #started = 0;
  #boots = 0;
  #bootedAtMs: number;

  constructor(service: SimulatedService, seed: number, program: Program) {
    this.#service = service;
    this.#program = program;
    this.#bootedAtMs = service.nowMs - UPTIME_MS;
    const seeded = new Seeded(seed);
    const hex = (count: number): string =>
      Array.from({ length: count }, () => seeded.below(256).toString(16).padStart(2, '0')).join('');
    this.#random = { hex, uuid: () => uuidOf(hex(16)), fraction: () => seeded.fraction() };
    mkdirSync(this.state, { recursive: true, mode: 0o700 });
  }

  async svc(
    words: readonly string[],
    company: CompanyName,
    person: Person,
    { diesHere, turn, isTerminal = false }: Life = {},
  ): Promise<Ended> {
    this.changes += 1;
    const service = this.#service;
    const death: { at: Snapshot | null } = { at: null };
    const step = (): void => {
      if (death.at === null && diesHere?.() === true) death.at = this.snapshot();
    };
    const enter = async (): Promise<void> => {
      step();
      if (death.at === null) await turn?.(() => this.#running.delete(pid));
    };
    const [out, err] = [collector(isTerminal, enter), collector(true, enter)];
    const pid = (this.#started += 1);
    this.#running.add(pid);
    const env = {
      HOME: this.home,
      SVC_BASE_URL: 'https://api.example.test',
      SVC_API_KEY: `svc_live_simulated_key_${'x'.repeat(this.rotations[company])}of_${company}`,
      NO_COLOR: '1',
    };
    const ports: Ports = {
      env,
      input: {
        isTTY: true,
        readAll: () => Promise.resolve(Buffer.alloc(0)),
        chunks: () => Readable.from([]),
        readLine: async () => {
          await enter();
          return person(stripVTControlCharacters(err.text()));
        },
      },
      output: out.output,
      errors: err.output,
      clock: this.#clock(step),
      zone: UTC,
      random: this.#random,
      paths: pathsFrom(env, () => this.home),
      mapStack: (stack) => stack,
      redact: createRedactor([]),
      pid,
      processes: this.#processes(pid),
      machine: BARE_MACHINE,
      signal: new AbortController().signal,
      transport: async (request) => {
        await enter();
        if (death.at !== null) throw new Killed();
        return service.answer(request, () => (death.at = this.snapshot()));
      },
    };
    const exitCode = await this.#program.run(words, ports, { ...err.output, isTTY: false });
    this.#running.delete(pid);
    if (death.at !== null) this.restore(death.at, 'both');
    const isKilled = death.at !== null;
    const stderr = err.text();
    return { exitCode, stdout: out.text(), stderr, isKilled, error: exitCode === 0 ? null : errorIn(stderr) };
  }

  #processes(pid: number): Processes {
    const self = { machine: this.home, bootId: this.#bootId, pid, started: '' };
    return {
      self: () => self,
      isAlive: (other) => other.bootId === this.#bootId && this.#running.has(other.pid),
    };
  }

  get #bootId(): string {
    return `boot-${String(this.#boots)}`;
  }

  snapshot(): Snapshot {
    const files = readdirSync(this.state).filter((name) => name.includes('.db') || name.endsWith('.salt'));
    return new Map(files.map((name) => [name, readFileSync(join(this.state, name))]));
  }

  restore(snapshot: Snapshot, part: Part): void {
    this.remove(part);
    for (const [name, bytes] of snapshot) {
      if (isOf(part, name)) writeFileSync(join(this.state, name), bytes, { mode: 0o600 });
    }
  }

  remove(part: Part): void {
    this.changes += 1;
    for (const name of readdirSync(this.state))
      if (isOf(part, name) && name.includes('.db')) rmSync(join(this.state, name), { force: true });
  }

  write(name: string, text: string): string {
    const path = join(this.home, name);
    writeFileSync(path, text);
    return path;
  }

  end(): void {
    rmSync(this.home, { recursive: true, force: true });
  }

  reboot(): void {
    this.#boots += 1;
    this.#running.clear();
    this.#bootedAtMs = this.#service.nowMs - this.frozenMs;
  }

  #clock(step: () => void): MachineClock {
    const service = this.#service;
    const now = (ms: number): number => {
      step();
      return ms;
    };
    return {
      now: () => now(service.nowMs + this.skewMs),
      monotonic: () => now(service.nowMs - this.frozenMs),
      boot: () => ({ bootId: this.#bootId, bootMs: now(service.nowMs - this.frozenMs - this.#bootedAtMs) }),
      sleep: (ms, signal) => {
        if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
        service.pass(ms);
        return Promise.resolve();
      },
    };
  }
}

function isOf(part: Part, name: string): boolean {
  const starts = (names: readonly string[]): boolean => names.some((one) => name.startsWith(one));
  if (part === 'store') return starts(STORE);
  return part === 'mirror' ? starts(MIRROR) : true;
}

function errorIn(stderr: string): Ended['error'] {
  const at = stderr.lastIndexOf('{"error":');
  try {
    return (JSON.parse(stderr.slice(at)) as { error: NonNullable<Ended['error']> }).error;
  } catch {
    return { code: 'unreadable', message: stderr, next_command: null };
  }
}

function collector(isTTY: boolean, enter: () => Promise<void>): { output: DataOutput; text: () => string } {
  let text = '';
  const write = async (chunk: string | Uint8Array): Promise<void> => {
    await enter();
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
  };
  return { output: { isTTY, columns: 80, write, durable: () => Promise.resolve() }, text: () => text };
}

function uuidOf(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function wordsOf(line: string): string[] {
  const words = line.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? [];
  return words.slice(1).map((word) => word.replace(/'([^']*)'|\\(.)/g, '$1$2'));
}
