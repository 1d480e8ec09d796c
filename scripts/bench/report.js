/**
 * @typedef {import('./measure.js').Row} Row
 * @typedef {{ title: string, note: string, machine: string, rows: Row[] }} Suite
 * @typedef {{ run: string, counts: Record<string, number> }} Run what a harness of test/soak counted
 * @typedef {{ suites: Record<string, Suite>, safety?: Record<string, Run[]> }} Benchmarks
 * @typedef {{ title: string, note: string, run: (stage: import('./stage.js').Stage) => AsyncIterable<Row> }} Module a suite's file
 */

/** @param {Benchmarks} benchmarks @returns {string} */
export function render({ suites, safety = {} }) {
  return [
    '<!-- Written by `npm run bench` and `npm run safety` from benchmarks.json. Do not edit. -->',
    '# Benchmarks',
    'Medians with the lowest and the highest of n runs. Times are ratios: how many times an empty start of the same Node ' +
      '(`node -e 0`, measured in turns with it) a command takes.',
    ...Object.entries(suites).map(([, suite]) => section(suite)),
    ...harnesses(safety),
  ]
    .join('\n\n')
    .concat('\n');
}

/** @param {Suite} suite */
function section({ title, note, machine, rows }) {
  const head = [
    '| what | goal | median | lowest to highest | n | met |',
    '| --- | --- | --- | --- | --- | --- |',
  ];
  return [`## ${title}`, note, `Measured on ${machine}.`, [...head, ...rows.map(line)].join('\n')].join(
    '\n\n',
  );
}

/** @param {Record<string, Run[]>} safety @returns {string[]} */
function harnesses(safety) {
  const names = Object.keys(safety).sort();
  if (names.length === 0) return [];
  return [
    '# Safety',
    'What the harnesses of `test/soak` did to `svc` and what came of it, written by `npm run safety`. A column that begins with ' +
      '"control" is a program that breaks one promise on purpose: the harness has to catch it, or its zeros say nothing.',
    ...names.map((name) => `## ${name}\n\n${table(safety[name] ?? [])}`),
  ];
}

/** @param {Run[]} runs */
function table(runs) {
  const rows = [...new Set(runs.flatMap(({ counts }) => Object.keys(counts)))];
  return [
    `| counted | ${runs.map(({ run }) => run).join(' | ')} |`,
    `| --- |${' --- |'.repeat(runs.length)}`,
    ...rows.map((row) => `| ${[row, ...runs.map(({ counts }) => cell(counts[row]))].join(' | ')} |`),
  ].join('\n');
}

/** @param {number | undefined} count */
function cell(count) {
  return count === undefined ? '' : number(count);
}

/** @param {Row} row */
function line({ what, unit, goal, median, min, max, n }) {
  const cells = [
    what,
    goalText(goal),
    `${number(median)} ${unit}`,
    `${number(min)} to ${number(max)}`,
    String(n),
    met(goal, median),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** @param {Row['goal']} goal */
function goalText(goal) {
  if (goal?.atMost !== undefined) return `at most ${number(goal.atMost)}`;
  return goal?.atLeast === undefined ? '' : `at least ${number(goal.atLeast)}`;
}

/** @param {Row['goal']} goal @param {number} median */
function met(goal, median) {
  if (goal === undefined) return '';
  return median <= (goal.atMost ?? Infinity) && median >= (goal.atLeast ?? -Infinity) ? 'yes' : 'no';
}

/** @param {number} value */
function number(value) {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}
