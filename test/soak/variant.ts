/** Programs that break one promise on purpose, so that a harness shows that it would see it. */
import type { Plugin } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ROOT } from '../house/source.js';

/** What a variant puts in the place of what, in one source file. */
export interface Variant {
  readonly name: string;
  readonly file: string;
  readonly changes: readonly (readonly [from: string, to: string])[];
}

/** Builds with the variant in the place of its file. @throws where the file no longer holds what is to be broken */
export function breaking({ file, changes }: Variant): Plugin {
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
