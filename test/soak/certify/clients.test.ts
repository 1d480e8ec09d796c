import { afterAll, expect, it } from 'vitest';
import { BROKEN, RIGHT, SUITE } from '../../certify/controls/controls.js';
import { brokenRules, controlCommand, examined } from '../../certify/controls/exam.js';
import { examFigures } from './figures.js';

const SOAK = process.env['SOAK'] !== undefined;
const LIMIT_MS = 900_000;
const counted = examFigures('Exams of commands that pay');
afterAll(() => counted.record());

const BESIDE: Readonly<Record<string, readonly string[]>> = {
  'runner.mjs': ['should same-key', 'must no-repeat-4xx'],
  'twice-new-key.mjs': ['should same-key'],
  'new-key.mjs': ['should same-key'],
  'second-key.mjs': ['should same-key'],
  'takes-201.mjs': ['should says-done-failed'],
  'says-ok.mjs': ['should says-done-failed'],
  'suite.mjs': ['should says-done-failed'],
};

it
  .runIf(SOAK)
  .each([...RIGHT, SUITE, ...BROKEN].map((control) => [control.line.join(' '), control] as const))(
  '%s',
  async (name, { line, breaks, telling: _telling, ...settings }) => {
    const found = await examined(controlCommand(line), { points: 1, jobs: 2, ...settings });
    const broken = brokenRules(found);
    const own = breaks === null ? [] : [breaks];
    expect(found.notJudged).toBeNull();
    expect(Object.keys(broken)).toEqual(expect.arrayContaining(own));
    expect(
      Object.keys(broken).filter((rule) => !own.includes(rule) && !BESIDE[name]?.includes(rule)),
    ).toEqual([]);
    // The client has a time limit of ten seconds for an answer, and its exam one of six for a run.
    const isShort = ({ theCase }: (typeof found.cases)[number]): boolean =>
      name === 'endless.mjs' && theCase.fault === 'silent';
    expect(found.cases.filter((one) => one.notJudged !== null && !isShort(one))).toEqual([]);
    const failed = new Set(
      Object.entries(broken).flatMap(([rule, ids]) => (rule === SUITE.breaks ? [] : ids)),
    );
    counted.add(
      BROKEN.some((control) => control.line.join(' ') === name),
      found.cases.length,
      failed.size,
    );
  },
  LIMIT_MS,
);
