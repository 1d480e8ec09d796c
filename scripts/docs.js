/** Usage: `npm run docs`. With `--check`, compares the files instead of writing them. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generate } from './docs/generate.js';

const ROOT = dirname(import.meta.dirname);
const REFERENCE = 'docs/reference';

const files = await generate(ROOT);
const old = await readdir(join(ROOT, REFERENCE)).catch(() => []);
const gone = old.map((name) => `${REFERENCE}/${name}`).filter((path) => !files.has(path));

if (process.argv.includes('--check')) {
  const stale = gone.map((path) => `${path}: belongs to no command`);
  for (const [path, text] of files) {
    const found = await readFile(join(ROOT, path), 'utf8').catch(() => undefined);
    if (found !== text)
      stale.push(`${path}: ${found === undefined ? 'missing' : 'differs from the commands'}`);
  }
  for (const line of stale) console.error(line);
  if (stale.length > 0)
    console.error('Generated files are stale: run `npm run docs` and commit what it writes.');
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  await mkdir(join(ROOT, REFERENCE), { recursive: true });
  for (const path of gone) await rm(join(ROOT, path));
  for (const [path, text] of files) await writeFile(join(ROOT, path), text);
  console.log(`Wrote ${files.size} files.`);
}
