/** Where machines work: one database and one service, and processes of the program, each with a home of its own; everything ends with `close`. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { PostgresServer } from '../../support/postgres.js';
import { environment, endOf } from '../../support/program.js';
import { fileIn } from '../../support/payroll.js';
import { ROOT } from '../../house/source.js';
import type { LedgerService } from './ledger.js';
import { machineProgram, TIMEOUT } from './program.js';

/** A process at work. */
export type Member = ReturnType<typeof startMember>;
export type Run = Awaited<Member['ended']>;

/** @param program its path; one that is still being built is waited for */
function startMember(program: string | Promise<string>, words: readonly string[], env: NodeJS.ProcessEnv) {
  let isOver = false;
  const early: NodeJS.Signals[] = [];
  let send = (name: NodeJS.Signals): unknown => early.push(name);
  const run = async () => {
    const line = [await program, ...words];
    const child = spawn(process.execPath, line, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    send = (name) => child.kill(name);
    for (const name of early) send(name);
    return endOf(child).finally(() => (isOver = true));
  };
  return {
    ended: run(),
    isOver: () => isOver,
    signal: (name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT') => void send(name),
  };
}

/** What a machine differs in from the others. */
export interface Differing {
  /** The path of its program; one that is still being built is waited for. */
  readonly program?: string | Promise<string>;
  readonly env?: Readonly<Record<string, string>>;
  /** Where it finds the database; unless given, where it is. */
  readonly port?: number;
  readonly words?: readonly string[];
}

const POLL_MS = 40;

export class Site {
  protected readonly home = mkdtempSync(join(tmpdir(), 'svc-machines-'));
  readonly #members = new Set<Member>();
  #machines = 0;

  constructor(
    readonly server: PostgresServer,
    readonly ledger: LedgerService,
    readonly schema: string,
  ) {}

  /** Writes a file for everybody, and answers its path. */
  file(name: string, text: string): string {
    return fileIn(this.home, name, text);
  }

  /** A file that only its user reads. */
  secret(name: string, text: string): string {
    const path = this.file(name, text);
    chmodSync(path, 0o600);
    return path;
  }

  /** Where the state is, on that port. */
  url(port = this.server.address.port): string {
    const { host, user, database } = this.server.address;
    return `postgres://${user}@${host}:${String(port)}/${database}?schema=${encodeURIComponent(this.schema)}`;
  }

  homeOfNext(): string {
    const home = join(this.home, `machine-${String((this.#machines += 1))}`);
    mkdirSync(home);
    return home;
  }

  /** What a machine is told of the service, and of the database that it finds on that port. */
  env(port?: number): Record<string, string> {
    const state = { SVC_STATE: this.url(port), SVC_STATE_PASSWORD: this.server.address.password };
    return { ...this.serviceEnv(), ...state, SVC_STATE_PATIENCE: '20s' };
  }

  /** What a machine is told that shares nothing but the service. */
  serviceEnv(): Record<string, string> {
    return {
      SVC_BASE_URL: this.ledger.url,
      SVC_API_KEY: 'svc_test_of_several_machines',
      // Thousands of machines start: what one has compiled the next one takes.
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'svc-compiled'),
    };
  }

  /** Runs the program on a machine of its own. */
  start(words: readonly string[], differing: Differing = {}): Member {
    const { env = {}, port, program, words: more = [] } = differing;
    // Behind a double dash stands no flag.
    const end = words.indexOf('--');
    const line = words.toSpliced(end < 0 ? words.length : end, 0, '--timeout', TIMEOUT, ...more);
    const all = { ...environment(this.homeOfNext()), ...this.env(port), ...env };
    const member = startMember(program ?? machineProgram(), line, all);
    this.#members.add(member);
    void member.ended.finally(() => this.#members.delete(member));
    return member;
  }

  /** @param text with `svc.` for the schema */
  sql(text: string): Promise<Record<string, unknown>[]> {
    return this.server.query(text.replaceAll(/\bsvc\./g, `"${this.schema}".`));
  }

  /** Waits until something of the database is so, or the member is over. */
  async until(isSo: () => Promise<boolean>, member?: Member): Promise<void> {
    while (!(await isSo().catch(() => false))) {
      if (member?.isOver() === true)
        throw new Error(`it ended before: ${JSON.stringify(await member.ended)}`);
      await setTimeout(POLL_MS);
    }
  }

  async close(): Promise<void> {
    for (const member of this.#members) {
      member.signal('SIGCONT');
      member.signal('SIGKILL');
    }
    await Promise.all([...this.#members].map(({ ended }) => ended));
    await this.ledger.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}
