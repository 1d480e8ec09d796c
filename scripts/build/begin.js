import { build } from 'esbuild';
import { basename, join } from 'node:path';

/** @param {string} root @param {string[]} names @returns {Promise<Map<string, Uint8Array>>} */
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
