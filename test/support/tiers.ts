/**
 * Which tests run when, told by what a file imports: the first tier starts no process, no server and no thread; the rest does, or draws rounds at
 * their usual number; soak takes hours. The rules of the house belong to `npm run check`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

export type Tier = 'quick' | 'rest' | 'soak' | 'house';

/** Whoever imports one of these, or a helper that does, starts something, or speaks to what was started. */
const STARTING = [
  ...['node:child_process', 'node:worker_threads', 'node:http', 'node:net', 'node:tls', 'pg'],
  ...['@lydell/node-pty', 'playwright-core', 'esbuild'],
  'test/support/starting.ts',
];
/** What does less in the first tier. */
const LESS = ['test/support/rest.ts'];
/** What does more in soak. */
const MORE = ['test/support/soak.ts'];
const IMPORTS = /^(?:import|export)\s(?!type\s)(?:[^'"]*\sfrom\s)?['"]([^'"]+)['"]/gm;

/** Every test file, relative to the project, with the tiers that run it. */
export function tiersOfTests(): ReadonlyMap<string, readonly Tier[]> {
  return new Map(
    readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.test\.tsx?$/.test(name))
      .map((name) => posix.join('test', name))
      .sort()
      .map((path) => [path, tiersOf(path)]),
  );
}

/** What does less in one tier than in another runs in both. */
export function tiersOf(path: string): readonly Tier[] {
  const reached = reachedFrom(path);
  const reaches = (names: readonly string[]): boolean => names.some((name) => reached.has(name));
  const isStarting = reaches(STARTING);
  if (path.startsWith('test/house/') && !isStarting) return ['house'];
  if (path.startsWith('test/soak/') && (isStarting || !reaches(MORE))) return ['soak'];
  return [
    ...(isStarting ? [] : ['quick' as const]),
    ...(isStarting || reaches(LESS) ? ['rest' as const] : []),
    ...(reaches(MORE) ? ['soak' as const] : []),
  ];
}

/** What a file imports, and what its helpers in `test/` and `scripts/` import: libraries by name, files by their path. */
function reachedFrom(path: string): ReadonlySet<string> {
  const reached = new Set<string>([path]);
  for (const from of reached)
    if (/^(test|scripts)\//.test(from)) for (const name of importedBy(from)) reached.add(name);
  return reached;
}

const known = new Map<string, readonly string[]>();

function importedBy(path: string): readonly string[] {
  const names = known.get(path) ?? namesIn(path);
  known.set(path, names);
  return names;
}

function namesIn(path: string): readonly string[] {
  const file = join(ROOT, path);
  if (!/\.[jt]sx?$/.test(path) || !existsSync(file)) return [];
  return [...readFileSync(file, 'utf8').matchAll(IMPORTS)].map(([, name = '']) => {
    if (!name.startsWith('.')) return name;
    const named = posix.join(posix.dirname(path), name);
    const written = [named.replace(/\.jsx?$/, '.ts'), named.replace(/\.jsx?$/, '.tsx'), named];
    return written.find((each) => existsSync(join(ROOT, each))) ?? named;
  });
}
