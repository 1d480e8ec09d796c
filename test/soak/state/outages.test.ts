import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startPostgres, type PostgresServer } from '../../support/postgres.js';
import { record, Payroll } from './machines.js';
import { LEASE_MS } from './program.js';
import { Seeded } from '../../support/seeded.js';
import { lineTo, type Line } from '../../support/line.js';

const OUTAGES = ['restarted', 'crashed', 'connections cut', 'answers cut', 'swallowed'] as const;
type Outage = (typeof OUTAGES)[number];

const MACHINES = 3;
const ANSWERS_CUT = 0.03;

async function outageOf(
  what: Outage,
  server: PostgresServer,
  { rows, times, seed }: Readonly<Record<'rows' | 'times' | 'seed', number>>,
) {
  const payroll = await Payroll.of(server, rows);
  const wire = await lineTo(server.address.port);
  const random = new Seeded(seed);
  let done = 0;
  try {
    payroll.ledger.delayMs = 60;
    const differing = { port: wire.port };
    const first = payroll.begin(differing);
    await payroll.sending(first);
    const all = [first, ...Array.from({ length: MACHINES - 1 }, () => payroll.resume(differing))];
    if (what === 'answers cut') wire.cuts = () => random.chance(ANSWERS_CUT);
    else
      for (; done < times && (await payroll.count('planned').catch(() => 1)) > 0; done += 1) {
        await setTimeout(300 + random.below(700));
        await happen(what, server, wire);
      }
    const ends = await Promise.all(all.map(({ ended }) => ended));
    wire.cuts = () => false;
    const unsettled = await payroll.finish();
    const codes = ends.map(({ code }) => code);
    return { ...payroll.compare(), times: what === 'answers cut' ? wire.count() : done, unsettled, codes };
  } finally {
    await wire.stop();
    await payroll.close();
  }
}

async function happen(
  what: Exclude<Outage, 'answers cut'>,
  server: PostgresServer,
  wire: Line,
): Promise<void> {
  if (what === 'restarted') await server.restart('fast');
  else if (what === 'crashed') await server.restart('immediate');
  else if (what === 'swallowed') {
    wire.swallows = true;
    await setTimeout(1.5 * LEASE_MS);
    wire.swallows = false;
  }
  if (what === 'connections cut' || what === 'swallowed') wire.endAll();
}

async function cutOff(from: 'database' | 'service', server: PostgresServer) {
  const payroll = await Payroll.of(server, 800);
  const [database, service] = [await lineTo(server.address.port), await lineTo(payroll.ledger.port)];
  const harsh = { words: ['--skip-feed-check'] };
  try {
    payroll.ledger.delayMs = 60;
    const env = { SVC_BASE_URL: `http://127.0.0.1:${String(service.port)}` };
    const first = payroll.begin({ ...harsh, env, port: database.port });
    await payroll.sending(first, 60);
    const cutMs = performance.now();
    (from === 'database' ? database : service).swallows = true;
    await setTimeout(1.5 * LEASE_MS);
    const lastSentMs = service.lastMs() - cutMs;
    payroll.ledger.delayMs = 0;
    const heir = await payroll.resume(harsh).ended;
    const posts = payroll.ledger.posts();
    if (heir.code === 0) payroll.ledger.forget();
    database.swallows = false;
    service.swallows = false;
    for (const wire of [database, service]) wire.endAll();
    const { code } = await first.ended;
    const sentLate = payroll.ledger.posts() - posts;
    await payroll.finish(harsh);
    return { ...payroll.compare(), lastSentMs, sentLate, code };
  } finally {
    await database.stop();
    await service.stop();
    await payroll.close();
  }
}

const SOAK = process.env['SOAK'] !== undefined;
const SIZE = SOAK ? { rows: 6000, times: 9, seed: 1 } : { rows: 300, times: 1, seed: 1 };
const LIMIT = { timeout: 900_000 };
const SHORT: readonly Outage[] = SOAK ? OUTAGES : ['answers cut'];

const server = await startPostgres();

describe.skipIf(server === null)('machines whose database', () => {
  it.each(SHORT)('is %s finish, and pay each row once', LIMIT, async (what) => {
    const report = await outageOf(what, server!, SIZE);
    expect(report).toMatchObject({ twice: 0, lost: 0, invented: 0, unsettled: null });
    expect(report.times).toBeGreaterThan(0);
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
