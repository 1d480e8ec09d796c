/** Machines that share a batch while the database is restarted, crashes, loses answers or is not reached: each row is paid once. */
import { afterAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../../support/postgres.js';
import { record } from './machines.js';
import { cutOff, OUTAGES, outageOf, type Outage } from './outages.js';
import { LEASE_MS } from './program.js';

const SOAK = process.env['SOAK'] !== undefined;
const SIZE = SOAK ? { rows: 6000, times: 9, seed: 1 } : { rows: 300, times: 1, seed: 1 };
const LIMIT = { timeout: 900_000 };
/** The others, and to be cut off, are a minute each. */
const SHORT: readonly Outage[] = SOAK ? OUTAGES : ['answers cut'];

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(server === null)('machines whose database', () => {
  it.each(SHORT)('is %s finish, and pay each row once', LIMIT, async (what) => {
    const report = await outageOf(what, server!, SIZE);
    expect(report).toMatchObject({ twice: 0, lost: 0, invented: 0, unsettled: null });
    expect(report.times).toBeGreaterThan(0);
    // One that comes when it is done is told so.
    for (const code of report.codes) expect([0, 13]).toContain(code);
    record(`database ${what}`, report, { times: report.times });
  });
});

describe.skipIf(server === null || !SOAK)('a machine that is cut off', () => {
  it.each(['database', 'service'] as const)(
    'from the %s sends nothing once its rows may be others',
    LIMIT,
    async (from) => {
      const report = await cutOff(from, server!);
      expect(report).toMatchObject({ twice: 0, lost: 0, invented: 0 });
      const counts: Record<string, number> = { times: 1 };
      if (from === 'database') {
        expect(report).toMatchObject({ sentLate: 0, code: 15 });
        expect(report.lastSentMs).toBeLessThan(LEASE_MS);
        counts['rows sent by one that had lost them'] = report.sentLate;
      }
      record(`cut off from the ${from}`, report, counts);
    },
  );
});
