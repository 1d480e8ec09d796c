import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** @param {import('esbuild').Metafile[]} metafiles @param {string} root @returns {Promise<string>} */
export async function licensesOf(metafiles, root) {
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const texts = await Promise.all(
    [...new Set(folders)].sort().map((folder) => licenseOf(join(root, folder))),
  );
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** @param {string} folder */
async function licenseOf(folder) {
  /** @type {{ name: string, version: string, license?: string }} */
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((entry) => /^(un)?licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : `\n${await readFile(join(folder, file), 'utf8')}`;
  return `${name} ${version} (${license ?? 'see below'})\n${text.trimEnd()}\n`;
}
