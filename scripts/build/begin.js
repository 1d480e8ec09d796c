/** What runs before the pack is opened, from bin/: each entry with what it needs as one file, so that little is looked for at a start. */
import { build } from 'esbuild';
import { basename, join } from 'node:path';

/**
 * @param {string} root the project's folder
 * @param {string[]} names of files below bin/
 * @returns {Promise<Map<string, Uint8Array>>} by the name of the file
 */
export async function beginnings(root, names) {
  const { outputFiles } = await build({
    entryPoints: names.map((name) => join(root, 'bin', name)),
    outdir: join(root, 'dist'),
    outExtension: { '.js': '.cjs' },
    entryNames: '[name]',
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22.20',
    minifySyntax: true,
    minifyWhitespace: true,
    write: false,
    logLevel: 'warning',
  });
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
}
