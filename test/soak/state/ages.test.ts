/** By its own slow clock, the machine would pay rows again that left 25 hours ago. */
import { expect, it } from 'vitest';
import { startPostgres } from '../../support/postgres.js';
import { recordFigures } from '../figures.js';
import { Payroll, SUITE } from './machines.js';
import { machineProgram } from './program.js';

const HOUR_MS = 3_600_000;
const AGO = String(25 * HOUR_MS);

const server = await startPostgres();

it.skipIf(server === null)(
  'rows that left 25 hours ago wait for a person',
  { timeout: 120_000 },
  async () => {
    const payroll = await Payroll.of(server!, 300);
    const differing = { program: await machineProgram(), words: ['--skip-feed-check'] };
    try {
      payroll.ledger.delayMs = 60;
      payroll.ledger.saysDate = false;
      const first = payroll.begin(differing);
      await payroll.sending(first, 60);
      first.signal('SIGKILL');
      await first.ended;
      await payroll.sql(
        `UPDATE svc.rows SET sent_at = sent_at - ${AGO}, left_at = left_at - ${AGO} WHERE sent_at IS NOT NULL`,
      );
      await payroll.sql("UPDATE svc.workers SET lease_until = clock_timestamp() - interval '1 hour'");
      payroll.ledger.forget();
      await payroll.resume({ ...differing, env: { SOAK_AHEAD_MS: String(-3 * HOUR_MS) } }).ended;
      const { operations, twice, invented } = payroll.compare();
      const waiting = await payroll.count('needs_review');
      expect([twice, invented, waiting > 0]).toEqual([0, 0, true]);
      const counts = {
        'rows paid': operations,
        'rows that wait for a person': waiting,
        'rows paid twice': twice,
      };
      recordFigures({ suite: SUITE, run: 'a clock 3 h slow, rows 25 h old', counts });
    } finally {
      await payroll.close();
    }
  },
);
