/**
 * kill -9 of machines that share a batch: the service's ledger equals the file. One kill in every run; `npm run safety -- state` kills thirty
 * of the built program, with its own lease, for each of three seeds (`SEED=n` another), and over a line that breaks.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../../support/program.js';
import { startPostgres } from '../../support/postgres.js';
import { killMachines, type KillPlan } from './kills.js';
import { record } from './machines.js';

const SOAK = process.env['SOAK'] !== undefined;
const { SEED } = process.env;
const SEEDS = SEED === undefined ? (SOAK ? [1, 2, 3] : [1]) : [Number(SEED)];
const LIMIT = { timeout: 900_000 };
const PLAN: Omit<KillPlan, 'seed'> = SOAK
  ? { rows: 30_000, kills: 30, delayMs: 40, spoiltIn: 0, program: PROGRAM }
  : { rows: 600, kills: 1, delayMs: 60, spoiltIn: 0 };
const SPOILT: Omit<KillPlan, 'seed'> = { ...PLAN, rows: 15_000, kills: 20, spoiltIn: 10 };

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(server === null)('machines that are killed', () => {
  it.each(SEEDS)(`${String(PLAN.kills)} times pay each row once (SEED=%i)`, LIMIT, async (seed) => {
    const report = await killMachines(server!, { ...PLAN, seed });
    expect(report).toMatchObject({ twice: 0, lost: 0, invented: 0, unsettled: null });
    // A fast machine may have ended before the last of them.
    expect(report.kills).toBeGreaterThanOrEqual(SOAK ? PLAN.kills / 2 : 1);
    const { kills, fenced } = report;
    record(`killed, seed ${String(seed)}`, report, { kills, 'machines let go': fenced });
  });

  it.runIf(SOAK)(
    `${String(SPOILT.kills)} times over a line that spoils one request in ten pay each row once`,
    LIMIT,
    async () => {
      const report = await killMachines(server!, { ...SPOILT, seed: SEEDS[0]! });
      expect(report).toMatchObject({ twice: 0, lost: 0, invented: 0, unsettled: null });
      expect(report.spoilt).toBeGreaterThan(0);
      const { kills, fenced, spoilt } = report;
      const met = { 'machines let go': fenced, 'requests spoilt': spoilt };
      record('killed, over a bad line', report, { kills, ...met });
    },
  );
});
