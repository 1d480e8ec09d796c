/** Programs that break one promise on purpose, so that a harness shows that it would see it. */
import { build, type Plugin } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ROOT } from '../house/source.js';

/** What is put in the place of what, in one source file. */
export interface Change {
  readonly file: string;
  readonly changes: readonly (readonly [from: string, to: string])[];
}

export interface Variant extends Change {
  readonly name: string;
}

/** Builds with the change in the place of its file. @throws where the file no longer holds what is to be broken */
function breaking({ file, changes }: Change): Plugin {
  return {
    name: 'breaking',
    setup: ({ onLoad }) =>
      onLoad({ filter: new RegExp(`${basename(file).replace('.', '\\.')}$`) }, async ({ path }) => {
        if (path !== join(ROOT, file)) return undefined;
        let contents = await readFile(path, 'utf8');
        for (const [from, to] of changes) {
          if (!contents.includes(from)) throw new Error(`${file} does not hold: ${from}`);
          contents = contents.replace(from, () => to);
        }
        return { contents, loader: 'ts' };
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
    entryPoints: isOneFile ? [] : ['src/bulk/store/exchange-thread.ts'],
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
    plugins: changes.map(breaking),
  });
  return join(outdir, 'stdin.mjs');
}
