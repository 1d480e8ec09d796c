/** A database server dies that had acknowledged more than the one that takes over knows, and the batch goes on a month later. */
import type { PostgresServer } from '../../support/postgres.js';
import { Payroll, type Findings } from './machines.js';
import { machineProgram, type Broken } from './program.js';

const MONTH_MS = 31 * 24 * 3_600_000;

export interface FailoverReport extends Findings {
  /** Rows that were acknowledged as paid, and are not known to be any more. */
  readonly forgotten: number;
  /** Rows that a person has to look at. */
  readonly waiting: number;
  /** What the machine said that was at work. */
  readonly code: string;
}

export async function failOver(
  server: PostgresServer,
  rows: number,
  broken: Broken | null,
): Promise<FailoverReport> {
  const payroll = await Payroll.of(server, rows);
  const differing = { program: await machineProgram(broken), words: ['--skip-feed-check'] };
  try {
    payroll.ledger.delayMs = 60;
    // Its time would be a month from that of the database.
    payroll.ledger.saysDate = false;
    const first = payroll.begin(differing);
    await payroll.sending(first, rows / 10);
    await server.keepCopy();
    await payroll.sending(first, rows / 2);
    const acknowledged = await payroll.count('confirmed');
    await server.putBack('promoted');
    const { stderr } = await first.ended;
    const forgotten = acknowledged - (await payroll.count('confirmed'));
    payroll.ledger.forget();
    payroll.ledger.aheadMs = MONTH_MS;
    payroll.ledger.delayMs = 0;
    await payroll.resume({ ...differing, env: { SOAK_AHEAD_MS: String(MONTH_MS) } }).ended;
    const code = /"code":"(\w+)"/.exec(stderr)?.[1] ?? '';
    const found = payroll.compare();
    // What was in hand and never left may wait as well as what is paid.
    const lost = found.lost - (await payroll.unpaid('needs_review'));
    return { ...found, lost, forgotten, waiting: await payroll.count('needs_review'), code };
  } finally {
    await payroll.close();
  }
}
