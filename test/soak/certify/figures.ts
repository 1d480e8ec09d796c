import { recordFigures } from '../figures.js';

export function examFigures(suite: string) {
  const columns = new Map<string, { exams: number; cases: number; failed: number }>();
  return {
    add: (isBroken: boolean, cases: number, failed: number): void => {
      const run = isBroken ? 'control: broken on purpose' : 'right';
      const before = columns.get(run) ?? { exams: 0, cases: 0, failed: 0 };
      const [exams, all] = [before.exams + 1, before.cases + cases];
      columns.set(run, { exams, cases: all, failed: before.failed + failed });
    },
    record: () => {
      for (const [run, { exams, cases, failed }] of columns)
        recordFigures({ suite, run, counts: { exams, cases, 'cases that right code never fails': failed } });
    },
  };
}
