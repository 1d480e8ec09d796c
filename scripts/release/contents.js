import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { loadBuilt } from '../build/program.js';
import { loadSource } from '../docs/source.js';
import { manualOf } from './manual.js';
import { Missing } from './tools.js';

/**
 * @typedef {object} Contents
 * @property {Buffer} executable
 * @property {Readonly<Record<'bash' | 'zsh' | 'fish', string>>} completions
 * @property {ReadonlyMap<string, string>} manual file name to roff
 * @property {ReadonlyMap<string, string>} licences of svc, of what is bundled, of Node: file name to text
 * @property {string} changelog
 */

const COLUMNS = 72;

/** @param {string} root @param {string} executable @param {number} time @returns {Promise<Contents>} */
export async function contentsOf(root, executable, time) {
  const text = (/** @type {string} */ path) => readFile(join(root, path), 'utf8');
  return {
    executable: await readFile(executable),
    completions: (await loadSource(root, 'src/command/completion/shells.ts'))['SCRIPTS'],
    manual: await builtManual(root, time),
    licences: new Map([
      ['LICENSE', await text('LICENSE')],
      ['LICENSES-libraries.txt', await text('dist/LICENSES.txt')],
      ['LICENSES-keyring.txt', await keyStoreLicences(root)],
      ['LICENSES-node.txt', await nodeLicence(root)],
    ]),
    changelog: await text('CHANGELOG.md'),
  };
}

/** @param {string} root */
async function nodeLicence(root) {
  const { version, platform, arch } = process;
  const kept = `packaging/licences/node-${version.slice(1)}.txt`;
  const read = (/** @type {string} */ path) => readFile(join(root, path), 'utf8').catch(() => undefined);
  const text = await read(kept);
  if (text !== undefined) return text;
  for (const name of [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`]) {
    const facts = JSON.parse((await read(`node_modules/${name}/package.json`)) ?? '{}');
    const licence = await read(`node_modules/${name}/LICENSE`);
    if (licence !== undefined && `v${facts.version}` === version) return licence;
  }
  throw new Missing(`The licence of this Node is missing: its LICENSE belongs into ${kept}.`);
}

/** @param {string} root */
async function keyStoreLicences(root) {
  const folder = join(root, 'node_modules', '@napi-rs');
  const packages = (await readdir(folder)).filter((name) => name.startsWith('keyring')).sort();
  const texts = packages.map(async (name) => {
    const files = (await readdir(join(folder, name))).filter((file) => file.startsWith('LICENSE')).sort();
    return Promise.all(files.map((file) => readFile(join(folder, name, file), 'utf8')));
  });
  return (await Promise.all(texts)).flat().join(`\n${'-'.repeat(80)}\n\n`);
}

/** @param {string} root @param {number} time @returns {Promise<Map<string, string>>} */
export async function builtManual(root, time) {
  const files = createRequire(join(root, 'bin', 'run.js'))('./files.js');
  const help = files.open('svc.help');
  /** @type {string[]} */
  const pages = help.names().filter((/** @type {string} */ name) => !name.endsWith('.txt'));
  const { EXIT_MEANINGS, exitRows } = await loadSource(root, 'src/command/help/exit-codes.ts');
  const { renderPage } = loadBuilt(root, 'command/help/layout.js');
  const screen = { isTTY: true, columns: COLUMNS, env: {}, noColour: true };
  return manualOf({
    pages: new Map(pages.map((name) => [name, JSON.parse(help.get(name).toString())])),
    version: files.version(),
    time,
    exits: exitRows(Object.keys(EXIT_MEANINGS).map(Number)),
    shell: (commands) =>
      renderPage([{ kind: 'commands', title: '', commands }], screen)
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((/** @type {string} */ line) => line.replace(/^ {2}/, '')),
  });
}
