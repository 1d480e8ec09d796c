/** These programs break one rule on purpose, to show that a test harness would notice. */
import { build, type Plugin } from 'esbuild';
import { join } from 'node:path';
import { changed, sourcesOf, type Change } from '../../scripts/mutate/places.js';
import { ROOT } from '../house/source.js';

export interface Variant extends Change {
  readonly name: string;
}

/** @throws if a file does not contain the text to replace exactly once */
function breaking(changes: readonly Change[]): Plugin {
  const broken = new Map<string, string>();
  for (const change of changes) {
    const sources = sourcesOf(ROOT).map(({ path, text }) => ({
      path,
      text: broken.get(path) ?? text,
    }));
    for (const { path, text } of changed(change, sources)) broken.set(path, text);
  }
  return {
    name: 'breaking',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
        const contents = broken.get(path.slice(ROOT.length + 1));
        return contents === undefined ? undefined : { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
      }),
  };
}

/** Builds inside the project, so that its libraries are found. */
export async function buildProgram(
  name: string,
  contents: string,
  changes: readonly Change[],
  { isOneFile = false }: { readonly isOneFile?: boolean } = {},
): Promise<string> {
  const outdir = join(ROOT, 'node_modules', '.cache', 'svc-broken', `${name}-${String(process.pid)}`);
  await build({
    stdin: { contents, resolveDir: ROOT, loader: 'ts' },
    entryPoints: isOneFile ? [] : ['src/storage/batches/exchange-thread.ts'],
    absWorkingDir: ROOT,
    outbase: 'src',
    bundle: true,
    splitting: !isOneFile,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outdir,
    outExtension: { '.js': '.mjs' },
    logLevel: 'silent',
    plugins: [breaking(changes)],
  });
  return join(outdir, 'stdin.mjs');
}
