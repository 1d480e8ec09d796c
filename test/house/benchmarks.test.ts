import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spread } from '../../scripts/bench/measure.js';
import { render, type Benchmarks } from '../../scripts/bench/report.js';
import { ROOT } from './source.js';

const read = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8');

it('every figure in benchmarks.md comes from benchmarks.json: otherwise run `npm run bench`', () => {
  expect(read('benchmarks.md')).toBe(render(JSON.parse(read('benchmarks.json')) as Benchmarks));
});

describe('a report', () => {
  const row = { what: 'a thing', unit: 'empty starts', median: 2, min: 1, max: 3.25, n: 21 };
  const page = (...rows: Benchmarks['suites'][string]['rows']) =>
    render({ suites: { one: { title: 'One', note: 'About it.', machine: 'Node 24', rows } } });

  it.each([
    [{ atMost: 2 }, '| at most 2 | 2 empty starts | 1 to 3.25 | 21 | yes |'],
    [{ atMost: 1.99 }, '| at most 1.99 | 2 empty starts | 1 to 3.25 | 21 | no |'],
    [{ atLeast: 2 }, '| at least 2 | 2 empty starts | 1 to 3.25 | 21 | yes |'],
    [{ atLeast: 8000 }, '| at least 8,000 | 2 empty starts | 1 to 3.25 | 21 | no |'],
  ])('compares the median with the goal %j', (goal, line) => {
    expect(page({ ...row, goal })).toContain(`| a thing ${line}`);
  });

  it('shows what has no goal beside the rest', () => {
    expect(page(row)).toContain('| a thing |  | 2 empty starts | 1 to 3.25 | 21 |  |');
  });
});

describe('what the harnesses of test/soak counted', () => {
  const { safety = {} } = JSON.parse(read('benchmarks.json')) as Benchmarks;

  it('is shown in a column for each run, zeros too', () => {
    const runs = [
      { run: 'seed 1', counts: { kills: 1300, 'rows lost': 0 } },
      { run: 'control: x', counts: { 'rows lost': 7 } },
    ];
    const page = render({ suites: {}, safety: { Killed: runs } });
    expect(page).toContain('| counted | seed 1 | control: x |');
    expect(page).toContain('| kills | 1,300 |  |\n| rows lost | 0 | 7 |');
  });

  it.each(Object.entries(safety))('%s: each point was hit, each control caught', (_name, runs) => {
    const [controls, held] = [true, false].map((wanted) =>
      runs.filter(({ run }) => run.startsWith('control') === wanted),
    );
    expect(held!.length).toBeGreaterThan(0);
    expect(controls!.length).toBeGreaterThan(0);
    const isWrong = (name: string): boolean =>
      /^[^:]*(twice|lost|doubled|never|nobody|out of order|secrets)/.test(name);
    for (const { counts } of held!)
      for (const [name, count] of Object.entries(counts)) expect(count === 0, name).toBe(isWrong(name));
    for (const { counts } of controls!)
      expect(Object.entries(counts).some(([name, count]) => isWrong(name) && count > 0)).toBe(true);
  });
});

it('takes the median, the lowest and the highest, in any order', () => {
  expect(spread([3.456, 10, 1.25], 2)).toEqual({ median: 3.46, min: 1.25, max: 10, n: 3 });
});
