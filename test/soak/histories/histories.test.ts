/**
 * Every run makes twenty kills. `npm run safety -- histories` makes thousands, `HISTORIES_KILLS=n` sets the
 * number, and `SEED=n` the seed.
 */
import { describe, expect, it } from 'vitest';
import { startPostgres } from '../../support/postgres.js';
import { recordFigures, under } from '../figures.js';
import { countsOf, linesOf } from './judge.js';
import { live, SUITE } from './story.js';

const SOAK = process.env['SOAK'] !== undefined;
const SEED = Number(process.env['SEED'] ?? 1);
const KILLS = Number(process.env['HISTORIES_KILLS'] ?? (SOAK ? 5000 : 20));
const PAYROLLS = SOAK ? Math.max(4, Math.ceil(KILLS / 100)) : 2;
const ROWS = SOAK ? Math.round((40 * KILLS) / PAYROLLS) : 100;
const PLAN = SOAK
  ? { payrolls: PAYROLLS, rows: ROWS, acts: 14, machines: 3, concurrency: 8 }
  : { payrolls: PAYROLLS, rows: ROWS, acts: 3, machines: 2, concurrency: 2 };
const ENOUGH_MS = 2.75 * 3_600_000;
const LIMIT = { timeout: SOAK ? 2 * ENOUGH_MS : 120_000 };

const server = await startPostgres();

function record(run: string, lived: Awaited<ReturnType<typeof live>>): void {
  const { kills, rows, payrolls, pairs, acts, history, findings } = lived;
  const sent = history.filter(({ kind }) => kind === 'sent').length;
  const counts = { payrolls, rows, kills, 'requests sent': sent, 'happenings judged': history.length };
  const befell = { ...under('befell', acts), 'one act right after another, pairs': pairs };
  recordFigures({ suite: SUITE, run, counts: { ...counts, ...befell, ...countsOf(findings) } });
}

describe.skipIf(server === null)('one database through many payrolls', () => {
  it(`${String(KILLS)} kills: every promise is kept (SEED=${String(SEED)})`, LIMIT, async () => {
    const began = performance.now();
    const lived = await live(server!, { seed: SEED, kills: KILLS, broken: null, ...PLAN }, (ended, found) => {
      if (SOAK) process.stderr.write(`${String(ended)} payrolls ${linesOf(found).join('; ')}\n`);
      return performance.now() - began < ENOUGH_MS;
    });
    const { payrolls, rows, kills } = lived;
    expect(linesOf(lived.findings), `kept: ${String(lived.kept)}`).toEqual([]);
    expect(rows).toBe(payrolls * ROWS);
    expect(kills).toBeGreaterThanOrEqual(Math.floor((payrolls * KILLS) / PAYROLLS));
    if (performance.now() - began < ENOUGH_MS) expect(payrolls).toBe(PAYROLLS);
    record(`seed ${String(SEED)}`, lived);
  });
});
