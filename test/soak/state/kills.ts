/** Three machines at one batch, one of which is killed at random, again and again: another one comes, and each row is paid once. */
import { setTimeout } from 'node:timers/promises';
import type { PostgresServer } from '../../support/postgres.js';
import { Seeded } from '../../support/seeded.js';
import { SPOILT } from './ledger.js';
import { Payroll } from './machines.js';
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

const MACHINES = 3;

export async function killMachines(server: PostgresServer, plan: KillPlan) {
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
    // Those whose lease was taken from them.
    return { ...payroll.compare(), kills, spoilt, fenced: fenced!['count'] as number, unsettled };
  } finally {
    await payroll.close();
  }
}
