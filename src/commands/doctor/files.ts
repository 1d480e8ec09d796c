/** Whether anybody but the user can look into the folders of svc. */
import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { currentUser, errorCode, shellPath } from '../../runtime/folders.js';
import { type Checked, error, ok } from './checked.js';

/** More files than svc ever has: a folder that is somebody else's is not walked to its end. */
const MAX_FILES = 1000;
const SHARED = 0o077;
/** What Node keeps in there has the modes that Node gives it; the folder itself keeps others out. */
const COMPILED = 'compiled';

/** @param folders one that is not there holds nothing */
export function checkFiles(folders: readonly string[]): Checked {
  /** What group or others have a right to, or what is somebody else's; with the mode that it should have. */
  const shared = new Map<string, string>();
  /** The folders that could not be read, with the system's word for the reason. */
  const closed = new Map<string, string>();
  for (const folder of folders) walk(folder, shared, closed);
  if (shared.size + closed.size === 0) return ok('files', 'Only you can read what svc wrote.');
  const unseen = [...closed].map(([path, code]) => `${path} (${code})`).join(', ');
  const texts = [
    shared.size === 0 ? '' : `Others may read or change ${[...shared.keys()].join(', ')}.`,
    closed.size === 0 ? '' : `svc could not look into ${unseen}.`,
  ];
  const commands = [
    ...[...shared].map(([path, mode]) => `chmod ${mode} ${shellPath(path)}`),
    ...[...closed].flatMap(([path, code]) => (code === 'EACCES' ? [`chmod u+rwx ${shellPath(path)}`] : [])),
  ];
  const text = texts.filter((one) => one !== '').join(' ');
  return error('files', 'local_state', text, commands.length === 0 ? null : commands.join(' && '));
}

/** A folder and everything below it. A folder that can't be read hides nothing beside it. */
function walk(folder: string, shared: Map<string, string>, closed: Map<string, string>): void {
  const shown = <Seen>(place: string, look: () => Seen): Seen | null => {
    try {
      return look();
    } catch (failure) {
      const code = errorCode(failure);
      if (code === null) throw failure;
      if (code !== 'ENOENT') closed.set(place, code);
      return null;
    }
  };
  const paths = [folder];
  for (const path of paths) {
    const stats = shown(dirname(path), () => lstatSync(path));
    if (stats === null) continue;
    const isOpen = (stats.mode & SHARED) !== 0 || stats.uid !== currentUser();
    if (isOpen && !stats.isSymbolicLink()) shared.set(path, stats.isDirectory() ? '700' : '600');
    const isWalked = path === folder || (stats.isDirectory() && path !== join(folder, COMPILED));
    const names = isWalked ? shown(path, () => readdirSync(path)) : null;
    paths.push(...(names ?? []).slice(0, MAX_FILES - paths.length).map((name) => join(path, name)));
  }
}
