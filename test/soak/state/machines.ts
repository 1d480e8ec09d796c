import type { StateKey } from '../../../src/storage/postgres/key.js';
import type { PostgresServer } from '../../support/postgres.js';
import { csvOf, type Row } from '../../batches/simulation/catalog.js';
import { recordFigures } from '../figures.js';
import { openLedger, type LedgerService } from './ledger.js';
import { Site, type Differing, type Member } from './site.js';

export const BATCH = 'march';
const RUNS_MAX = 12;

export type Findings = Readonly<Record<'operations' | 'twice' | 'lost' | 'invented', number>>;

export const SUITE = 'Batches, several machines';

export function record(
  run: string,
  { operations, twice, lost, invented }: Findings,
  more: Readonly<Record<string, number>>,
): void {
  const faults = { 'rows paid twice': twice, 'rows lost': lost, 'payments nobody asked for': invented };
  recordFigures({ suite: SUITE, run, counts: { 'rows paid': operations, ...more, ...faults } });
}

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

  static async of(server: PostgresServer, count: number, key: StateKey | null = null): Promise<Payroll> {
    const rows = Array.from({ length: count }, (_, person): Row => ({
      ...{ reference: `emp-${String(person)}`, amount: 100 + (person % 900), person, account: 'good' },
    }));
    const { schema } = await server.place(key);
    return new Payroll(server, await openLedger(), schema, rows);
  }

  begin(differing?: Differing): Member {
    return this.start(['payouts', 'batch', this.#file, '--batch', BATCH, '--json'], differing);
  }

  resume(differing?: Differing): Member {
    return this.start(['batches', 'resume', BATCH, '--json'], differing);
  }

  async count(...states: readonly string[]): Promise<number> {
    const list = states.map((state) => `'${state}'`).join();
    const rows = await this.sql(`SELECT count(*)::int AS count FROM svc.rows WHERE state IN (${list})`);
    return rows[0]?.['count'] as number;
  }

  async unpaid(state: string): Promise<number> {
    const paid = new Set(this.ledger.paid.map(({ reference }) => reference));
    const rows = await this.sql(`SELECT reference FROM svc.rows WHERE state = '${state}'`);
    return rows.filter(({ reference }) => !paid.has(reference as string)).length;
  }

  async sending(member: Member, rows = 1): Promise<void> {
    await this.until(async () => (await this.count('confirmed')) >= rows, member);
  }

  async finish(differing?: Differing): Promise<string | null> {
    let said = '';
    for (let run = 0; run < RUNS_MAX; run += 1) {
      const { code, stdout, stderr } = await this.resume(differing).ended;
      if ((await this.count('confirmed')) === this.rows.length) return null;
      said = `${String(code)} ${stdout} ${stderr}`;
    }
    return said;
  }

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
