import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryRow, spread } from '../../scripts/bench/measure.js';
import { isControl, isPromise, render, type Benchmarks } from '../../scripts/bench/report.js';
import { ROOT } from './source.js';

const read = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8');

it('every figure in benchmarks.md comes from benchmarks.json: otherwise run `npm run bench`', () => {
  expect(read('benchmarks.md')).toBe(render(JSON.parse(read('benchmarks.json')) as Benchmarks));
});

describe('a report', () => {
  const row = { what: 'a thing', unit: 'empty starts', median: 2, min: 1, max: 3.25, n: 21 };
  const page = (...rows: Benchmarks['suites'][string]['rows']) =>
    render({
      suites: {
        one: {
          title: 'One',
          note: 'About it.',
          machine: 'Node 24',
          rows,
        },
      },
    });

  it.each([
    [{ atMost: 2 }, '| at most 2 | 2 empty starts | 1 to 3.25, n 21 |  |', true],
    [{ atMost: 1.99 }, '| at most 1.99 | 2 empty starts | 1 to 3.25, n 21 |  |', false],
    [{ atLeast: 2 }, '| at least 2 | 2 empty starts | 1 to 3.25, n 21 |  |', true],
    [{ atLeast: 8000 }, '| at least 8,000 | 2 empty starts | 1 to 3.25, n 21 |  |', false],
    [undefined, '|  | 2 empty starts | 1 to 3.25, n 21 |  |', true],
  ])('compares the median with the goal %j', (goal, line, isMet) => {
    const shown = page({ ...row, ...(goal && { goal }) });
    expect(shown).toContain(`| a thing ${line}`);
    expect(shown.includes('Missed: a thing.')).toBe(!isMet);
  });

  it('shows the memory in the line of what took it, and that a goal is missed', () => {
    const shown = page(row, memoryRow([2], 1));
    expect(shown).toContain('| a thing |  | 2 empty starts | 1 to 3.25, n 21 | 2 MB of 1 |');
    expect(shown).toContain('Missed: memory of a thing.');
  });
});

describe('what the harnesses of test/soak counted', () => {
  const { safety = {} } = JSON.parse(read('benchmarks.json')) as Benchmarks;

  it('is shown in a line for each run, and a broken promise in each', () => {
    const runs = [
      { run: 'seed 1', counts: { kills: 1300, 'killed: early': 3, 'rows lost': 0 } },
      { run: 'control: x', counts: { kills: 2, 'rows lost: late': 7, 'rows lost: early': 1 } },
    ];
    const shown = render({ suites: {}, safety: { Killed: runs } });
    expect(shown).toContain('Never: rows lost.\n\n- seed 1: 1,300 kills\n- control: x: 8 rows lost');
  });

  it.each(Object.entries(safety))('%s: each point was hit, each control caught', (_name, runs) => {
    const [controls, held] = [true, false].map((wanted) =>
      runs.filter(({ run }) => isControl(run) === wanted),
    );
    expect(held!.length).toBeGreaterThan(0);
    expect(controls!.length).toBeGreaterThan(0);
    for (const { counts } of held!)
      for (const [name, count] of Object.entries(counts)) expect(count === 0, name).toBe(isPromise(name));
    for (const { counts } of controls!)
      expect(Object.entries(counts).some(([name, count]) => isPromise(name) && count > 0)).toBe(true);
  });
});

it('takes the median, the lowest and the highest, in any order', () => {
  expect(spread([3.456, 10, 1.25], 2)).toEqual({ median: 3.46, min: 1.25, max: 10, n: 3 });
});
