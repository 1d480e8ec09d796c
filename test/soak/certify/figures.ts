/** What exams of right and of broken code come to: a column for each, in which a right one has failed nothing. */
import { recordFigures } from '../figures.js';

export interface ExamFigures {
  /** @param failed how many of its cases */
  add(isBroken: boolean, cases: number, failed: number): void;
  /** Once all are counted. */
  record(): void;
}

/** @param suite the heading of the table */
export function examFigures(suite: string): ExamFigures {
  const columns = new Map<string, { exams: number; cases: number; failed: number }>();
  return {
    add: (isBroken, cases, failed) => {
      const run = isBroken ? 'control: broken on purpose' : 'right';
      const before = columns.get(run) ?? { exams: 0, cases: 0, failed: 0 };
      columns.set(run, {
        ...{ exams: before.exams + 1, cases: before.cases + cases, failed: before.failed + failed },
      });
    },
    record: () => {
      for (const [run, { exams, cases, failed }] of columns)
        recordFigures({ suite, run, counts: { exams, cases, 'cases that right code never fails': failed } });
    },
  };
}
