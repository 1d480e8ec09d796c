/** How old a row is by the clock of the database: a machine whose own clock is slow would pay rows again whose keys are forgotten. */
import { afterAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../../support/postgres.js';
import { recordFigures } from '../figures.js';
import { takeOverOld } from './ages.js';
import { SUITE } from './machines.js';

const LIMIT_MS = 120_000;

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(server === null)('rows that left 25 hours ago', () => {
  it(
    'wait for a person, whatever the clock of the machine says that finds them',
    async () => {
      const report = await takeOverOld(server!);
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
});
