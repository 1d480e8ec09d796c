/** How old a row is by the clock of the database: a machine whose own clock is slow would pay rows again whose keys are forgotten. */
import { afterAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../../support/postgres.js';
import { recordFigures } from '../figures.js';
import { takeOverOld } from './ages.js';
import { faultsOf, SUITE } from './machines.js';

const LIMIT_MS = 120_000;

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(server === null)('rows that left 25 hours ago', () => {
  it(
    'wait for a person, whatever the clock of the machine says that finds them',
    async () => {
      const report = await takeOverOld(server!, null);
      expect(report).toMatchObject({ twice: 0, invented: 0 });
      expect(report.waiting).toBeGreaterThan(0);
      const { twice, operations, waiting } = report;
      const counts = {
        'rows paid': operations,
        'rows that wait for a person': waiting,
        'rows paid twice': twice,
      };
      recordFigures({ suite: SUITE, run: 'a clock 3 h slow, rows 25 h old', counts });
    },
    LIMIT_MS,
  );

  it(
    'are paid again where ages are counted by the local clock',
    async () => {
      const report = await takeOverOld(server!, 'ages by the local clock');
      expect(report.twice).toBeGreaterThan(0);
      recordFigures({ suite: SUITE, run: 'control: ages by the local clock', counts: faultsOf(report) });
    },
    LIMIT_MS,
  );
});
