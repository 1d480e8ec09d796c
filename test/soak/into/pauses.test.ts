import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type IntoTables, postgresTables } from '../../support/into-tables.js';
import { startPostgres } from '../../support/postgres.js';
import { testFolder } from '../../support/test-folder.js';
import { recordFigures } from '../figures.js';
import { growingFeed } from './feed.js';
import { faultsIn, NO_FAULTS } from './judge.js';
import { startWriter, untilRead } from './kills.js';
import { intoProgram, LEASE_MS } from './program.js';

const SOAK = process.env['SOAK'] !== undefined;
const ROUNDS = SOAK ? 15 : 1;
const ENTRIES = 300 * (ROUNDS + 1);

const server = await startPostgres();

async function pauseWriters(program: string, tables: IntoTables) {
  const home = testFolder();
  const feed = await growingFeed(ENTRIES);
  const start = (words: string) =>
    startWriter(program, home, [...words.split(' '), '--into', tables.into], { ...feed.env, ...tables.env });
  let fenced = 0;
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = start('--create --interval 100ms');
      const firstEnded = once(first, 'close');
      feed.release(300 * round + 100);
      await untilRead(feed, first);
      feed.release(300 * round + 200);
      await pause(round * 7);
      first.kill('SIGSTOP');
      await pause(LEASE_MS + 200);
      const second = start('--create --interval 100ms');
      const secondEnded = once(second, 'close');
      feed.release(300 * round + 250);
      await untilRead(feed, second);
      await pause(LEASE_MS);
      feed.release(300 * (round + 1));
      first.kill('SIGCONT');
      const [code] = await Promise.race([firstEnded, pause(3 * LEASE_MS, [])]);
      if (code === 15) fenced += 1;
      for (const child of [first, second]) child.kill('SIGKILL');
      await Promise.all([firstEnded, secondEnded]);
    }
    feed.release(ENTRIES);
    await once(start('--no-follow'), 'close');
    return { ...(await faultsIn(tables, feed.wanted)), fenced };
  } finally {
    await feed.stop();
  }
}

describe.skipIf(server === null)('whoever is stopped and comes back', () => {
  const record = (run: string, report: Awaited<ReturnType<typeof pauseWriters>>): void => {
    const ended = report.fenced === 0 ? {} : { 'runs that came back and ended with 15': report.fenced };
    const counts = {
      'runs stopped past their lease': ROUNDS,
      ...ended,
      'runs that never ended with 15': ROUNDS - report.fenced,
      'events lost': report.missing,
      'events twice': report.twice,
    };
    recordFigures({ suite: 'Events into tables, stopped and taken over', run, counts });
  };

  it(`ends with 15, ${String(ROUNDS)} times, and the tables are the feed`, async () => {
    const report = await pauseWriters(await intoProgram(), postgresTables(server!));
    expect(report).toEqual({ ...NO_FAULTS, fenced: ROUNDS });
    record('stopped', report);
  }, 600_000);

  it.runIf(SOAK)('the harness sees one that is not fenced', { timeout: 600_000 }, async () => {
    const report = await pauseWriters(await intoProgram('no fence'), postgresTables(server!));
    expect(report.fenced).toBe(0);
    record('control: no fence', report);
  });
});
