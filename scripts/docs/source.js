/** Loads a module of src/ that needs no library, as the data that it is. */
import { build } from 'esbuild';

/**
 * @param {string} root the project's folder
 * @param {string} path below it: `src/contract/endpoints.ts`
 * @returns {Promise<Record<string, any>>} its exports
 */
export async function loadSource(root, path) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [path],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  });
  const text = outputFiles[0]?.text ?? '';
  return await import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`);
}
