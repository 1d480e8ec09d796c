import { describe, expect, it } from 'vitest';
import { startPostgres, type PostgresServer } from '../../support/postgres.js';
import { record, Payroll } from './machines.js';
import { machineProgram, type Broken } from './program.js';

const MONTH_MS = 31 * 24 * 3_600_000;

async function failOver(server: PostgresServer, rows: number, broken: Broken | null) {
  const payroll = await Payroll.of(server, rows);
  const differing = { program: await machineProgram(broken), words: ['--skip-feed-check'] };
  try {
    payroll.ledger.delayMs = 60;
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
    const lost = found.lost - (await payroll.unpaid('needs_review'));
    const waiting = await payroll.count('needs_review');
    return { ...found, lost, forgotten, waiting, code };
  } finally {
    await payroll.close();
  }
}

const SOAK = process.env['SOAK'] !== undefined;
const ROWS = SOAK ? 4000 : 300;
const LIMIT = { timeout: 300_000 };
const FORGOTTEN = 'acknowledged, then forgotten';

const server = await startPostgres();

describe.skipIf(server === null)('a server that takes over and knows less', () => {
  it('is seen by who is at work, and nothing is paid twice a month later', LIMIT, async () => {
    const report = await failOver(server!, ROWS, null);
    expect(report).toMatchObject({ twice: 0, lost: 0, invented: 0, code: 'commits_lost' });
    expect(report.forgotten).toBeGreaterThan(0);
    if (SOAK) expect(report.waiting).toBeGreaterThan(0);
    const { forgotten, waiting } = report;
    const waits = { 'rows that wait for a person': waiting };
    record('a failover, keys forgotten', report, { [FORGOTTEN]: forgotten, ...waits });
  });

  it.runIf(SOAK)('is paid for where nobody looks', LIMIT, async () => {
    const report = await failOver(server!, ROWS, 'failover unchecked');
    expect(report.twice).toBeGreaterThan(0);
    record('control: failover unchecked', report, { [FORGOTTEN]: report.forgotten });
  });
});
