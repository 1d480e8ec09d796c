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

export type Member = ReturnType<typeof startMember>;
export type Run = Awaited<Member['ended']>;

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

export interface Differing {
  readonly program?: string | Promise<string>;
  readonly env?: Readonly<Record<string, string>>;
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

  file(name: string, text: string): string {
    return fileIn(this.home, name, text);
  }

  secret(name: string, text: string): string {
    const path = this.file(name, text);
    chmodSync(path, 0o600);
    return path;
  }

  url(port = this.server.address.port): string {
    const { host, user, database } = this.server.address;
    return `postgres://${user}@${host}:${String(port)}/${database}?schema=${encodeURIComponent(this.schema)}`;
  }

  homeOfNext(): string {
    const home = join(this.home, `machine-${String((this.#machines += 1))}`);
    mkdirSync(home);
    return home;
  }

  env(port?: number): Record<string, string> {
    const state = { SVC_STATE: this.url(port), SVC_STATE_PASSWORD: this.server.address.password };
    return { ...this.serviceEnv(), ...state, SVC_STATE_PATIENCE: '20s' };
  }

  serviceEnv(): Record<string, string> {
    return {
      SVC_BASE_URL: this.ledger.url,
      SVC_API_KEY: 'svc_test_of_several_machines',
      // Thousands of machines start, so they share their compiled code.
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'svc-compiled'),
    };
  }

  start(words: readonly string[], differing: Differing = {}): Member {
    const { env = {}, port, program, words: more = [] } = differing;
    // After a double dash no word is a flag.
    const end = words.indexOf('--');
    const line = words.toSpliced(end < 0 ? words.length : end, 0, '--timeout', TIMEOUT, ...more);
    const all = { ...environment(this.homeOfNext()), ...this.env(port), ...env };
    const member = startMember(program ?? machineProgram(), line, all);
    this.#members.add(member);
    void member.ended.finally(() => this.#members.delete(member));
    return member;
  }

  sql(text: string): Promise<Record<string, unknown>[]> {
    return this.server.query(text.replaceAll(/\bsvc\./g, `"${this.schema}".`));
  }

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
