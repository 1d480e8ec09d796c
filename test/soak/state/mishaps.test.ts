/** Every run has two of these mishaps, and `npm run safety -- state` has all of them. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { KEY } from '../../storage/batches/opening.js';
import { startPostgres } from '../../support/postgres.js';
import { Payroll, record } from './machines.js';
import { pooler, smallDisk } from './places.js';
import type { Differing, Run } from './site.js';

const SOAK = process.env['SOAK'] !== undefined;
const ROWS = SOAK ? 3000 : 150;
const READ_ONLY = 'default_transaction_read_only';
const LIMIT = { timeout: 300_000 };
const TERMINATE =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc' AND pid <> pg_backend_pid()";

const server = await startPostgres();

const errorOf = ({ stderr }: Run): unknown =>
  (JSON.parse(stderr.slice(stderr.lastIndexOf('{"error":'))) as { error: unknown }).error;

async function payrollAt(...where: Parameters<typeof Payroll.of>): Promise<Payroll> {
  const payroll = await Payroll.of(...where);
  onTestFinished(() => payroll.close());
  return payroll;
}

async function expectPaidOnce(payroll: Payroll, run: string, machines: number, differing: Differing = {}) {
  expect(await payroll.finish(differing)).toBe(null);
  const found = payroll.compare();
  expect(found).toEqual({ operations: payroll.rows.length, twice: 0, lost: 0, invented: 0 });
  record(run, found, { machines });
}

describe.skipIf(server === null)('machines at one batch', () => {
  it('plan it once, however many begin at the same moment', LIMIT, async () => {
    const payroll = await payrollAt(server!, ROWS);
    const runs = await Promise.all([1, 2, 3].map(() => payroll.begin().ended));
    const codes = runs.map(({ code }) => code);
    expect(codes).toContain(0);
    for (const code of codes) expect([0, 13, 15]).toContain(code);
    await expectPaidOnce(payroll, 'planned by three at once', 3);
  });

  const [on, off] = [`SET ${READ_ONLY} = on`, `RESET ${READ_ONLY}`];
  it.runIf(SOAK).each([
    ['of a newer svc', 'UPDATE svc.meta SET least_writer =', '99', 'version', 'store_newer'],
    ['that can only be read', 'ALTER DATABASE postgres', on, off, 'state_unreachable'],
  ])('stop at a database %s, and go on where that is over', LIMIT, async (what, change, begin, end, code) => {
    const payroll = await payrollAt(server!, ROWS);
    payroll.ledger.delayMs = 60;
    const env = { SVC_STATE_PATIENCE: '1s' };
    const first = payroll.begin({ env });
    await payroll.sending(first);
    const second = payroll.resume({ env });
    await payroll.sql(`${change} ${begin}`);
    // An open connection keeps its settings, so it is closed.
    await payroll.sql(TERMINATE);
    for (const run of await Promise.all([first.ended, second.ended])) {
      expect(run.code, run.stderr).toBe(16);
      expect([code, 'state_unusable']).toContain((errorOf(run) as { code: string }).code);
    }
    await payroll.sql(`BEGIN READ WRITE; ${change} ${end}; COMMIT`);
    await expectPaidOnce(payroll, `a database ${what}`, 2);
  });

  it.runIf(SOAK)('let nobody in who has another key, or none', LIMIT, async () => {
    const payroll = await payrollAt(server!, ROWS, KEY);
    const sealed = (fill: number) => {
      const text = Buffer.alloc(32, fill).toString('base64');
      return { env: { SVC_STATE_KEY_FILE: payroll.secret(`key-${String(fill)}`, text) } };
    };
    payroll.ledger.delayMs = 60;
    const first = payroll.begin(sealed(7));
    await payroll.sending(first);
    const [other, none] = await Promise.all([payroll.resume(sealed(8)).ended, payroll.resume().ended]);
    expect([other.code, errorOf(other)]).toMatchObject([16, { code: 'state_key_differs' }]);
    expect([none.code, errorOf(none)]).toMatchObject([13, { code: 'state_key_missing' }]);
    expect((await first.ended).code).toBe(0);
    await expectPaidOnce(payroll, 'another key, and none', 3, sealed(7));
  });

  it('work through a pooler that gives each statement another connection', LIMIT, async ({ skip }) => {
    const between = await pooler(server!);
    if (between === null) return skip();
    onTestFinished(() => between.end());
    const payroll = await payrollAt(server!, ROWS);
    const differing = { port: between.port };
    const first = payroll.begin(differing);
    await payroll.sending(first);
    const runs = [first, payroll.resume(differing), payroll.resume(differing)];
    const codes = (await Promise.all(runs.map(({ ended }) => ended))).map(({ code }) => code);
    for (const code of codes) expect([0, 13]).toContain(code);
    await expectPaidOnce(payroll, 'through pgbouncer', 3);
  });
});

describe('a database whose disk is full', () => {
  it('is said, nothing more leaves, and the batch goes on where there is room', LIMIT, async ({ skip }) => {
    const small = await startPostgres();
    const disk = small === null ? null : await smallDisk(small, 16);
    if (disk === null) {
      await small?.stop();
      return skip();
    }
    onTestFinished(() => disk.end());
    const payroll = await payrollAt(small!, ROWS);
    payroll.ledger.delayMs = 60;
    const first = payroll.begin({ words: ['--concurrency', '4'] });
    await payroll.sending(first);
    disk.fill();
    const run = await first.ended;
    expect(run.code, run.stderr).toBe(16);
    expect(errorOf(run)).toMatchObject({ code: 'state_unusable', outcome: 'unknown' });
    disk.clear();
    await expectPaidOnce(payroll, 'a disk that is full', 1);
  });
});
