/** Bundles src/ with the libraries that it uses, as modules that share chunks: what is loaded late stays in chunks of its own. */
import { build } from 'esbuild';
import { join, relative } from 'node:path';
import { leaveOut, loadLate, patch } from './libraries.js';

/** What is loaded by name; everything else becomes chunks that these share, or load when they need it. */
const ENTRY_POINTS = [
  'src/main.ts',
  'src/all.ts',
  'src/command/help/layout.ts',
  'src/storage/batches/exchange-thread.ts',
  'src/output/jq-thread.ts',
];

/**
 * @param {string} root the project's folder
 * @returns {Promise<{ chunks: Map<string, { code: string, map: string }>, metafile: import('esbuild').Metafile }>} by the chunk's
 *   name, below the folder of the bundle
 */
export async function bundle(root) {
  const folder = join(root, 'dist');
  const nothing = join(import.meta.dirname, 'nothing.js');
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ENTRY_POINTS,
    outdir: folder,
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
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
    define: {
      'process.env.NODE_ENV': '"production"',
      'process.env.DEV': '"false"',
      // undici asks whether it was bundled: it was.
      esbuildDetection: '1',
    },
    alias: {
      // oclif's debug output would print arguments, and loading it costs a tenth of the start.
      debug: join(import.meta.dirname, 'no-debug.cjs'),
      'react-devtools-core': nothing,
    },
    plugins: [leaveOut(nothing), loadLate(), patch()],
    // The key store is native code; the others are what oclif would use in a development of its own.
    external: ['@napi-rs/keyring', 'typescript', 'ts-node', 'pnpapi'],
  });
  const texts = new Map(outputFiles.map((file) => [relative(folder, file.path), file.text]));
  const chunks = [...texts].flatMap(([name, code]) =>
    name.endsWith('.js')
      ? [/** @type {const} */ ([name, { code, map: texts.get(`${name}.map`) ?? '' }])]
      : [],
  );
  return { chunks: new Map(chunks.sort(([a], [b]) => (a < b ? -1 : 1))), metafile };
}
