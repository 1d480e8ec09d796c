/** What the file system refuses, as a failure that names the file and what to do. */
import { Failure } from './failure.js';

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
