/** Every run has two of the points, and `npm run safety -- state` has all of them. */
import { afterAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../../support/postgres.js';
import { under } from '../figures.js';
import { Payroll, record } from './machines.js';
import { lineTo, type Line } from '../../support/line.js';

const MACHINE_POINTS = [
  'at JOIN',
  'at REAP',
  'taken, not sent',
  'sent, not paid',
  'paid, not answered',
  'answered, not recorded',
] as const;
type MachinePoint = (typeof MACHINE_POINTS)[number];

const STATEMENT = {
  'at JOIN': 'joins = joins + 1',
  'at REAP': 'SET fenced_at',
  'taken, not sent': 'jsonb_to_recordset',
} as const;

function reachPoint(point: MachinePoint, { ledger }: Payroll, wire: Line, skip: number): Promise<void> {
  if (point === 'at JOIN' || point === 'at REAP' || point === 'taken, not sent')
    return wire.hold(STATEMENT[point]);
  let passed = 0;
  return new Promise((resolve) => {
    ledger.onPost = () => {
      passed += 1;
      if (passed <= skip) return 'paid';
      setImmediate(resolve);
      if (point === 'sent, not paid') return 'never';
      return point === 'paid, not answered' ? 'paid, never answered' : 'paid';
    };
  });
}

const SOAK = process.env['SOAK'] !== undefined;
const ROUNDS = SOAK ? 10 : 1;
const POINTS: readonly MachinePoint[] = SOAK ? MACHINE_POINTS : ['taken, not sent', 'paid, not answered'];
const ROWS = 60;
const LIMIT = { timeout: 900_000 };

const server = await startPostgres();

const hits: Record<string, number> = {};
const sum = { operations: 0, twice: 0, lost: 0, invented: 0 };
afterAll(() => {
  if (sum.operations > 0) record('killed at each point', sum, under('killed', hits));
});

describe.skipIf(server === null)('a machine that is killed', () => {
  // The tests wait most of the time until a lease ends.
  (SOAK ? it.each(POINTS) : it.concurrent.each(POINTS))('%s', LIMIT, async (point) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const payroll = await Payroll.of(server!, ROWS);
      const wire = await lineTo(server!.address.port);
      try {
        const differing = { port: wire.port, words: ['--concurrency', '4'] };
        const reached = reachPoint(point, payroll, wire, round * 3);
        const member = payroll.begin(differing);
        await Promise.race([reached, member.ended.then((run) => Promise.reject(new Error(run.stderr)))]);
        member.signal('SIGKILL');
        expect((await member.ended).code).toBe(null);
        payroll.ledger.onPost = null;
        hits[point] = (hits[point] ?? 0) + 1;
        const [there] = await payroll.sql('SELECT count(*)::int AS count FROM svc.batches WHERE ready');
        if (there!['count'] === 0) await payroll.begin().ended;
        expect(await payroll.finish()).toBe(null);
        const found = payroll.compare();
        expect(found).toEqual({ operations: ROWS, twice: 0, lost: 0, invented: 0 });
        for (const name of ['operations', 'twice', 'lost', 'invented'] as const) sum[name] += found[name];
      } finally {
        await wire.stop();
        await payroll.close();
      }
    }
  });
});
