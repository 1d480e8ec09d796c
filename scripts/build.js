/** Usage: `npm run build`. With `--if-stale`, builds only if a source is newer than the build. */
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { beginnings } from './build/begin.js';
import { bundle } from './build/bundle.js';
import { helpPages } from './build/help.js';
import { licensesOf } from './build/licenses.js';
import { functionsOf, packed } from './build/pack.js';
import { pageFiles } from './build/page.js';
import { testingFiles } from './build/testing.js';

const ROOT = dirname(import.meta.dirname);
const DIST = join(ROOT, 'dist');
const ASSETS = ['node_modules/jq-web/jq.wasm'];
const SOURCES = ['src', 'bin', 'scripts/build.js', 'scripts/build', 'package.json', 'package-lock.json'];
/** The age of this file is the age of the build. */
const PACK = 'svc.pack';
/** Compiling takes seconds, or two minutes on a busy machine. */
const WARM_MAX_MS = 10 * 60_000;

async function main() {
  const startedAt = new Date();
  // esbuild has printed the error.
  const { chunks, metafile } = await bundle(ROOT).catch(() => process.exit(1));
  for (const [name, contents] of await beginnings(ROOT, ['begin.js', 'thread.js'])) await put(name, contents);
  const page = await pageFiles(ROOT).catch(() => process.exit(1));
  for (const [name, contents] of page.files) await put(name, contents);
  const testing = await testingFiles(ROOT).catch(() => process.exit(1));
  for (const [name, contents] of testing.files) await put(name, contents);
  await put('LICENSES.txt', await licensesOf([metafile, page.metafile, testing.metafile], ROOT));
  for (const asset of ASSETS) await put(asset.replace(/^.*\//, ''), await readFile(join(ROOT, asset)));
  const functions = await functionsOf(chunks);
  const alone = packed(functions, []);
  await put(PACK, alone.pack);
  const { pack, maps } = packed(functions, JSON.parse(warm('--groups').split('\n').at(-1) ?? ''));
  await put('svc.maps', maps);
  await put(PACK, pack);
  await put('svc.help', await helpPages(ROOT));
  warm(join(DIST, 'svc.cache'));
  written.add('svc.cache');
  for (const name of await filesIn(DIST))
    if (!written.has(relative(DIST, name))) await rm(name, { recursive: true });
  await utimes(join(DIST, PACK), startedAt, startedAt);
}

/** @param {string} what @returns {string} */
function warm(what) {
  const argv = ['--random-seed=1', join(import.meta.dirname, 'build', 'warm.js'), what];
  const { status, stdout, error } = spawnSync(process.execPath, argv, {
    timeout: WARM_MAX_MS,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {},
    encoding: 'utf8',
  });
  if (error !== undefined) console.error(`Commands did not run to their end: ${error.message}`);
  if (status !== 0) process.exit(1);
  return stdout;
}

/** @type {Set<string>} */
const written = new Set();

/**
 * Writes another file and renames it, so that a start at the same time finds a whole file.
 * @param {string} name
 * @param {Uint8Array | string} contents
 */
async function put(name, contents) {
  const path = join(DIST, name);
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${String(process.pid)}`;
  await writeFile(temporary, contents);
  await rename(temporary, path);
  written.add(name);
}

/** A folder is newer too if a file in it was added, removed or renamed. */
async function isStale() {
  const built = await stat(join(DIST, PACK)).catch(() => undefined);
  if (built === undefined) return true;
  for (const source of SOURCES) if ((await newestMs(join(ROOT, source))) > built.mtimeMs) return true;
  return false;
}

/** @param {string} path @returns {Promise<number>} */
async function newestMs(path) {
  const { mtimeMs, isDirectory } = await stat(path).then((s) => ({
    mtimeMs: s.mtimeMs,
    isDirectory: s.isDirectory(),
  }));
  if (!isDirectory) return mtimeMs;
  const names = await readdir(path);
  return Math.max(mtimeMs, ...(await Promise.all(names.map((name) => newestMs(join(path, name))))));
}

/** @param {string} folder */
async function filesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** @returns {Promise<string | null>} */
async function tooOld() {
  const { engines } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const needed = engines.node.replace(/^>=/, '');
  const [leastMajor = 0, leastMinor = 0] = needed.split('.').map(Number);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  if (isEnough) return null;
  return `The build needs Node ${needed} or newer, and this is ${process.versions.node}. Use "npm run build": it takes the Node of this clone.`;
}

const args = process.argv.slice(2);
const refusal = await tooOld();
if (refusal !== null) {
  console.error(refusal);
  process.exit(1);
}
if (!args.includes('--if-stale') || (await isStale())) await main();
