/** Bundles src/ into dist/: `npm run build`. With `--if-stale`, only when a source is newer than what was built. */
import { build } from 'esbuild';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { helpPages } from './build/help.js';
import { licensesOf } from './build/licenses.js';

const ROOT = dirname(import.meta.dirname);
const DIST = join(ROOT, 'dist');
/** What is loaded by name; everything else becomes chunks that these share, or load when they need it. */
const ENTRY_POINTS = [
  'src/main.ts',
  'src/commands/all.ts',
  'src/cli/help/layout.ts',
  'src/bulk/store/exchange-thread.ts',
];
/** Files that a bundled library reads at run time, beside its chunk. */
const ASSETS = ['node_modules/jq-web/jq.wasm'];
const NOTHING = join(import.meta.dirname, 'build', 'nothing.js');
/** What decides how `dist/` looks. */
const SOURCES = ['src', 'scripts/build.js', 'scripts/build', 'package.json', 'package-lock.json'];
/** Written last: its age is the age of the build. */
const STAMP = 'main.js';

/** @type {import('esbuild').BuildOptions} */
const OPTIONS = {
  absWorkingDir: ROOT,
  entryPoints: ENTRY_POINTS,
  outdir: DIST,
  outbase: 'src',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.20',
  jsx: 'automatic',
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  write: false,
  // Bundled CommonJS asks for `require` and its own folder; in a module both have to be made.
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
  define: {
    __dirname: 'import.meta.dirname',
    __filename: 'import.meta.filename',
    'process.env.NODE_ENV': '"production"',
    'process.env.DEV': '"false"',
    // undici asks whether it was bundled: it was.
    esbuildDetection: '1',
  },
  alias: {
    // oclif's debug output would print arguments, and loading it costs a tenth of the start.
    debug: join(import.meta.dirname, 'build', 'no-debug.cjs'),
    'react-devtools-core': NOTHING,
  },
  plugins: [leaveOut()],
  // The key store is native code; the others are what oclif would use in a development of its own.
  external: ['@napi-rs/keyring', 'typescript', 'ts-node', 'pnpapi'],
};

/**
 * Parts of libraries that would be evaluated at every start and that nothing here reaches, by the file that asks for them:
 * each becomes an empty module. The tests run on this bundle, so what is missed after all is seen.
 */
function leaveOut() {
  /** @type {[importer: RegExp, wanted: RegExp][]} */
  const parts = [
    // HTTP/2, and all of node:http2, for a protocol that is never allowed here.
    [/undici\/lib\//, /\/client-h2\.js$/],
    // Looking for plugins, commands and TypeScript on the disk: our configuration discovers nothing.
    [/@oclif\/core\/lib\/config\//, /^(\.\/plugin|\.\/plugin-loader|\.\/ts-path|\.\.\/module-loader|ejs)$/],
    // Its help, its printing and its handling of errors: all three are our own.
    [
      /@oclif\/core\/lib\/(command|flags|config\/config|errors\/index|parser\/help)\.js$/,
      /^(\.\/handle|\.\/help|\.\.?\/ux)$/,
    ],
    [/@oclif\/core\/lib\/help\//, /^ejs$/],
  ];
  return {
    name: 'leave-out',
    setup: (/** @type {import('esbuild').PluginBuild} */ build) => {
      for (const [importer, filter] of parts)
        build.onResolve({ filter }, (args) => (importer.test(args.importer) ? { path: NOTHING } : undefined));
    },
  };
}

const args = process.argv.slice(2);
if (!args.includes('--if-stale') || (await isStale())) await main();

async function main() {
  const startedAt = new Date();
  // esbuild has said what is wrong.
  const { outputFiles, metafile } = await build(OPTIONS).catch(() => process.exit(1));
  const files = new Map(outputFiles?.map((file) => [relative(DIST, file.path), file.contents]));
  for (const asset of ASSETS) files.set(asset.replace(/^.*\//, ''), await readFile(join(ROOT, asset)));
  files.set('LICENSES.txt', Buffer.from(await licensesOf(metafile, ROOT)));

  // New chunks first, entry points last, old chunks at the very end: whoever starts meanwhile finds a whole program.
  const isEntry = (/** @type {string} */ name) =>
    ENTRY_POINTS.some((entry) => entry === `src/${name.replace(/js$/, 'ts')}`);
  const names = [...files.keys()].sort((a, b) => Number(isEntry(a)) - Number(isEntry(b)));
  for (const name of names) await put(join(DIST, name), files.get(name) ?? new Uint8Array());
  for (const [name, text] of await helpPages(DIST)) {
    await put(join(DIST, name), Buffer.from(text));
    files.set(name, Buffer.from(text));
  }
  for (const name of await filesIn(DIST)) if (!files.has(relative(DIST, name))) await rm(name);
  await utimes(join(DIST, STAMP), startedAt, startedAt);
}

/** @param {string} path @param {Uint8Array} contents */
async function put(path, contents) {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${String(process.pid)}`;
  await writeFile(temporary, contents);
  await rename(temporary, path);
}

/** A folder is newer too when a file in it was added, removed or renamed. */
async function isStale() {
  const built = await stat(join(DIST, STAMP)).catch(() => undefined);
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
