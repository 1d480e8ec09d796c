/**
 * `npm run safety -- state` kills thirty machines for each of three seeds, and `SEED=n` chooses another seed.
 * Every other run kills one machine.
 */
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../../support/program.js';
import { startPostgres, type PostgresServer } from '../../support/postgres.js';
import { record, Payroll } from './machines.js';
import { Seeded } from '../../support/seeded.js';
import { SPOILT } from './ledger.js';
import type { Member } from './site.js';

interface KillPlan {
  readonly rows: number;
  readonly kills: number;
  readonly seed: number;
  readonly delayMs: number;
  readonly spoiltIn: number;
  readonly program?: string;
}

const MACHINES = 3;

async function killMachines(server: PostgresServer, plan: KillPlan) {
  const payroll = await Payroll.of(server, plan.rows);
  const random = new Seeded(plan.seed);
  const differing = plan.program === undefined ? {} : { program: plan.program };
  payroll.ledger.delayMs = plan.delayMs;
  let spoilt = 0;
  if (plan.spoiltIn > 0)
    payroll.ledger.onPost = () => {
      if (random.below(plan.spoiltIn) > 0) return 'paid';
      spoilt += 1;
      return random.pick(SPOILT);
    };
  const alive = new Set<Member>();
  const enter = (member: Member): Member => {
    alive.add(member);
    void member.ended.then(() => alive.delete(member));
    return member;
  };
  try {
    await payroll.sending(enter(payroll.begin(differing)));
    const fill = (): void => {
      while (alive.size < MACHINES) enter(payroll.resume(differing));
    };
    fill();
    let kills = 0;
    while (kills < plan.kills) {
      await setTimeout(150 + random.below(700));
      if ((await payroll.count('planned')) === 0) break;
      if (alive.size === 0) continue;
      const one = random.pick([...alive]);
      one.signal('SIGKILL');
      if ((await one.ended).code === null) kills += 1;
      fill();
    }
    while (alive.size > 0) await Promise.all([...alive].map(({ ended }) => ended));
    payroll.ledger.onPost = null;
    const unsettled = await payroll.finish(differing);
    const [fenced] = await payroll.sql('SELECT count(fenced_at)::int AS count FROM svc.workers');
    return { ...payroll.compare(), kills, spoilt, fenced: fenced!['count'] as number, unsettled };
  } finally {
    await payroll.close();
  }
}

const SOAK = process.env['SOAK'] !== undefined;
const { SEED } = process.env;
const SEEDS = SEED === undefined ? (SOAK ? [1, 2, 3] : [1]) : [Number(SEED)];
const LIMIT = { timeout: 900_000 };
const PLAN: Omit<KillPlan, 'seed'> = SOAK
  ? { rows: 30_000, kills: 30, delayMs: 40, spoiltIn: 0, program: PROGRAM }
  : { rows: 600, kills: 1, delayMs: 60, spoiltIn: 0 };
const BAD_LINE: Omit<KillPlan, 'seed'> = { ...PLAN, rows: 15_000, kills: 20, spoiltIn: 10 };

const server = await startPostgres();

describe.skipIf(server === null)('machines that are killed', () => {
  it.each(SEEDS)(`${String(PLAN.kills)} times pay each row once (SEED=%i)`, LIMIT, async (seed) => {
    const report = await killMachines(server!, { ...PLAN, seed });
    expect(report).toMatchObject({ twice: 0, lost: 0, invented: 0, unsettled: null });
    expect(report.kills).toBeGreaterThanOrEqual(SOAK ? PLAN.kills / 2 : 1);
    const { kills, fenced } = report;
    record(`killed, seed ${String(seed)}`, report, { kills, 'machines let go': fenced });
  });

  it.runIf(SOAK)(
    `${String(BAD_LINE.kills)} times over a line that spoils one request in ten pay each row once`,
    LIMIT,
    async () => {
      const report = await killMachines(server!, { ...BAD_LINE, seed: SEEDS[0]! });
      expect(report).toMatchObject({ twice: 0, lost: 0, invented: 0, unsettled: null });
      expect(report.spoilt).toBeGreaterThan(0);
      const { kills, fenced, spoilt } = report;
      const met = { 'machines let go': fenced, 'requests spoilt': spoilt };
      record('killed, over a bad line', report, { kills, ...met });
    },
  );
});
