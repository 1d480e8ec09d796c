/** Machines that work at one batch: processes of the program, each with a home of its own, over one database and one service. */
import type { StateKey } from '../../../src/storage/postgres/key.js';
import type { PostgresServer } from '../../support/postgres.js';
import { csvOf, type Row } from '../../batches/simulation/catalog.js';
import { recordFigures } from '../figures.js';
import { openLedger, type LedgerService } from './ledger.js';
import { Site, type Differing, type Member } from './site.js';

export const BATCH = 'march';
const RUNS_MAX = 12;

/** What `compare` found: everything but the first is as it should be where it is 0. */
export type Findings = Readonly<Record<'operations' | 'twice' | 'lost' | 'invented', number>>;

/** The heading of what is counted here. */
export const SUITE = 'Batches, several machines';

/** Writes down what was found. @param more what else was counted */
export function record(
  run: string,
  { operations, twice, lost, invented }: Findings,
  more: Readonly<Record<string, number>>,
): void {
  const faults = { 'rows paid twice': twice, 'rows lost': lost, 'payments nobody asked for': invented };
  recordFigures({ suite: SUITE, run, counts: { 'rows paid': operations, ...more, ...faults } });
}

/** One batch, one database, one service. */
export class Payroll extends Site {
  readonly #file: string;

  private constructor(
    server: PostgresServer,
    ledger: LedgerService,
    schema: string,
    readonly rows: readonly Row[],
  ) {
    super(server, ledger, schema);
    this.#file = this.file(`${BATCH}.csv`, csvOf('payout', rows));
  }

  /** @param count of rows @param key what the state is sealed with; nothing unless given */
  static async of(server: PostgresServer, count: number, key: StateKey | null = null): Promise<Payroll> {
    const rows = Array.from({ length: count }, (_, person): Row => ({
      ...{ reference: `emp-${String(person)}`, amount: 100 + (person % 900), person, account: 'good' },
    }));
    const { schema } = await server.place(key);
    return new Payroll(server, await openLedger(), schema, rows);
  }

  /** Begins the batch of the file, or goes on with it, on a machine of its own. */
  begin(differing?: Differing): Member {
    return this.start(['payouts', 'batch', this.#file, '--batch', BATCH, '--json'], differing);
  }

  resume(differing?: Differing): Member {
    return this.start(['batches', 'resume', BATCH, '--json'], differing);
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
}
