import { build } from 'esbuild';
import { join, relative } from 'node:path';
import { leaveOut, loadLate, patch } from './libraries.js';

const ENTRY_POINTS = [
  'src/main.ts',
  'src/all.ts',
  'src/command/help/layout.ts',
  'src/storage/batches/exchange-thread.ts',
  'src/output/jq-thread.ts',
];

/**
 * @param {string} root
 * @returns {Promise<{ chunks: Map<string, { code: string, map: string }>, metafile: import('esbuild').Metafile }>}
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
      // undici asks whether it was bundled.
      esbuildDetection: '1',
    },
    alias: {
      // The debug output of oclif would print arguments, and loading it costs a tenth of the start.
      debug: join(import.meta.dirname, 'no-debug.cjs'),
      'react-devtools-core': nothing,
    },
    plugins: [leaveOut(nothing), loadLate(), patch()],
    // The key store is native code. oclif uses the others only in development.
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
