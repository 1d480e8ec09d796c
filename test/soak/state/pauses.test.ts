import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startPostgres, type PostgresServer } from '../../support/postgres.js';
import { record, Payroll } from './machines.js';
import { type Broken, LEASE_MS, machineProgram } from './program.js';
import type { Member } from './site.js';

const ROWS = 900;
const BEFORE = 100;
const CONCURRENCY = 16;
/** Only leases and keys prevent a second payment here, and the service forgets keys. */
const HARSH = { words: ['--skip-feed-check'] };

/**
 * With `isAnywhere` the machine may be stopped between the look and the write of a request, and this request
 * leaves when the machine goes on. Otherwise the machine is stopped while all its requests wait for answers.
 */
async function pauseMachines(
  server: PostgresServer,
  rounds: number,
  broken: Broken | null,
  isAnywhere = false,
) {
  const sum = { operations: 0, twice: 0, lost: 0, invented: 0, late: 0, unsettled: 0 };
  let after = 0;
  const codes: (number | null)[] = [];
  const differing = { ...HARSH, program: await machineProgram(broken) };
  for (let round = 0; round < rounds; round += 1) {
    const payroll = await Payroll.of(server, ROWS);
    try {
      payroll.ledger.delayMs = 60;
      const first = payroll.begin(differing);
      await payroll.sending(first, BEFORE);
      const release = isAnywhere ? null : await holdAll(payroll, first);
      first.signal('SIGSTOP');
      release?.();
      payroll.ledger.delayMs = 0;
      await setTimeout(LEASE_MS / 4);
      const heir = await payroll.resume(differing).ended;
      if (heir.code !== 0) throw new Error(`the heir did not finish: ${heir.stderr}`);
      payroll.ledger.forget();
      const before = payroll.ledger.paid.length;
      first.signal('SIGCONT');
      const { code, stderr } = await first.ended;
      after = Math.max(after, payroll.ledger.paid.length - before);
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
  return { ...sum, after, rounds, codes };
}

async function holdAll(payroll: Payroll, machine: Member): Promise<() => void> {
  const held = new Set<string>();
  const answers = Promise.withResolvers<null>();
  payroll.ledger.onPost = async ({ reference }) => {
    held.add(reference);
    await answers.promise;
    return 'paid' as const;
  };
  await payroll.until(() => Promise.resolve(held.size >= CONCURRENCY), machine);
  return () => {
    payroll.ledger.onPost = null;
    answers.resolve(null);
  };
}

const SOAK = process.env['SOAK'] !== undefined;
const ROUNDS = SOAK ? 15 : 1;
const CONTROL_ROUNDS = SOAK ? 5 : 1;
const LIMIT = { timeout: 900_000 };
const CONTROLS: readonly Broken[] = SOAK
  ? ['no fencing', 'late results overwrite', 'no look before sending']
  : ['no fencing'];

const server = await startPostgres();

const countsOf = ({ rounds, late, unsettled }: Awaited<ReturnType<typeof pauseMachines>>) => ({
  ...{ 'machines stopped': rounds, 'late results': late, 'settled rows lost again': unsettled },
});

describe.skipIf(server === null)('a machine that stands still past its lease', () => {
  it('pays nothing and says so', LIMIT, async () => {
    const report = await pauseMachines(server!, ROUNDS, null);
    expect(report).toMatchObject({ twice: 0, lost: 0, invented: 0, unsettled: 0 });
    expect(new Set(report.codes)).toEqual(new Set([15]));
    expect(report.late).toBeGreaterThan(0);
    record('stopped past the lease', report, countsOf(report));
  });

  it.runIf(SOAK)('sends one request at most, whenever it was stopped', LIMIT, async () => {
    const report = await pauseMachines(server!, ROUNDS, null, true);
    expect(report.after).toBeLessThanOrEqual(1);
    expect(report.twice).toBeLessThanOrEqual(ROUNDS);
    expect(report).toMatchObject({ lost: 0, invented: 0, unsettled: 0 });
  });

  it.each(CONTROLS)('is seen where there is %s', LIMIT, async (broken) => {
    const report = await pauseMachines(server!, CONTROL_ROUNDS, broken);
    expect(report.twice).toBeGreaterThan(0);
    record(`control: ${broken}`, report, countsOf(report));
  });
});
