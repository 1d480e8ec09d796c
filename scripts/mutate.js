/** Usage: `npm run mutate`, or `npm run mutate -- contract payments/known/key` for some files. */
import { transformSync } from 'esbuild';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { MUTANTS } from './mutate/mutants.js';
import { changed, sourcesOf } from './mutate/places.js';
import { reachedFrom } from './test/tiers.js';

/** @typedef {import('./mutate/mutant.js').Mutant} Mutant */
/** @typedef {'caught' | 'hung' | 'unloadable' | 'gone' | 'survived'} Fate */
/** @typedef {{ mutant: Mutant, fate: Fate, by: string }} Row */

const ROOT = dirname(import.meta.dirname);
/** `dist/` is left out, because it would be the program without the mutant. */
const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage', '.git']);
const LIMIT_MS = 120_000;
/** Survivors come last, where a person sees them. @type {readonly Fate[]} */
const ORDER = ['caught', 'hung', 'unloadable', 'gone', 'survived'];

const places = process.argv.slice(2);
const SOURCES = sourcesOf(ROOT);
/** @param {Mutant} mutant */
const brokenBy = (mutant) => {
  try {
    return changed(mutant, SOURCES);
  } catch {
    return null;
  }
};
/** @param {string} place @param {Mutant} mutant */
const isIn = (place, mutant) =>
  brokenBy(mutant)?.some(({ path }) => ['/', '.'].some((end) => path.startsWith(`src/${place}${end}`))) ===
  true;
const unknown = places.filter((place) => !MUTANTS.some((mutant) => isIn(place, mutant)));
if (unknown.length > 0) throw new Error(`There are no mutants of ${unknown.join(', ')}.`);
const chosen = MUTANTS.filter((mutant) => places.length === 0 || places.some((place) => isIn(place, mutant)));

const folder = mkdtempSync(join(tmpdir(), 'svc-mutants-'));
/** @type {import('node:child_process').ChildProcess | null} */
let running = null;
process.on('exit', () => {
  end();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));

const copy = join(folder, 'project');
cpSync(ROOT, copy, {
  recursive: true,
  filter: (path) => dirname(path) !== ROOT || !LEFT_OUT.has(basename(path)),
});
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));

const before = await test([...new Set(chosen.flatMap(({ tests }) => tests))], LIMIT_MS * 10);
if (before.fate !== 'survived') throw new Error(`Without any mutant the tests fail: ${before.by}`);

/** @type {Row[]} */
const rows = [];
for (const mutant of chosen) {
  const row = { mutant, ...(await fateOf(mutant)) };
  rows.push(row);
  console.log(lineOf(row));
}
rows.sort((a, b) => ORDER.indexOf(a.fate) - ORDER.indexOf(b.fate));
const open = rows.filter(({ fate }) => fate !== 'caught' && fate !== 'hung');
console.log(`\n${String(rows.length)} mutants, ${String(rows.length - open.length)} caught.`);
for (const row of open) console.log(lineOf(row));
process.exitCode = open.length === 0 ? 0 : 1;

/** @param {Mutant} mutant @returns {Promise<{ fate: Fate, by: string }>} */
async function fateOf(mutant) {
  const broken = brokenBy(mutant);
  if (broken === null) return { fate: 'gone', by: 'what it changes does not stand there once' };
  for (const { path, text } of broken) {
    transformSync(text, { loader: path.endsWith('x') ? 'tsx' : 'ts' });
    writeFileSync(join(copy, path), text);
  }
  try {
    return await test(mutant.tests);
  } finally {
    for (const { path } of broken) cpSync(join(ROOT, path), join(copy, path));
  }
}

/** @param {readonly string[]} tests @returns {Promise<{ fate: Fate, by: string }>} */
async function test(tests, limitMs = LIMIT_MS) {
  const file = join(folder, 'result.json');
  rmSync(file, { force: true });
  // Some tests start the built program, so the program is built with the mutant.
  if (tests.some((path) => reachedFrom(path).has('test/support/program.ts')))
    spawnSync(process.execPath, ['scripts/build.js'], { cwd: copy, stdio: 'ignore' });
  const args = ['run', '--bail', '1', '--reporter', 'json', '--outputFile', file, ...tests];
  // A process group, so that a test that hangs ends with all its processes.
  const child = spawn('vitest', args, { cwd: copy, stdio: 'ignore', detached: true });
  running = child;
  const timer = setTimeout(end, limitMs);
  /** @type {number | null} */
  const status = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
  clearTimeout(timer);
  running = null;
  if (status === 0) return { fate: 'survived', by: tests.map(nameOf).join(', ') };
  if (status === null) return { fate: 'hung', by: tests.map(nameOf).join(', ') };
  /** @type {{ testResults: { name: string, message: string, assertionResults: { status: string, fullName: string }[] }[] }} */
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  for (const { name, assertionResults } of testResults) {
    const failed = assertionResults.find((result) => result.status === 'failed');
    if (failed !== undefined) return { fate: 'caught', by: `${nameOf(name)}: ${failed.fullName}` };
  }
  const why = testResults.find(({ message }) => message !== '')?.message ?? 'no test failed';
  return { fate: 'unloadable', by: why.split('\n', 1)[0] ?? '' };
}

function end() {
  if (running?.pid !== undefined && running.exitCode === null) process.kill(-running.pid, 'SIGKILL');
}

/** @param {Row} row */
function lineOf({ mutant, fate, by }) {
  const where = [mutant.within].flat().join(', ');
  return `${fate.padEnd(10)} ${where.padEnd(36)} ${mutant.breaks}\n${' '.repeat(11)}${by.slice(0, 140)}`;
}

/** @param {string} path */
function nameOf(path) {
  return path
    .replace(/^.*\/test\//, '')
    .replace(/^test\//, '')
    .replace(/\.test\.tsx?$/, '');
}
