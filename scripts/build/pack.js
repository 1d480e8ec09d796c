import { transform } from 'esbuild';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
const { write } = load('../../bin/container.js');
const { WRAPPER } = load('../../bin/program.js');
const [OPEN, CLOSE] = WRAPPER;

/** @typedef {{ name: string, code: string, map: object }} Part */

/** @param {Awaited<ReturnType<typeof import('./bundle.js').bundle>>['chunks']} chunks @returns {Promise<Part[]>} */
export function functionsOf(chunks) {
  return Promise.all([...chunks].map(async ([name, chunk]) => ({ name, ...(await asFunction(chunk)) })));
}

/**
 * @param {readonly Part[]} chunks
 * @param {readonly (readonly string[])[]} groups
 * @returns {{ pack: Buffer, maps: Buffer }}
 */
export function packed(chunks, groups) {
  const byName = new Map(chunks.map((chunk) => [chunk.name, chunk]));
  const inGroups = new Set(groups.flat());
  const parts = [
    ...groups.map((names) => joined(names.map((name) => /** @type {Part} */ (byName.get(name))))),
    ...chunks.filter(({ name }) => !inGroups.has(name)),
  ];
  const digest = createHash('sha256');
  for (const { name, code } of parts) digest.update(name).update(code);
  const facts = { id: digest.digest('hex').slice(0, 32), groups };
  return {
    pack: write(
      facts,
      parts.map(({ name, code }) => [name, Buffer.from(code, 'latin1')]),
    ),
    maps: write(
      facts,
      parts.map(({ name, map }) => [name, Buffer.from(JSON.stringify(map))]),
    ),
  };
}

/** @param {readonly Part[]} group @returns {Part} */
function joined(group) {
  let line = 1;
  const sections = group.map(({ code, map }) => {
    const offset = { line, column: 0 };
    line += code.split('\n').length;
    return { offset, map };
  });
  const code = `[\n${group.map((chunk) => chunk.code).join(',\n')}\n]`;
  return { name: group[0]?.name ?? '', code, map: { version: 3, sections } };
}

/** @param {{ code: string, map: string }} chunk @returns {Promise<{ code: string, map: object }>} */
async function asFunction({ code, map }) {
  const inline = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`;
  const made = await transform(`${code}\n${inline}`, {
    format: 'cjs',
    platform: 'node',
    target: 'node22.20',
    supported: { 'dynamic-import': false },
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
    // The text keeps its length, so that the source map of the line stays right.
    return text.replace(copied, (all) => all.replace(copied, inherited).padEnd(all.length));
  }, code);
}

/** @param {string} map @returns {object} */
function shifted(map) {
  const { version, sources, names, mappings } = JSON.parse(map);
  const own = sources.map((/** @type {string} */ path) => path.replace(/^(\.\.\/)+/, ''));
  return { version, sources: own, names, mappings: `;${mappings}` };
}
