import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { currentUser, errorCode, shellPath } from '../../runtime/folders.js';
import { type Check, error, ok } from './view.js';

const FILES_MAX = 1000;
const SHARED_MODE = 0o077;
/** The files in this folder are not checked, because Node sets their modes. */
const COMPILED_FOLDER = 'compiled';

export function checkFiles(folders: readonly string[]): Check {
  const exposedPaths = new Map<string, string>();
  const unreadableFolders = new Map<string, string>();
  for (const folder of folders) walk(folder, exposedPaths, unreadableFolders);
  if (exposedPaths.size + unreadableFolders.size === 0)
    return ok('files', 'Only you can read what svc wrote.');
  const unreadableText = [...unreadableFolders].map(([path, code]) => `${path} (${code})`).join(', ');
  const texts = [
    exposedPaths.size === 0 ? '' : `Others may read or change ${[...exposedPaths.keys()].join(', ')}.`,
    unreadableFolders.size === 0 ? '' : `svc could not look into ${unreadableText}.`,
  ];
  const commands = [
    ...[...exposedPaths].map(([path, mode]) => `chmod ${mode} ${shellPath(path)}`),
    ...[...unreadableFolders].flatMap(([path, code]) =>
      code === 'EACCES' ? [`chmod u+rwx ${shellPath(path)}`] : [],
    ),
  ];
  const text = texts.filter((one) => one !== '').join(' ');
  return error('files', 'local_state', text, commands.length === 0 ? null : commands.join(' && '));
}

function walk(
  folder: string,
  exposedPaths: Map<string, string>,
  unreadableFolders: Map<string, string>,
): void {
  const readOrNull = <Seen>(readFolder: string, read: () => Seen): Seen | null => {
    try {
      return read();
    } catch (failure) {
      const code = errorCode(failure);
      if (code === null) throw failure;
      if (code !== 'ENOENT') unreadableFolders.set(readFolder, code);
      return null;
    }
  };
  const paths = [folder];
  for (const path of paths) {
    const stats = readOrNull(dirname(path), () => lstatSync(path));
    if (stats === null) continue;
    const isExposed = (stats.mode & SHARED_MODE) !== 0 || stats.uid !== currentUser();
    if (isExposed && !stats.isSymbolicLink()) exposedPaths.set(path, stats.isDirectory() ? '700' : '600');
    const isWalked = path === folder || (stats.isDirectory() && path !== join(folder, COMPILED_FOLDER));
    const names = isWalked ? readOrNull(path, () => readdirSync(path)) : null;
    paths.push(...(names ?? []).slice(0, FILES_MAX - paths.length).map((name) => join(path, name)));
  }
}
