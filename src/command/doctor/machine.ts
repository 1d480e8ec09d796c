/** What the machine has to do with it: the runtime, the proxy, and who may read what svc wrote. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { currentUser, shellPath } from '../../runtime/disk.js';
import type { Ports } from '../../runtime/ports.js';
import { NODE_VERSION, VERSION } from '../../runtime/version.js';
import { error, ok, warning, type Finding } from './finding.js';

/** More files than svc ever has: a folder that is somebody else's is not walked to its end. */
const MAX_FILES = 1000;
const SHARED = 0o077;

export function findMachine({ env, paths }: Pick<Ports, 'env' | 'paths'>): Finding[] {
  return [
    ok('node', `Node ${NODE_VERSION}`),
    ok('version', `svc ${VERSION}`),
    findProxy(env),
    ...findFiles([...new Set(Object.values(paths) as string[])]),
  ];
}

/** Only its host is shown: a proxy's address may hold a password. */
function findProxy(env: Ports['env']): Finding {
  const proxy = env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '';
  if (proxy === '') return ok('proxy', 'none');
  if (!URL.canParse(proxy))
    return warning('proxy', 'HTTPS_PROXY is no URL.', 'unset HTTPS_PROXY https_proxy');
  const except = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  return ok('proxy', `${new URL(proxy).host}${except === '' ? '' : `, except ${except}`}`);
}

function findFiles(folders: readonly string[]): Finding[] {
  const open = folders.flatMap((folder) => sharedIn(folder));
  if (open.length === 0) return [ok('files', 'Only you can read what svc wrote.')];
  const commands = open.map(({ path, mode }) => `chmod ${mode} ${shellPath(path)}`);
  const named = open.map(({ path }) => path).join(', ');
  return [error('files', 'local_state', `Others may read or change ${named}.`, commands.join(' && '))];
}

/** Everything below a folder that group or others have a right to, or that is somebody else's. */
function sharedIn(folder: string): { path: string; mode: string }[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).slice(0, MAX_FILES);
    return [folder, ...names.map((name) => join(folder, name))].flatMap((path) => {
      const stats = lstatSync(path);
      const isOpen = (stats.mode & SHARED) !== 0 || stats.uid !== currentUser();
      return isOpen && !stats.isSymbolicLink() ? [{ path, mode: stats.isDirectory() ? '700' : '600' }] : [];
    });
  } catch {
    // A folder that is not there holds nothing.
    return [];
  }
}
