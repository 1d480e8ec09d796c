/**
 * Usage: `npm run bench`, or `npm run bench -- startup` for some suites. A suite that is not run keeps its last
 * figures.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { render } from './bench/report.js';
import { Stage } from './bench/stage.js';

const ROOT = dirname(import.meta.dirname);
const JSON_FILE = join(ROOT, 'docs/benchmarks.json');
const LIMIT_MS = 40 * 60 * 1000;

const names = (await readdir(join(import.meta.dirname, 'bench/suites'))).map((name) =>
  name.replace(/\.js$/, ''),
);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`No suite ${unknown.join(', ')}: there are ${names.join(', ')}.`);
  process.exit(2);
}

const stage = new Stage(ROOT);
const timer = setTimeout(() => stage.abandon(`took longer than ${LIMIT_MS / 60_000} minutes`), LIMIT_MS);
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.once(signal, () => stage.abandon(`stopped by ${signal}`));
}

try {
  /** @type {import('./bench/report.js').Benchmarks} */
  const before = JSON.parse(await readFile(JSON_FILE, 'utf8').catch(() => '{"suites":{}}'));
  const suites = { ...before.suites };
  for (const name of names.sort()) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.log(`\n${name}`);
    /** @type {import('./bench/report.js').Module} */
    const { title, note, run } = await import(`./bench/suites/${name}.js`);
    const rows = [];
    for await (const row of run(stage)) {
      console.log(`  ${row.what}: ${row.median} ${row.unit} (${row.min} to ${row.max}, n = ${row.n})`);
      rows.push(row);
    }
    suites[name] = { title, note, machine: machine(), rows };
  }
  const benchmarks = { ...before, suites };
  await writeFile(JSON_FILE, `${JSON.stringify(benchmarks, null, 2)}\n`);
  await writeFile(join(ROOT, 'docs/benchmarks.md'), render(benchmarks));
} finally {
  clearTimeout(timer);
  await stage.close();
}

function machine() {
  const cpus = os.cpus();
  const model = cpus[0]?.model.trim() ?? 'unknown';
  return `Node ${process.versions.node}, ${os.type()} ${process.arch}, ${cpus.length} x ${model}`;
}
