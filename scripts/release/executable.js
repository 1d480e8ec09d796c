import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { beginnings } from '../build/begin.js';
import { Missing } from './tools.js';

/** Node looks for this text to see whether it holds an application. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const PARTS = [
  'svc.pack',
  'svc.cache',
  'svc.maps',
  'svc.help',
  'jq.wasm',
  'page.html',
  'page.js',
  'page.css',
  'report.js',
  'report.css',
];
/** @type {Record<string, string>} */
const BROUGHT_BY = { strip: 'apt-get install binutils', codesign: 'xcode-select --install' };

/** The same sources give the same bytes. @param {string} root @param {string} out */
export async function buildExecutable(root, out) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-executable-'));
  try {
    for (const [name, contents] of await beginnings(root, ['executable/main.js', 'executable/thread.js']))
      await writeFile(join(folder, name), contents);
    const assets = Object.fromEntries([
      ...PARTS.map((name) => [name, join(root, 'dist', name)]),
      ['thread.cjs', join(folder, 'thread.cjs')],
      ['keyring.node', await keyStoreOf(root)],
    ]);
    const blob = join(folder, 'svc.blob');
    const config = {
      // A relative path, because the executable contains it.
      main: 'main.cjs',
      output: 'svc.blob',
      disableExperimentalSEAWarning: true,
      useSnapshot: false,
      useCodeCache: false,
      // At SIGUSR1 Node would open its debugger to every user of the machine.
      execArgv: ['--disable-sigusr1'],
      execArgvExtension: 'none',
      assets,
    };
    await writeFile(join(folder, 'sea.json'), JSON.stringify(config));
    execute(process.execPath, ['--experimental-sea-config', 'sea.json'], folder);

    const made = join(folder, 'svc');
    await copyFile(process.execPath, made);
    await chmod(made, 0o755);
    if (process.platform === 'linux') execute('strip', [made]);
    if (process.platform === 'darwin') execute('codesign', ['--remove-signature', made]);
    const segment = process.platform === 'darwin' ? ['--macho-segment-name', 'NODE_SEA'] : [];
    // In another process, because it prints warnings about a stripped file.
    const postject = join(root, 'node_modules/postject/dist/cli.js');
    execute(process.execPath, [postject, made, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE, ...segment]);
    if (process.platform === 'darwin') execute('codesign', ['--sign', '-', made]);
    await mkdir(dirname(out), { recursive: true });
    const aside = `${out}.${String(process.pid)}`;
    await copyFile(made, aside);
    await rename(aside, out);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} root */
async function keyStoreOf(root) {
  const scope = join(root, 'node_modules', '@napi-rs');
  const [name] = (await readdir(scope).catch(() => []))
    .filter((entry) => entry.startsWith('keyring-'))
    .sort();
  if (name === undefined)
    throw new Missing('The key store (@napi-rs/keyring) is not installed for this platform: run `npm ci`.');
  const [file = ''] = (await readdir(join(scope, name))).filter((entry) => entry.endsWith('.node'));
  return join(scope, name, file);
}

/** @param {string} command @param {string[]} args @param {string} [cwd] */
export function execute(command, args, cwd) {
  const { status, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT')
    throw new Missing(`There is no ${command} here (${BROUGHT_BY[command] ?? 'run npm ci'}).`);
  if (status !== 0) throw new Missing(`${command} failed: ${error?.message ?? stderr.trim()}`);
}
