/** Machines that work at one batch: processes of the program, each with a home of its own, over one database and one service. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { StateKey } from '../../../src/state/key.js';
import type { PostgresServer } from '../../support/postgres.js';
import { environment } from '../../support/program.js';
import { csvOf, type Row } from '../../bulk/simulation/catalog.js';
import { fileIn } from '../../support/payroll.js';
import { openLedger, type LedgerService } from './ledger.js';
import { startMember, type Member } from './member.js';
import { machineProgram, TIMEOUT } from './program.js';

/** What a machine differs in from the others. */
export interface Differing {
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Where it finds the database; unless given, where it is. */
  readonly port?: number;
  readonly words?: readonly string[];
}

export const BATCH = 'march';
const RUNS_MAX = 12;
const POLL_MS = 40;

/** What `compare` found: everything but the first is as it should be where it is 0. */
export interface Findings {
  readonly operations: number;
  readonly twice: number;
  readonly lost: number;
  readonly invented: number;
}

/** The heading of what is counted here. */
export const SUITE = 'Batches, several machines';

/** As it is shown. */
export function faultsOf({ twice, lost, invented }: Findings): Record<string, number> {
  return { 'rows paid twice': twice, 'rows lost': lost, 'payments nobody asked for': invented };
}

/** One batch, one database, one service; everything ends with `close`. */
export class Payroll {
  readonly #home = mkdtempSync(join(tmpdir(), 'svc-machines-'));
  readonly #members = new Set<Member>();
  #machines = 0;
  readonly #file: string;

  private constructor(
    readonly server: PostgresServer,
    readonly ledger: LedgerService,
    readonly schema: string,
    readonly rows: readonly Row[],
  ) {
    this.#file = fileIn(this.#home, `${BATCH}.csv`, csvOf('payout', rows));
  }

  /** @param count of rows @param key what the state is sealed with; nothing unless given */
  static async of(server: PostgresServer, count: number, key: StateKey | null = null): Promise<Payroll> {
    const rows = Array.from({ length: count }, (_, person): Row => ({
      ...{ reference: `emp-${String(person)}`, amount: 100 + (person % 900), person, account: 'good' },
    }));
    const { schema } = await server.place(key);
    return new Payroll(server, await openLedger(), schema, rows);
  }

  /** A file that only its user reads. */
  secret(name: string, text: string): string {
    const path = fileIn(this.#home, name, text);
    chmodSync(path, 0o600);
    return path;
  }

  /** Where the state is, on that port. */
  url(port = this.server.address.port): string {
    const { host, user, database } = this.server.address;
    return `postgres://${user}@${host}:${String(port)}/${database}?schema=${encodeURIComponent(this.schema)}`;
  }

  /** Begins the batch of the file, or goes on with it, on a machine of its own. */
  start(words: readonly string[], differing: Differing = {}): Member {
    const { env = {}, port, program, words: more = [] } = differing;
    const home = join(this.#home, `machine-${String((this.#machines += 1))}`);
    mkdirSync(home);
    const state = { SVC_STATE: this.url(port), SVC_STATE_PASSWORD: this.server.address.password };
    const service = { SVC_BASE_URL: this.ledger.url, SVC_API_KEY: 'svc_test_of_several_machines' };
    const member = startMember(program ?? machineProgram(), [...words, '--timeout', TIMEOUT, ...more], {
      ...environment(home),
      ...{ ...service, ...state, SVC_STATE_PATIENCE: '20s', ...env },
    });
    this.#members.add(member);
    void member.ended.finally(() => this.#members.delete(member));
    return member;
  }

  begin(differing?: Differing): Member {
    return this.start(['payouts', 'batch', this.#file, '--batch', BATCH, '--json'], differing);
  }

  resume(differing?: Differing): Member {
    return this.start(['batches', 'resume', BATCH, '--json'], differing);
  }

  /** @param text with `svc.` for the schema */
  sql(text: string): Promise<Record<string, unknown>[]> {
    return this.server.query(text.replaceAll(/\bsvc\./g, `"${this.schema}".`));
  }

  /** How many rows stand in these states. */
  async count(...states: readonly string[]): Promise<number> {
    const list = states.map((state) => `'${state}'`).join();
    const rows = await this.sql(`SELECT count(*)::int AS count FROM svc.rows WHERE state IN (${list})`);
    return rows[0]?.['count'] as number;
  }

  /** How many of the rows in that state the service has not paid. */
  async unpaid(state: string): Promise<number> {
    const paid = new Set(this.ledger.paid.map(({ reference }) => reference));
    const rows = await this.sql(`SELECT reference FROM svc.rows WHERE state = '${state}'`);
    return rows.filter(({ reference }) => !paid.has(reference as string)).length;
  }

  /** Waits until something of the database is so, or the member is over. */
  async until(isSo: () => Promise<boolean>, member?: Member): Promise<void> {
    while (!(await isSo().catch(() => false))) {
      if (member?.isOver() === true)
        throw new Error(`it ended before: ${JSON.stringify(await member.ended)}`);
      await setTimeout(POLL_MS);
    }
  }

  /** Waits until the batch is sent. */
  async sending(member: Member, rows = 1): Promise<void> {
    await this.until(async () => (await this.count('confirmed')) >= rows, member);
  }

  /** Runs it until nothing is left to send; what it said where that never comes, else null. */
  async finish(differing?: Differing): Promise<string | null> {
    let said = '';
    for (let run = 0; run < RUNS_MAX; run += 1) {
      const { code, stdout, stderr } = await this.resume(differing).ended;
      if ((await this.count('confirmed')) === this.rows.length) return null;
      said = `${String(code)} ${stdout} ${stderr}`;
    }
    return said;
  }

  /** The service's own ledger against the file. */
  compare(): Findings {
    const times = new Map(this.rows.map(({ reference }) => [reference, 0]));
    let invented = 0;
    for (const { reference } of this.ledger.paid) {
      const count = times.get(reference);
      if (count === undefined) invented += 1;
      else times.set(reference, count + 1);
    }
    const all = [...times.values()];
    const where = (isSo: (count: number) => boolean): number => all.filter(isSo).length;
    return {
      ...{ operations: this.ledger.paid.length, invented },
      ...{ twice: where((count) => count > 1), lost: where((count) => count === 0) },
    };
  }

  async close(): Promise<void> {
    for (const member of this.#members) {
      member.signal('SIGCONT');
      member.signal('SIGKILL');
    }
    await Promise.all([...this.#members].map(({ ended }) => ended));
    await this.ledger.close();
    rmSync(this.#home, { recursive: true, force: true });
  }
}
