/** Programs that break one promise on purpose, so that a harness shows that it would see it. */
import { build, type Plugin } from 'esbuild';
import { join } from 'node:path';
import { changed, sourcesOf, type Change } from '../../scripts/mutate/places.js';
import { ROOT } from '../house/source.js';

export interface Variant extends Change {
  readonly name: string;
}

/** Builds with the changes in the place of their files. @throws where what is to be broken does not stand there once */
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

/**
 * Builds a program from the sources with these changes, inside the project, so that its libraries are found.
 * @param contents the module that is built, as if it stood in the project's folder
 * @param options `isOneFile`: nothing else is loaded when it runs, neither a part of it nor a thread
 * @returns the path of what was built, in a folder of its own
 */
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
