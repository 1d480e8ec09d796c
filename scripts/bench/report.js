import { MEMORY } from './measure.js';

/**
 * @typedef {import('./measure.js').Row} Row
 * @typedef {{ title: string, note: string, machine: string, rows: Row[] }} Suite
 * @typedef {{ run: string, counts: Record<string, number> }} Run what a harness of test/soak counted
 * @typedef {{ suites: Record<string, Suite>, safety?: Record<string, Run[]> }} Benchmarks
 * @typedef {{ title: string, note: string, run: (stage: import('./stage.js').Stage) => AsyncIterable<Row> }} Module a suite's file
 */

/** @param {Benchmarks} benchmarks @returns {string} */
export function render({ suites, safety = {} }) {
  const machines = new Set(Object.values(suites).map(({ machine }) => machine));
  return [
    '<!-- Written by `npm run bench` and `npm run safety` from benchmarks.json. Do not edit. -->',
    '# Benchmarks',
    'Medians, with the lowest and the highest of n runs. "Starts" are empty starts of the same Node (`node -e 0`, measured in turns with ' +
      `the command). Memory is the greatest resident size of the process. Measured on ${[...machines].join('; ')}.`,
    ...Object.values(suites).flatMap(section),
    ...harnesses(safety),
  ]
    .join('\n\n')
    .concat('\n');
}

/** @param {Suite} suite @returns {string[]} */
function section({ title, note, rows }) {
  const lines = rows.flatMap((row, at) => (row.what === MEMORY ? [] : [line(row, rows[at + 1])]));
  const reasons = rows.flatMap((row, at) => {
    if (isMet(row)) return [];
    const what = row.what === MEMORY ? `memory of ${rows[at - 1]?.what ?? ''}` : row.what;
    return [`Missed: ${what}.`];
  });
  const table = ['| what | goal | median | range | memory |', '| --- | --- | --- | --- | --- |', ...lines];
  return [`## ${title}`, note, table.join('\n'), ...reasons];
}

/** @param {Row} row @param {Row | undefined} next */
function line({ what, unit, goal, median, min, max, n }, next) {
  const memory = next?.what === MEMORY ? `${number(next.median)} MB${goalText(next.goal, ' of ')}` : '';
  const range = n === 1 ? '' : `${number(min)} to ${number(max)}, n ${n}`;
  return `| ${[what, goalText(goal), `${number(median)} ${unit}`, range, memory].join(' | ')} |`;
}

/** @param {Row['goal']} goal @param {string} [atMost] */
function goalText(goal, atMost = 'at most ') {
  if (goal?.atMost !== undefined) return `${atMost}${number(goal.atMost)}`;
  return goal?.atLeast === undefined ? '' : `at least ${number(goal.atLeast)}`;
}

/** @param {Row} row */
function isMet({ goal, median }) {
  return median <= (goal?.atMost ?? Infinity) && median >= (goal?.atLeast ?? -Infinity);
}

/** @param {Record<string, Run[]>} safety @returns {string[]} */
function harnesses(safety) {
  const names = Object.keys(safety).sort();
  if (names.length === 0) return [];
  return [
    '# Safety',
    'What the harnesses of `test/soak` did to `svc`, and what never came of it (`npm run safety`). A "control" is a program that breaks one promise ' +
      'on purpose: the harness has to catch it, or its zeros say nothing. benchmarks.json has the details of each run.',
    ...names.map((name) => `## ${name}\n\n${outcomes(safety[name] ?? [])}`),
  ];
}

/** @param {Run[]} runs */
function outcomes(runs) {
  const promises = new Set(runs.flatMap(({ counts }) => Object.keys(counts).filter(isPromise).map(heading)));
  const items = runs.map(({ run, counts }) => {
    const entries = Object.entries(counts);
    const broken = [...promises].map((promise) => {
      const sum = entries.reduce((all, [name, count]) => all + (heading(name) === promise ? count : 0), 0);
      return /** @type {[string, number]} */ ([promise, sum]);
    });
    const met = entries.filter(([name]) => !isPromise(name) && !name.includes(':'));
    return `- ${run}: ${shown(isControl(run) ? broken : [...met, ...broken])}`;
  });
  return `Never: ${[...promises].join('; ')}.\n\n${items.join('\n')}`;
}

/** @param {[string, number][]} counts */
function shown(counts) {
  return counts.flatMap(([name, count]) => (count === 0 ? [] : [`${number(count)} ${name}`])).join(', ');
}

/** @param {string} run */
export function isControl(run) {
  return run.startsWith('control');
}

/** @param {string} name */
export function isPromise(name) {
  return /twice|lost|doubled|never|nobody|out of order|secrets/.test(heading(name));
}

/** @param {string} name */
function heading(name) {
  return name.replace(/:.*/, '');
}

/** @param {number} value */
function number(value) {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}
