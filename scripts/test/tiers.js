/** The imports of a test file say when it runs. The first tier starts no process, no server and no thread. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** @typedef {'quick' | 'rest' | 'soak' | 'house'} Tier */

const ROOT = join(import.meta.dirname, '..', '..');

const STARTING = [
  ...['node:child_process', 'node:worker_threads', 'node:http', 'node:net', 'node:tls', 'pg'],
  ...['@lydell/node-pty', 'playwright-core', 'esbuild'],
  'test/support/starting.ts',
];
const LESS = 'test/support/rest.ts';
const MORE = 'test/support/soak.ts';
const IMPORTS = /^(?:import|export)\s(?!type\s)(?:[^'"]*\sfrom\s)?['"]([^'"]+)['"]/gm;

/** @returns {Map<string, Tier[]>} */
export function tiersOfTests() {
  return new Map(
    readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.test\.tsx?$/.test(name))
      .map((name) => posix.join('test', name))
      .sort()
      .map((path) => [path, tiersOf(path)]),
  );
}

/** @param {string} path @returns {Tier[]} */
export function tiersOf(path) {
  const reached = reachedFrom(path);
  const isStarting = STARTING.some((name) => reached.has(name));
  if (path.startsWith('test/house/') && !isStarting) return ['house'];
  if (path.startsWith('test/soak/') && (isStarting || !reached.has(MORE))) return ['soak'];
  /** @type {Tier[]} */
  const tiers = isStarting ? ['rest'] : reached.has(LESS) ? ['quick', 'rest'] : ['quick'];
  return reached.has(MORE) ? [...tiers, 'soak'] : tiers;
}

/** @param {string} path */
export function reachedFrom(path) {
  const reached = new Set([path]);
  for (const from of reached)
    if (/^(test|scripts)\//.test(from)) for (const name of importedBy(from)) reached.add(name);
  return reached;
}

/** @type {Map<string, string[]>} */
const known = new Map();

/** @param {string} path */
function importedBy(path) {
  const names = known.get(path) ?? namesIn(path);
  known.set(path, names);
  return names;
}

/** @param {string} path @returns {string[]} */
function namesIn(path) {
  const file = join(ROOT, path);
  if (!/\.[jt]sx?$/.test(path) || !existsSync(file)) return [];
  return [...readFileSync(file, 'utf8').matchAll(IMPORTS)].map(([, name = '']) => {
    if (!name.startsWith('.')) return name;
    const named = posix.join(posix.dirname(path), name);
    const written = [named.replace(/\.jsx?$/, '.ts'), named.replace(/\.jsx?$/, '.tsx'), named];
    return written.find((each) => existsSync(join(ROOT, each))) ?? named;
  });
}
