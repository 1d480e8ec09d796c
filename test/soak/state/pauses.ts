/** A machine that stands still for longer than its lease while another one finishes, and then goes on. */
import { setTimeout } from 'node:timers/promises';
import type { PostgresServer } from '../../support/postgres.js';
import { Payroll, type Findings } from './machines.js';
import { LEASE_MS, machineProgram, type Broken } from './program.js';

export interface PauseReport extends Findings {
  readonly rounds: number;
  /** What was said of results that came too late. */
  readonly late: number;
  /** Settled rows that somebody unsettled. */
  readonly unsettled: number;
  /** Exit codes of the machines that stood still. */
  readonly codes: readonly (number | null)[];
}

const ROWS = 900;
const BEFORE = 100;
/** Only leases and keys stand between a row and a second payment, and keys are forgotten. */
const HARSH = { words: ['--skip-feed-check'] };

/** @param broken what the machines do wrong; null for nothing */
export async function pauseMachines(
  server: PostgresServer,
  rounds: number,
  broken: Broken | null,
): Promise<PauseReport> {
  const sum = { operations: 0, twice: 0, lost: 0, invented: 0, late: 0, unsettled: 0 };
  const codes: (number | null)[] = [];
  const differing = { ...HARSH, program: await machineProgram(broken) };
  for (let round = 0; round < rounds; round += 1) {
    const payroll = await Payroll.of(server, ROWS);
    try {
      payroll.ledger.delayMs = 60;
      const first = payroll.begin(differing);
      await payroll.sending(first, BEFORE);
      first.signal('SIGSTOP');
      payroll.ledger.delayMs = 0;
      await setTimeout(LEASE_MS / 4);
      const heir = await payroll.resume(differing).ended;
      if (heir.code !== 0) throw new Error(`the heir did not finish: ${heir.stderr}`);
      payroll.ledger.forget();
      first.signal('SIGCONT');
      const { code, stderr } = await first.ended;
      codes.push(code);
      sum.late += Number(/Others continued (\d+) rows?/.exec(stderr)?.[1] ?? 0);
      sum.unsettled += ROWS - (await payroll.count('confirmed'));
      await payroll.resume(differing).ended;
      const found = payroll.compare();
      for (const name of ['operations', 'twice', 'lost', 'invented'] as const) sum[name] += found[name];
    } finally {
      await payroll.close();
    }
  }
  return { ...sum, rounds, codes };
}
