import { build } from 'esbuild';

/** @param {string} root @param {string} path @returns {Promise<Record<string, any>>} */
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
