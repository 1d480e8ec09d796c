/** `npm run safety -- into` makes 200 kills and five restarts, and every other run makes a few kills. */
import { describe, expect, it } from 'vitest';
import { postgresTables, sqliteTables } from '../../support/into-tables.js';
import { startPostgres } from '../../support/postgres.js';
import { recordFigures } from '../figures.js';
import { NO_FAULTS } from './judge.js';
import { type IntoKillPlan, killWriters } from './kills.js';
import { type BrokenInto, intoProgram } from './program.js';

const SOAK = process.env['SOAK'] !== undefined;
const SUITE = 'Events into tables, killed';
const LIMIT = { timeout: 900_000 };
const KILLS = SOAK ? 200 : 2;
const ENTRIES = SOAK ? 40_000 : 400;
const FEW = SOAK ? { kills: 8, entries: 1600, mishaps: [] } : { kills: 3, entries: 600, mishaps: [] };

const server = await startPostgres();

function record(
  run: string,
  { kills, mishaps, ...faults }: Awaited<ReturnType<typeof killWriters>>,
  entries: number,
): void {
  const met = mishaps === 0 ? {} : { 'times the database crashed, restarted or was put back': mishaps };
  const counts = {
    'entries of the feed': entries,
    'runs killed': kills,
    ...met,
    'events lost': faults.missing,
    'events twice': faults.twice,
    'events lost, changed or moved': faults.different,
    'operations lost or changed': faults.wrongOperations,
  };
  recordFigures({ suite: SUITE, run, counts });
}

const DATABASES: Readonly<Record<string, Pick<IntoKillPlan, 'tables' | 'mishaps'>>> = {
  sqlite: { tables: (home) => sqliteTables(home), mishaps: [] },
  ...(server === null
    ? {}
    : {
        postgres: {
          tables: () => postgresTables(server),
          mishaps: SOAK
            ? [
                () => server.restart('immediate'),
                () => server.restart('fast'),
                () => server.keepCopy(),
                () => server.putBack('promoted'),
                () => server.restart('immediate'),
              ]
            : [() => server.restart('immediate')],
        },
      }),
};

const CONTROLS: readonly (readonly [BrokenInto, 'missing' | 'twice'])[] = [
  ['the place is committed before the events', 'missing'],
  ['an event that comes again is a row more', 'twice'],
];

describe.each(Object.entries(DATABASES))('whoever writes into %s', (name, database) => {
  it(`is killed ${String(KILLS)} times, and the tables are the feed`, LIMIT, async () => {
    const report = await killWriters({
      ...database,
      program: await intoProgram(),
      kills: KILLS,
      entries: ENTRIES,
    });
    expect(report).toMatchObject({ ...NO_FAULTS, exitCode: 0, mishaps: database.mishaps.length });
    expect(report.kills).toBeGreaterThanOrEqual(KILLS / 2);
    record(`killed, ${name}`, report, ENTRIES);
  });

  it.each(SOAK ? CONTROLS : CONTROLS.slice(name === 'sqlite' ? 0 : 1, name === 'sqlite' ? 1 : 2))(
    'the harness sees that %s',
    LIMIT,
    async (broken, fault) => {
      const report = await killWriters({ ...database, ...FEW, program: await intoProgram(broken) });
      expect(report[fault]).toBeGreaterThan(0);
      record(`control: ${broken}, ${name}`, report, FEW.entries);
    },
  );
});
