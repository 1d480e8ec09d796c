/**
 * The folders svc keeps its files in: where they are by the XDG base directories, on Linux and macOS alike, or all in the one that
 * `SVC_HOME` names; nobody but the user may look inside. And what the disk refuses, as a failure that names the file and what to do.
 */
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from './failure.js';

const FOLDER_MODE = 0o700;
const PERMISSIONS = 0o7777;
const STICKY = 0o1000;

/**
 * Makes a folder of ours, and the missing ones above it, with mode 0700; one that is there is tightened to that.
 * @throws Failure `local_state` where it is no folder, a link (which somebody else may have put where others can write too),
 * somebody else's, or shared by design (sticky, like /tmp)
 */
export function ensurePrivateFolder(path: string, userId = currentUser()): void {
  onDisk('written', path, () => {
    // What follows looks at the folder itself, never at what a link names.
    if (fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw refusal(
        `The folder ${path} is a link.`,
        'svc does not follow links: set HOME, or the XDG variables, to the folder itself.',
      );
    const first = makeFolders(path);
    if (first !== undefined)
      for (let made = path; made.length >= first.length; made = dirname(made)) syncFolder(dirname(made));
    const { uid, mode } = fs.lstatSync(path);
    if (uid !== userId)
      throw refusal(`The folder ${path} belongs to another user.`, 'Set HOME to a folder of your own.');
    if ((mode & STICKY) !== 0)
      throw refusal(`The folder ${path} is shared by everybody.`, 'Use one of your own.');
    if ((mode & PERMISSIONS) !== FOLDER_MODE) fs.chmodSync(path, FOLDER_MODE);
  });
}

/**
 * Makes a folder and the missing ones above it, with mode 0700. Returns the first one that was made; undefined where all were there.
 * Node's own way tries for ever below a folder that is there and can hold none, as in /proc. The folder above is looked at before the
 * folder is made, never after it failed: another svc may make it in between.
 */
export function makeFolders(path: string): string | undefined {
  const above = dirname(path);
  const first = fs.existsSync(above) ? undefined : makeFolders(above);
  try {
    fs.mkdirSync(path, { mode: FOLDER_MODE });
    return first ?? path;
  } catch (error) {
    const isThere = fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if (errorCode(error) === 'EEXIST' && isThere) return first;
    throw error;
  }
}

/** Folders whose names this process has synced. */
const named = new Set<string>();

/**
 * Makes the name of a file durable, and those of the folders above it up to where something is mounted: a run that was killed between
 * making a folder and syncing its name leaves a folder that is there, and nothing that says so.
 * @throws the file system's own errors
 */
export function syncNamesAbove(file: string): void {
  syncFolder(dirname(file));
  for (let path = dirname(file); !named.has(path) && isBelowAnother(path); path = dirname(path)) {
    try {
      syncFolder(dirname(path));
    } catch (error) {
      // It can't be synced at all, and what stands in it is used all the same.
      if (errorCode(error) !== 'EACCES') throw error;
    }
    named.add(path);
  }
}

/** False for the root, and for what is mounted: that was there before. */
function isBelowAnother(folder: string): boolean {
  const above = dirname(folder);
  return above !== folder && fs.statSync(above).dev === fs.statSync(folder).dev;
}

/** Makes the names in a folder durable: what was created or renamed there survives a power cut. */
export function syncFolder(path: string): void {
  const folder = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(folder);
  } finally {
    fs.closeSync(folder);
  }
}

export interface Paths {
  /** The settings file and, where the user chose it, keys. */
  readonly config: string;
  /** The embedded sandbox's store. */
  readonly data: string;
  /** The journal of requests, checkpoints, batches: what must survive. */
  readonly state: string;
  /** The catalog: what may be deleted at any time. */
  readonly cache: string;
}

/**
 * The four folders for an environment; nothing is created. Relative values are ignored, HOME's too: what is kept must not
 * depend on the folder where a command was typed, or another run would not find what this one has paid.
 * @param accountHome asked where HOME is no absolute path; null where the account has none
 * @throws Failure of a folder that is asked for: `local_state` where there is no home to put it into, `usage` for a relative SVC_HOME
 */
export function pathsFrom(
  env: Readonly<Record<string, string | undefined>>,
  accountHome: () => string | null,
): Paths {
  const absolute = (value: string | null | undefined): string | null =>
    value?.startsWith('/') === true ? value : null;
  const homeFolder = (variable: string): string => {
    const home = absolute(env['HOME']) ?? absolute(accountHome());
    if (home !== null) return home;
    throw new Failure(
      'local_state',
      `svc has no folder to remember what it sends: HOME is not an absolute path, and this account has no home. Set HOME or ${variable} to a folder that is kept. Nothing was sent.`,
    );
  };
  const own = env['SVC_HOME'];
  if (own !== undefined) return pathsIn(own);
  const folder = (variable: string, ...below: string[]): string =>
    join(absolute(env[variable]) ?? join(homeFolder(variable), ...below), 'svc');
  // When they are asked for: help and the version need none.
  return {
    get config() {
      return folder('XDG_CONFIG_HOME', '.config');
    },
    get data() {
      return folder('XDG_DATA_HOME', '.local', 'share');
    },
    get state() {
      return folder('XDG_STATE_HOME', '.local', 'state');
    },
    get cache() {
      return folder('XDG_CACHE_HOME', '.cache');
    },
  };
}

/** All of them in one folder. It is never made: that of a sandbox which has ended would come back, and nobody would take it away. */
function pathsIn(home: string): Paths {
  const folder = (name: keyof Paths): string => {
    if (!home.startsWith('/'))
      throw new Failure('usage', 'SVC_HOME is not an absolute path. Nothing was sent.');
    if (fs.statSync(home, { throwIfNoEntry: false })?.isDirectory() === true) return join(home, name);
    throw new Failure(
      'local_state',
      `SVC_HOME names a folder that does not exist: ${home}. Nothing was sent.`,
    );
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

const REASONS: Readonly<Record<string, string>> = {
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

/**
 * Runs a piece of work on the disk.
 * @throws Failure `local_state` for an error of the file system; anything else passes unchanged
 */
export function onDisk<T>(verb: DiskVerb, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw diskFailure(verb, path, error);
  }
}

/** The failure for an error of the file system; anything else (a defect, a failure already made) is returned unchanged. */
export function diskFailure(verb: DiskVerb, path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === null || error instanceof Failure) return error;
  const reason = REASONS[code] ?? `The system reported ${code}.`;
  return new Failure('local_state', `${path} could not be ${verb}. ${reason}`, { cause: error });
}

/** Errors of a name, and not of the disk behind it: another name helps. */
const WRONG_NAMES = 'ENOENT ENOTDIR EISDIR EACCES EPERM ELOOP ENAMETOOLONG ENXIO ENODEV EINVAL'.split(' ');

/** The failure for a file that somebody named: `otherwise` where the name is to blame, and `local_state` where the disk is. */
export function namedFileFailure(path: string, error: unknown, otherwise: (why: string) => Failure): unknown {
  const code = errorCode(error);
  return code === null || WRONG_NAMES.includes(code)
    ? otherwise(code ?? 'unreadable')
    : diskFailure('read', path, error);
}

/** Why a file that somebody named is not read, in words. */
export function cannotRead(path: string, why: string): string {
  if (path === '') return 'The name of the file is empty';
  if (why === 'ENOENT' || why === 'ENOTDIR') return `There is no file ${path}`;
  if (why === 'EISDIR') return `${path} is a folder: give a file`;
  if (why === 'EACCES' || why === 'EPERM') return `You have no permission to read ${path}`;
  return `${path} cannot be read (${why})`;
}

/** The system's name for an error (`ENOENT`), or null where it has none. */
export function errorCode(error: unknown): string | null {
  const code: unknown = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : null;
}

/** A path as a shell takes it, and the program behind it: for commands that are pasted. */
export function shellPath(given: string): string {
  const path = given.startsWith('-') ? `./${given}` : given;
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** A failure for a file or folder as it was found: what is wrong, and what to do. */
export function refusal(what: string, remedy: string): Failure {
  return new Failure('local_state', `${what} ${remedy}`);
}

/** The id that this user's files carry. */
export function currentUser(): number {
  return process.geteuid?.() ?? -1;
}
