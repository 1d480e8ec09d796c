/**
 * Usage: `npm run release`. `--try` makes the release twice, compares both, installs and uses it. `--sign KEY` signs
 * the sums.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { buildExecutable } from './release/executable.js';
import { makeRelease } from './release/make.js';
import { requireKey, signSums } from './release/signature.js';
import { Missing, releaseTime } from './release/tools.js';

const ROOT = dirname(import.meta.dirname);
const OUT = join(ROOT, 'release');
const AGAIN = `${OUT}.again`;

const { tries, key } = readWords();
try {
  if (key !== undefined) requireKey(key);
  run(['scripts/build.js']);
  await make(OUT);
  if (key !== undefined) signSums(OUT, key);
  for (const line of sumsOf(OUT).trimEnd().split('\n')) {
    const name = line.replace(/^\S+ +/, '');
    const megabytes = (statSync(join(OUT, name)).size / 1e6).toFixed(1);
    console.log(`${relative(ROOT, OUT)}/${name}  ${megabytes} MB`);
  }
  if (tries) await tryIt();
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function readWords() {
  try {
    const options = /** @type {const} */ ({ try: { type: 'boolean' }, sign: { type: 'string' } });
    const { values } = parseArgs({ options });
    return { tries: values.try === true, key: values.sign };
  } catch {
    console.error('npm run release takes -- --try, and -- --sign KEY.');
    process.exit(2);
  }
}

/** @param {string} out */
async function make(out) {
  const startedMs = performance.now();
  const isWhole = await makeRelease(ROOT, out, {
    build: buildExecutable,
    time: releaseTime(ROOT),
    say: (sentence) => {
      console.error(sentence);
    },
  });
  if (!isWhole) process.exitCode = 1;
  console.log(`${relative(ROOT, out)}/ is made: ${((performance.now() - startedMs) / 1000).toFixed(0)} s.`);
}

/** Builds again from the sources, so that the second release reuses nothing of the first. */
async function tryIt() {
  run(['scripts/build.js']);
  await make(AGAIN);
  const isSame = sumsOf(OUT) === sumsOf(AGAIN);
  if (isSame) rmSync(AGAIN, { recursive: true });
  else
    throw new Missing(
      `Two builds are not the same: compare ${relative(ROOT, OUT)}/ and ${relative(ROOT, AGAIN)}/.`,
    );
  console.log('Two builds are the same, byte for byte.');
  run(['node_modules/vitest/vitest.mjs', 'run', 'test/release', 'test/house/readme-blocks.test.ts'], {
    RELEASE: '1',
  });
}

/** @param {string} folder */
function sumsOf(folder) {
  return readFileSync(join(folder, 'SHA256SUMS'), 'utf8');
}

/** @param {string[]} args @param {Record<string, string>} [env] */
function run(args, env = {}) {
  const options = /** @type {const} */ ({ cwd: ROOT, stdio: 'inherit' });
  const { status } = spawnSync(process.execPath, args, { ...options, env: { ...process.env, ...env } });
  if (status !== 0) throw new Missing(`It does not hold: node ${args.join(' ')} ended with ${status}.`);
}
