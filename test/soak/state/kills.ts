/** Three machines at one batch, one of which is killed at random, again and again: another one comes, and each row is paid once. */
import { setTimeout } from 'node:timers/promises';
import type { PostgresServer } from '../../support/postgres.js';
import { Seeded } from '../../support/seeded.js';
import { SPOILT } from './ledger.js';
import { Payroll, type Findings } from './machines.js';
import type { Member } from './member.js';

export interface KillPlan {
  readonly rows: number;
  readonly kills: number;
  readonly seed: number;
  /** How long the service takes for each. */
  readonly delayMs: number;
  /** One POST in so many meets something bad; 0 for none. */
  readonly spoiltIn: number;
  /** What is killed; unless given, the program with the short lease. */
  readonly program?: string;
}

export interface KillReport extends Findings {
  readonly kills: number;
  readonly spoilt: number;
  /** Workers whose lease was taken from them. */
  readonly fenced: number;
  readonly unsettled: string | null;
  /** Exit codes of those that were not killed. */
  readonly codes: readonly (number | null)[];
}

const MACHINES = 3;

export async function killMachines(server: PostgresServer, plan: KillPlan): Promise<KillReport> {
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
  const codes: (number | null)[] = [];
  const alive = new Set<Member>();
  const enter = (member: Member): Member => {
    alive.add(member);
    void member.ended.then(({ code }) => {
      alive.delete(member);
      if (code !== null) codes.push(code);
    });
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
    return { ...payroll.compare(), kills, spoilt, fenced: fenced!['count'] as number, unsettled, codes };
  } finally {
    await payroll.close();
  }
}
