import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

const FOLDER = 'src/sandbox/page';
const REPORT = 'src/reconcile/report/page';

/** @param {string} root @returns {Promise<{ files: Map<string, Uint8Array>, metafile: import('esbuild').Metafile }>} */
export async function pageFiles(root) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [
      { in: `${FOLDER}/main.tsx`, out: 'page' },
      { in: `${FOLDER}/page.css`, out: 'page' },
      { in: `${REPORT}/main.ts`, out: 'report' },
      { in: `${REPORT}/report.css`, out: 'report' },
    ],
    outdir: join(root, 'dist'),
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  files.set('page.html', await readFile(join(root, FOLDER, 'page.html')));
  return { files, metafile };
}
