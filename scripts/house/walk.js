import { build } from 'esbuild';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { spawnSync } from 'node:child_process';
import { Stage } from '../bench/stage.js';
import { PAYOUT } from '../bench/requests.js';

/** @typedef {{ functionName: string, ranges: { startOffset: number, endOffset: number, count: number }[] }} Covered */
/** @typedef {Map<string, Covered[]>} Coverage functions by source file */

/** Work that a module does when it is loaded does not count. @param {string} root @param {readonly string[]} paths */
export async function walkOfCreate(root, paths) {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  // Coverage uses real paths, and the node_modules of a worktree may be a link.
  const folder = realpathSync(mkdtempSync(join(cache, 'svc-house-')));
  const stage = new Stage(root);
  try {
    await compile(root, folder, paths);
    const server = await stage.sandbox(':memory:');
    const env = stage.environment({ SVC_BASE_URL: server.base_url, SVC_API_KEY: server.api_key });
    const begin = `import { start } from './src/main.js'; await start({ mapStack: (stack) => stack });`;
    const ran = cover(folder, 'run', begin, [...CREATE, '--data', JSON.stringify(PAYOUT)], env);
    const imports = [...ran.keys()].map((path) => `await import('./${path}');`).join('\n');
    const loaded = cover(folder, 'load', imports, [], env);
    const walked = [...ran].filter(([path, functions]) => isBeyond(functions, loaded.get(path) ?? []));
    const compiled = new Set(walked.map(([path]) => path));
    return paths.filter((path) => compiled.has(path.replace(/tsx?$/, 'js')));
  } finally {
    await stage.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const CREATE = ['payouts', 'create'];

/** @param {string} root @param {string} folder @param {readonly string[]} paths */
async function compile(root, folder, paths) {
  await build({
    absWorkingDir: root,
    entryPoints: [...paths],
    outbase: '.',
    outdir: folder,
    format: 'esm',
    platform: 'node',
    target: 'node22.20',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
  writeFileSync(join(folder, 'package.json'), readFileSync(join(root, 'package.json')));
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {string} text
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Coverage}
 */
function cover(folder, name, text, args, env) {
  const entry = join(folder, `${name}.js`);
  writeFileSync(entry, text);
  const results = join(folder, `coverage-${name}`);
  const { status, stderr } = spawnSync(process.execPath, [entry, ...args], {
    env: { ...env, NODE_V8_COVERAGE: results },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The walk ended with ${String(status)}:\n${stderr}`);
  const sources = pathToFileURL(join(folder, 'src')).href;
  /** @type {Coverage} */
  const coverage = new Map();
  for (const file of readdirSync(results)) {
    /** @type {{ result: { url: string, functions: Covered[] }[] }} */
    const { result } = JSON.parse(readFileSync(join(results, file), 'utf8'));
    for (const { url, functions } of result)
      if (url.startsWith(sources)) coverage.set(relative(folder, fileURLToPath(url)), functions);
  }
  return coverage;
}

/** @param {readonly Covered[]} ran @param {readonly Covered[]} loaded */
function isBeyond(ran, loaded) {
  const counts = new Map(loaded.map((one) => [keyOf(one), countOf(one)]));
  return ran.some((one) => countOf(one) > (counts.get(keyOf(one)) ?? 0));
}

/** @param {Covered} covered */
function keyOf({ functionName, ranges }) {
  return `${functionName} ${String(ranges[0]?.startOffset)} ${String(ranges[0]?.endOffset)}`;
}

/** @param {Covered} covered */
function countOf({ ranges }) {
  return ranges[0]?.count ?? 0;
}
