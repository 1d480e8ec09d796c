/** The kit shares no chunk with the program, so that the kit does not slow a start. */
import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { leaveOut, loadLate, patch } from './libraries.js';

/** @param {string} needed */
const refuseOldNode = (needed) => `{
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [needsMajor, needsMinor] = '${needed}'.split('.').map(Number);
  if (major < needsMajor || (major === needsMajor && minor < needsMinor))
    throw new Error('@svc-cli/svc/testing needs Node ${needed} or newer, and this is Node ' + process.versions.node + '.');
}`;

/** The timers of Node itself, so that a test with fake timers does not stop the sandbox. */
const begin = (/** @type {string} */ needed) => `'use strict';
${refuseOldNode(needed)}
const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = { ...require('node:timers') };
const { emitWarning } = process;
process.emitWarning = function (warning, ...rest) {
  if (rest[0] === 'ExperimentalWarning' && String(warning).startsWith('SQLite')) return;
  return emitWarning.call(process, warning, ...rest);
};
const DatabaseSync = process.getBuiltinModule('node:sqlite').DatabaseSync;
process.emitWarning = emitWarning;
`;

const FACE = `import kit from './testing.cjs';\nexport const { startSandbox } = kit;\n`;

/**
 * @param {string} root
 * @returns {Promise<{ files: Map<string, Uint8Array | string>, metafile: import('esbuild').Metafile }>}
 */
export async function testingFiles(root) {
  const nothing = join(import.meta.dirname, 'nothing.js');
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/sandbox/testing/start-sandbox.ts'],
    outdir: join(root, 'dist'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22.20',
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
    banner: { js: begin(await neededNode(root)) },
    define: { 'process.env.NODE_ENV': '"production"', esbuildDetection: '1' },
    plugins: [sqlite(), leaveOut(nothing), loadLate(), patch()],
  });
  const types = await typesOf(root);
  const files = new Map([
    ['testing.cjs', outputFiles[0]?.contents ?? ''],
    ['testing.js', FACE],
    ['testing.d.ts', types],
    ['testing.d.cts', types],
  ]);
  return { files, metafile };
}

/** Asked for by its whole name at the beginning: there are test runners that drop the \`node:\` without which it is not found. */
function sqlite() {
  return {
    name: 'sqlite',
    /** @param {import('esbuild').PluginBuild} build */
    setup: (build) => {
      build.onResolve({ filter: /^node:sqlite$/ }, () => ({ path: 'sqlite', namespace: 'sqlite' }));
      build.onLoad({ filter: /./, namespace: 'sqlite' }, () => ({
        contents: 'module.exports = { DatabaseSync };',
      }));
    },
  };
}

/** @param {string} root */
async function neededNode(root) {
  const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return engines.node.replace(/^>=/, '');
}

/** @param {string} root */
async function typesOf(root) {
  const types = await readFile(join(root, 'src/sandbox/testing/types.ts'), 'utf8');
  return `${types}\nexport declare const startSandbox: StartSandbox;\n`;
}
