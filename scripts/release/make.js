import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle } from '../build/bundle.js';
import { pageFiles } from '../build/page.js';
import { archiveOf } from './archive.js';
import { contentsOf } from './contents.js';
import { architectureOf, debOf } from './deb.js';
import { sbomOf } from './sbom.js';
import { isThere, Missing } from './tools.js';

/** The highest level saves a hundredth, and needs seven times the memory to unpack. */
const LEVEL = '-6';

/**
 * @typedef {object} Orders
 * @property {(root: string, out: string) => Promise<void>} build writes the executable of this platform
 * @property {number} time in seconds, of every file
 * @property {string} [level] of xz
 * @property {(sentence: string) => void} say what is missing
 */

/** @param {string} root @param {string} out @param {Orders} orders @returns {Promise<boolean>} */
export async function makeRelease(root, out, { build, time, level = LEVEL, say }) {
  const aside = `${out}.${process.pid}`;
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { recursive: true });
  try {
    const executable = join(aside, 'svc');
    await build(root, executable);
    const files = { root, aside, time, level, say };
    const contents = await contentsOf(root, executable, time);
    await rm(executable);
    const isWhole = await writeAll(files, contents);
    const names = (await readdir(aside)).sort();
    const sums = names.map(async (name) => `${sha256(await readFile(join(aside, name)))}  ${name}\n`);
    await writeFile(join(aside, 'SHA256SUMS'), (await Promise.all(sums)).join(''));
    await rm(out, { recursive: true, force: true });
    await rename(aside, out);
    return isWhole;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/**
 * @param {{ root: string, aside: string, time: number, level: string, say: Orders['say'] }} where
 * @param {import('./contents.js').Contents} contents
 */
async function writeAll({ root, aside, time, level, say }, contents) {
  const { platform, arch } = process;
  const put = (/** @type {string} */ file, /** @type {Buffer | string} */ bytes) =>
    writeFile(join(aside, file), bytes);
  const ingredients = await ingredientsOf(root);
  const { version } = ingredients.project;
  await put(
    `svc-${version}.sbom.cdx.json`,
    sbomOf({ ...ingredients, executable: contents.executable, time }),
  );

  const name = `svc-${version}-${platform}-${arch}`;
  const debArch = platform === 'linux' ? architectureOf(arch) : undefined;
  if (debArch === undefined) say(`No .deb: this is ${platform}-${arch}.`);
  const deb = async (/** @type {string} */ as) =>
    put(`svc_${version}_${as}.deb`, await debOf(contents, { version, arch, time, level }));
  const archive = async () => put(`${name}.tar.xz`, await archiveOf(contents, { name, time, level }));
  const made = [packageOf(root, aside), archive(), ...(debArch === undefined ? [] : [deb(debArch)])];
  const failures = (await Promise.allSettled(made)).flatMap((end) =>
    end.status === 'rejected' ? [/** @type {unknown} */ (end.reason)] : [],
  );
  for (const failure of failures) if (!(failure instanceof Missing)) throw failure;
  for (const sentence of new Set(failures.map((failure) => /** @type {Missing} */ (failure).message)))
    say(sentence);
  return failures.length === 0;
}

/** @param {string} root */
async function ingredientsOf(root) {
  const json = async (/** @type {string} */ path) => JSON.parse(await readFile(join(root, path), 'utf8'));
  const [project, lock, program, page] = await Promise.all([
    json('package.json'),
    json('package-lock.json'),
    bundle(root),
    pageFiles(root),
  ]);
  const beside = Object.keys(lock.packages).filter(
    (path) => path.startsWith('node_modules/@napi-rs/keyring') && existsSync(join(root, path)),
  );
  const inputs = [program, page].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  return { project, lock, beside, inputs, versions: process.versions };
}

/** @param {string} root @param {string} aside */
async function packageOf(root, aside) {
  if (!isThere('npm')) throw new Missing('No package for npm: there is no npm here.');
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', aside];
  const { status, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0)
    throw new Missing(`No package for npm: ${stderr.trim().split('\n').at(-1) ?? 'npm pack failed'}.`);
}

/** @param {Buffer} bytes */
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
