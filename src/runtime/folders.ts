import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, usageFailure } from './failure.js';
import { quote } from './shell.js';

const FOLDER_MODE = 0o700;
const PERMISSIONS = 0o7777;
const STICKY_BIT = 0o1000;

export function ensurePrivateFolder(path: string, userId = currentUser()): void {
  onDisk('written', path, () => {
    if (fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw refusal(
        `The folder ${path} is a link.`,
        'svc does not follow links: set HOME, or the XDG variables, to the folder itself.',
      );
    const topFolder = makeFolders(path);
    if (topFolder !== undefined)
      for (let folder = path; folder.length >= topFolder.length; folder = dirname(folder))
        syncFolder(dirname(folder));
    const { uid, mode } = fs.lstatSync(path);
    if (uid !== userId)
      throw refusal(`The folder ${path} belongs to another user.`, 'Set HOME to a folder of your own.');
    if ((mode & STICKY_BIT) !== 0)
      throw refusal(`The folder ${path} is shared by everybody.`, 'Use one of your own.');
    if ((mode & PERMISSIONS) !== FOLDER_MODE) fs.chmodSync(path, FOLDER_MODE);
  });
}

/** Node's recursive `mkdir` is not used, because it hangs under a folder that allows no new folders, such as /proc. */
export function makeFolders(path: string): string | undefined {
  const parent = dirname(path);
  const topFolder = fs.existsSync(parent) ? undefined : makeFolders(parent);
  try {
    fs.mkdirSync(path, { mode: FOLDER_MODE });
    return topFolder ?? path;
  } catch (error) {
    const isFolder = fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if (errorCode(error) === 'EEXIST' && isFolder) return topFolder;
    throw error;
  }
}

const syncedFolders = new Set<string>();

/** The names are synced again, because an earlier run may have been killed before it synced them. */
export function syncNamesAbove(file: string): void {
  syncFolder(dirname(file));
  for (let path = dirname(file); !syncedFolders.has(path) && isOnDeviceOfParent(path); path = dirname(path)) {
    try {
      syncFolder(dirname(path));
    } catch (error) {
      if (errorCode(error) !== 'EACCES') throw error;
    }
    syncedFolders.add(path);
  }
}

function isOnDeviceOfParent(folder: string): boolean {
  const parent = dirname(folder);
  return parent !== folder && fs.statSync(parent).dev === fs.statSync(folder).dev;
}

export function syncFolder(path: string): void {
  const folder = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(folder);
  } finally {
    fs.closeSync(folder);
  }
}

export type Paths = Readonly<Record<'config' | 'data' | 'state' | 'cache', string>>;

/** Relative values are ignored, because a run in another folder would not find earlier payments. */
export function pathsFrom(
  env: Readonly<Record<string, string | undefined>>,
  accountHome: () => string | null,
): Paths {
  const absoluteOrNull = (value: string | null | undefined): string | null =>
    value?.startsWith('/') === true ? value : null;
  const homeFolder = (variable: string): string => {
    const home = absoluteOrNull(env['HOME']) ?? absoluteOrNull(accountHome());
    if (home !== null) return home;
    const text = `svc has no folder to remember what it sends: HOME is not an absolute path, and this account has no home. Set HOME or ${variable} to a folder that is kept. Nothing was sent.`;
    throw new Failure('local_state', text);
  };
  const svcHome = env['SVC_HOME'];
  const folder = (name: keyof Paths): string => {
    if (svcHome !== undefined) return folderIn(svcHome, name);
    const [variable, ...fallbackFolders] = XDG_PLACES[name];
    return join(absoluteOrNull(env[variable]) ?? join(homeFolder(variable), ...fallbackFolders), 'svc');
  };
  return {
    get config() {
      return folder('config');
    },
    get data() {
      return folder('data');
    },
    get state() {
      return folder('state');
    },
    get cache() {
      return folder('cache');
    },
  };
}

const XDG_PLACES: Readonly<Record<keyof Paths, readonly [variable: string, ...below: string[]]>> = {
  config: ['XDG_CONFIG_HOME', '.config'],
  data: ['XDG_DATA_HOME', '.local', 'share'],
  state: ['XDG_STATE_HOME', '.local', 'state'],
  cache: ['XDG_CACHE_HOME', '.cache'],
};

/** svc never makes SVC_HOME, because the home of a sandbox that has ended would come back and stay. */
function folderIn(home: string, name: keyof Paths): string {
  if (!home.startsWith('/')) throw usageFailure('SVC_HOME is not an absolute path.');
  if (fs.statSync(home, { throwIfNoEntry: false })?.isDirectory() === true) return join(home, name);
  throw new Failure('local_state', `SVC_HOME names a folder that does not exist: ${home}. Nothing was sent.`);
}

const DISK_REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full. Free some space, then run this again.',
  EDQUOT: 'Your disk quota is used up. Free some space, then run this again.',
  EROFS: 'The file system is read-only. Set HOME, or the XDG variables, to a writable one.',
  EACCES: 'Permission denied. Check who owns it and the folders above it.',
  EPERM: 'Permission denied. Check who owns it and the folders above it.',
  ENOTDIR: 'Something above it is not a folder.',
  EEXIST: 'Something that is not a folder has that name.',
  EIO: 'The disk reports an error.',
};

export type DiskVerb = 'read' | 'written' | 'written to the disk';

export function onDisk<T>(verb: DiskVerb, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw diskFailure(verb, path, error);
  }
}

export function diskFailure(verb: DiskVerb, path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === null || error instanceof Failure) return error;
  const reason = DISK_REASONS[code] ?? `The system reported ${code}.`;
  return new Failure('local_state', `${path} could not be ${verb}. ${reason}`, { cause: error });
}

const WRONG_NAME_CODES = 'ENOENT ENOTDIR EISDIR EACCES EPERM ELOOP ENAMETOOLONG ENXIO ENODEV EINVAL'.split(
  ' ',
);

export function namedFileFailure(path: string, error: unknown, nameError: (why: string) => Failure): unknown {
  const code = errorCode(error);
  return code === null || WRONG_NAME_CODES.includes(code)
    ? nameError(code ?? 'unreadable')
    : diskFailure('read', path, error);
}

export function unreadableText(path: string, why: string): string {
  if (path === '') return 'The name of the file is empty';
  if (why === 'ENOENT' || why === 'ENOTDIR') return `There is no file ${path}`;
  if (why === 'EISDIR') return `${path} is a folder: give a file`;
  if (why === 'EACCES' || why === 'EPERM') return `You have no permission to read ${path}`;
  return `${path} cannot be read (${why})`;
}

export function errorCode(error: unknown): string | null {
  const code: unknown = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : null;
}

export function shellPath(path: string): string {
  return quote(path.startsWith('-') ? `./${path}` : path);
}

export function refusal(problem: string, remedy: string): Failure {
  return new Failure('local_state', `${problem} ${remedy}`);
}

export function currentUser(): number {
  return process.geteuid?.() ?? -1;
}
