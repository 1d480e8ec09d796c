/**
 * A machine whose clock is three hours slow takes over rows that left 25 hours ago, from a service that says no time and has forgotten their
 * keys: only the clock of the database knows better.
 */
import type { PostgresServer } from '../../support/postgres.js';
import { Payroll, type Findings } from './machines.js';
import { machineProgram } from './program.js';

const HOUR_MS = 3_600_000;
const ROWS = 300;

export interface AgeReport extends Findings {
  /** Rows that nobody may send again by himself. */
  readonly waiting: number;
}

export async function takeOverOld(server: PostgresServer): Promise<AgeReport> {
  const payroll = await Payroll.of(server, ROWS);
  const program = await machineProgram();
  const differing = { program, words: ['--skip-feed-check'] };
  try {
    payroll.ledger.delayMs = 60;
    payroll.ledger.saysDate = false;
    const first = payroll.begin(differing);
    await payroll.sending(first, 60);
    first.signal('SIGKILL');
    await first.ended;
    const ago = String(25 * HOUR_MS);
    await payroll.sql(
      `UPDATE svc.rows SET sent_at = sent_at - ${ago}, left_at = left_at - ${ago} WHERE sent_at IS NOT NULL`,
    );
    await payroll.sql("UPDATE svc.workers SET lease_until = clock_timestamp() - interval '1 hour'");
    payroll.ledger.forget();
    await payroll.resume({ ...differing, env: { SOAK_AHEAD_MS: String(-3 * HOUR_MS) } }).ended;
    return { ...payroll.compare(), waiting: await payroll.count('needs_review') };
  } finally {
    await payroll.close();
  }
}
