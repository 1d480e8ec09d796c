/** Checks that only the user can read the folders of svc. */
import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { currentUser, errorCode, shellPath } from '../../runtime/folders.js';
import { type Check, error, ok } from './checked.js';

/** More files than svc ever has. The limit stops the walk in a large folder that is not ours. */
const FILES_MAX = 1000;
const SHARED_MODE = 0o077;
/** The files in this folder are not checked: Node sets their modes, and the folder's own mode keeps other users out. */
const COMPILED_FOLDER = 'compiled';

/** @param folders the folders of svc; some may not exist */
export function checkFiles(folders: readonly string[]): Check {
  /** Paths that other users may access or own, each with the mode that it should have. */
  const shared = new Map<string, string>();
  /** Folders that could not be read, each with the system's error code. */
  const unreadable = new Map<string, string>();
  for (const folder of folders) walk(folder, shared, unreadable);
  if (shared.size + unreadable.size === 0) return ok('files', 'Only you can read what svc wrote.');
  const unseen = [...unreadable].map(([path, code]) => `${path} (${code})`).join(', ');
  const texts = [
    shared.size === 0 ? '' : `Others may read or change ${[...shared.keys()].join(', ')}.`,
    unreadable.size === 0 ? '' : `svc could not look into ${unseen}.`,
  ];
  const commands = [
    ...[...shared].map(([path, mode]) => `chmod ${mode} ${shellPath(path)}`),
    ...[...unreadable].flatMap(([path, code]) =>
      code === 'EACCES' ? [`chmod u+rwx ${shellPath(path)}`] : [],
    ),
  ];
  const text = texts.filter((one) => one !== '').join(' ');
  return error('files', 'local_state', text, commands.length === 0 ? null : commands.join(' && '));
}

/** Walks a folder and everything below it. A folder that can't be read does not stop the walk. */
function walk(folder: string, shared: Map<string, string>, unreadable: Map<string, string>): void {
  const lookOrNull = <Seen>(place: string, look: () => Seen): Seen | null => {
    try {
      return look();
    } catch (failure) {
      const code = errorCode(failure);
      if (code === null) throw failure;
      if (code !== 'ENOENT') unreadable.set(place, code);
      return null;
    }
  };
  const paths = [folder];
  for (const path of paths) {
    const stats = lookOrNull(dirname(path), () => lstatSync(path));
    if (stats === null) continue;
    const isOpen = (stats.mode & SHARED_MODE) !== 0 || stats.uid !== currentUser();
    if (isOpen && !stats.isSymbolicLink()) shared.set(path, stats.isDirectory() ? '700' : '600');
    const isWalked = path === folder || (stats.isDirectory() && path !== join(folder, COMPILED_FOLDER));
    const names = isWalked ? lookOrNull(path, () => readdirSync(path)) : null;
    paths.push(...(names ?? []).slice(0, FILES_MAX - paths.length).map((name) => join(path, name)));
  }
}
