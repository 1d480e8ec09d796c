/**
 * A machine that is stopped (SIGSTOP) past its lease; another one finishes its batch, the service forgets its keys, and it goes on: it sends
 * nothing and changes nothing. One instant cannot be guarded: that between the look and the write. Of it one request is left, which the key of the
 * service answers. Without fencing, without a look before each sending, or where late results count, rows are paid twice.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../../support/postgres.js';
import { record } from './machines.js';
import { pauseMachines } from './pauses.js';
import type { Broken } from './program.js';

const SOAK = process.env['SOAK'] !== undefined;
const ROUNDS = SOAK ? 15 : 1;
const CONTROL_ROUNDS = SOAK ? 5 : 1;
const LIMIT = { timeout: 900_000 };
const CONTROLS: readonly Broken[] = SOAK
  ? ['no fencing', 'late results overwrite', 'no look before sending']
  : ['no fencing'];

const server = await startPostgres();
afterAll(() => server?.stop());

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
