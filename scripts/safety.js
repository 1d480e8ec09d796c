/**
 * Usage: `npm run safety`, or `npm run safety -- bulk server` for some harnesses. A harness that is not run keeps its
 * last figures, and so does one that runs with a variable such as HISTORIES_KILLS.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isControl, render } from './bench/report.js';
import { whyNotWritten } from './safety/figures.js';

/** @typedef {{ suite: string, run: string, counts: Record<string, number> }} Figures */

const ROOT = dirname(import.meta.dirname);
const JSON_FILE = join(ROOT, 'docs/benchmarks.json');
const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'svc-figures-'));

try {
  const parts = wanted.length === 0 ? ['test/soak'] : wanted.map((name) => `test/soak/${name}`);
  // One harness after the other, because a kill at a certain moment needs the whole machine.
  const { status } = spawnSync('vitest', ['run', '--no-file-parallelism', ...parts], {
    cwd: ROOT,
    env: { ...process.env, SOAK: '1', SOAK_FIGURES: folder },
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The figures stay as they were: not every harness held.');
  /** @type {import('./bench/report.js').Benchmarks} */
  const before = JSON.parse(readFileSync(JSON_FILE, 'utf8'));
  const safety = { ...before.safety };
  /** @type {Figures[]} */
  const all = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  for (const suite of new Set(all.map((figures) => figures.suite))) {
    const runs = all
      .filter((figures) => figures.suite === suite)
      .sort((a, b) => Number(isControl(a.run)) - Number(isControl(b.run)) || (a.run < b.run ? -1 : 1));
    safety[suite] = runs.map(({ run, counts }) => ({ run, counts }));
    console.log(`\n${suite}\nwhat | figure`);
    for (const { run, counts } of runs)
      console.log(
        `${run} | ${Object.entries(counts)
          .map(([name, count]) => `${count} ${name}`)
          .join(', ')}`,
      );
  }
  const why = whyNotWritten(process.env);
  if (why === null) {
    const benchmarks = { ...before, safety };
    writeFileSync(JSON_FILE, `${JSON.stringify(benchmarks, null, 2)}\n`);
    writeFileSync(join(ROOT, 'docs/benchmarks.md'), render(benchmarks));
  } else console.log(`\n${why}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
