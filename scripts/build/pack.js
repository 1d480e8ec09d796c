/** The chunks of the bundle as CommonJS, in one file, with the maps of their places in another. */
import { transform } from 'esbuild';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
const { write } = load('../../bin/container.js');
const { WRAPPER } = load('../../bin/program.js');
const [OPEN, CLOSE] = WRAPPER;

/**
 * @param {Awaited<ReturnType<import('./bundle.js').bundle>>['chunks']} chunks
 * @returns {Promise<{ pack: Buffer, maps: Buffer }>}
 */
export async function packed(chunks) {
  const parts = await Promise.all(
    [...chunks].map(async ([name, chunk]) => ({ name, ...(await asFunction(chunk)) })),
  );
  const digest = createHash('sha256');
  for (const { name, code } of parts) digest.update(name).update(code);
  const facts = { id: digest.digest('hex').slice(0, 32) };
  return {
    pack: write(
      facts,
      parts.map(({ name, code }) => [name, Buffer.from(code, 'latin1')]),
    ),
    maps: write(
      facts,
      parts.map(({ name, map }) => [name, Buffer.from(map)]),
    ),
  };
}

/** @param {{ code: string, map: string }} chunk a module @returns {Promise<{ code: string, map: string }>} ASCII, so that a byte is a character */
async function asFunction({ code, map }) {
  const inline = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`;
  const made = await transform(`${code}\n${inline}`, {
    format: 'cjs',
    platform: 'node',
    target: 'node22.20',
    // A chunk is loaded by the function that its wrapper gives it.
    supported: { 'dynamic-import': false },
    // What a library reads beside itself is an asset of the pack: there is no folder.
    define: {
      __dirname: '"/svc"',
      __filename: '"/svc/svc.pack"',
      'import.meta.url': '"file:///svc/svc.pack"',
    },
    minifySyntax: true,
    minifyWhitespace: true,
    charset: 'ascii',
    sourcemap: 'external',
    sourcesContent: false,
  });
  const ascii = withoutCopies(made.code).replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { code: OPEN + ascii + CLOSE, map: shifted(made.map) };
}

/**
 * What esbuild copies from module to module, a getter for each name, is inherited instead: nobody writes to what was imported, and a start
 * evaluates a hundred chunks.
 */
const INHERITED = [
  {
    helper: /\b__toCommonJS\d*=/,
    copied: /(\b__toCommonJS\d*)=mod=>__copyProps\d*\((__defProp\d*)\(\{\},"__esModule",\{value:!0\}\),mod\)/,
    inherited: '$1=mod=>$2(mod,"__esModule",{value:!0})',
  },
  {
    helper: /\b__toESM\d*=/,
    copied:
      /(\b__toESM\d*)=\(mod,isNodeMode,target\)=>\(target=mod!=null\?(__create\d*)\(__getProtoOf\d*\(mod\)\):\{\},__copyProps\d*\(isNodeMode\|\|!mod\|\|!mod\.__esModule\?__defProp\d*\(target,"default",\{value:mod,enumerable:!0\}\):target,mod\)\)/,
    inherited:
      '$1=(mod,isNodeMode)=>!isNodeMode&&mod.__esModule?mod:$2(mod,{default:{value:mod,enumerable:!0}})',
  },
];

/** @param {string} code */
function withoutCopies(code) {
  return INHERITED.reduce((text, { helper, copied, inherited }) => {
    if (helper.test(text) && !copied.test(text))
      throw new Error(`esbuild writes ${String(helper)} in another way now`);
    // As long as it was: the map of its line stays right.
    return text.replace(copied, (all) => all.replace(copied, inherited).padEnd(all.length));
  }, code);
}

/** The wrapper is a line of its own before the first. @param {string} map */
function shifted(map) {
  const { version, sources, names, mappings } = JSON.parse(map);
  const own = sources.map((/** @type {string} */ path) => path.replace(/^(\.\.\/)+/, ''));
  return JSON.stringify({ version, sources: own, names, mappings: `;${mappings}` });
}
