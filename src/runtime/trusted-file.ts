import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { currentUser, errorCode } from './folders.js';
import { openNoLink, readFirstBytes } from './small-file.js';

export type TrustedFile =
  | { readonly kind: 'absent' }
  /** `binds` is false if root runs svc, because root may change every file. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly binds: boolean }
  | { readonly kind: 'untrusted' | 'unreadable'; readonly why: string };

const LINKS_MAX = 16;
const READS_MAX = 5;
const ROOT = 0;

class FileNotTrusted extends Error {
  constructor(
    readonly kind: 'untrusted' | 'unreadable',
    message: string,
  ) {
    super(message);
  }
}

/** A link to a missing file is `unreadable`, because somebody meant to put a file there. */
export function readTrusted(path: string, { maxBytes }: { readonly maxBytes: number }): TrustedFile {
  try {
    for (let tries = 1; tries <= READS_MAX; tries += 1) {
      const trustedFile = readOnce(resolve(path), maxBytes);
      if (trustedFile !== null) return trustedFile;
    }
    return { kind: 'unreadable', why: `${path} changes while it is read.` };
  } catch (error) {
    if (error instanceof FileNotTrusted) return { kind: error.kind, why: error.message };
    return { kind: 'unreadable', why: `${path} can't be read (${errorCode(error) ?? 'unknown'}).` };
  }
}

function readOnce(path: string, maxBytes: number): TrustedFile | null {
  const { parts, missing } = walkPath(path);
  if (missing !== null) return absentFile(path, parts, missing);
  requireTrusted(parts);
  const lastPart = parts.at(-1);
  if (lastPart?.stats.isFile() !== true)
    throw new FileNotTrusted('untrusted', `${path} is not a regular file.`);
  const bytes = readCheckedFile(path, lastPart, maxBytes);
  return bytes && { kind: 'bytes', bytes, binds: currentUser() !== ROOT };
}

interface PathPart {
  readonly path: string;
  readonly stats: fs.BigIntStats;
}

interface PathWalk {
  readonly parts: readonly PathPart[];
  readonly missing: { readonly path: string; readonly isLinked: boolean } | null;
}

function walkPath(path: string): PathWalk {
  const parts: PathPart[] = [{ path: '/', stats: fs.lstatSync('/', { bigint: true }) }];
  const splitNames = (text: string, isLinked: boolean) =>
    text.split('/').flatMap((name) => (name === '' || name === '.' ? [] : [{ name, isLinked }]));
  let currentPath = '/';
  let links = 0;
  let names = splitNames(path, false);
  for (let nextName = names.shift(); nextName !== undefined; nextName = names.shift()) {
    const partPath = join(currentPath, nextName.name);
    const stats = fs.lstatSync(partPath, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return { parts, missing: { path: partPath, isLinked: nextName.isLinked } };
    parts.push({ path: partPath, stats });
    if (!stats.isSymbolicLink()) {
      currentPath = partPath;
      continue;
    }
    links += 1;
    if (links > LINKS_MAX) throw new FileNotTrusted('untrusted', `${path} has too many links on its way.`);
    const target = fs.readlinkSync(partPath);
    if (target.startsWith('/')) currentPath = '/';
    names = [...splitNames(target, true), ...names];
  }
  return { parts, missing: null };
}

function absentFile(
  path: string,
  parts: readonly PathPart[],
  missing: NonNullable<PathWalk['missing']>,
): TrustedFile {
  if (missing.isLinked)
    throw new FileNotTrusted(
      'unreadable',
      `${path} is a link that leads to ${missing.path}, which is not there.`,
    );
  const folder = parts.at(-1)?.path;
  if (folder !== dirname(missing.path) || missing.path !== join(folder, path.slice(dirname(path).length)))
    return { kind: 'absent' };
  try {
    requireTrusted(parts);
  } catch (error) {
    if (!(error instanceof FileNotTrusted)) throw error;
    throw new FileNotTrusted(
      'untrusted',
      `${path} is not there, and anybody may have taken it away: ${error.message}`,
    );
  }
  return { kind: 'absent' };
}

function requireTrusted(parts: readonly PathPart[]): void {
  const isRoot = currentUser() === ROOT;
  for (const { path, stats } of parts) {
    if (stats.uid !== BigInt(ROOT)) throw new FileNotTrusted('untrusted', `${path} does not belong to root.`);
    if (!isRoot && !stats.isSymbolicLink() && mayWrite(path))
      throw new FileNotTrusted('untrusted', `${path} can be changed by the user who runs svc.`);
  }
}

/** The kernel is asked, because it also knows access lists, groups and read-only file systems. */
function mayWrite(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.W_OK);
    return true;
  } catch (error) {
    return !['EACCES', 'EROFS', 'EPERM'].includes(errorCode(error) ?? '');
  }
}

function readCheckedFile(path: string, filePart: PathPart, maxBytes: number): Uint8Array | null {
  const file = openUnlessReplaced(filePart.path);
  if (file === null) return null;
  try {
    const statsBefore = fs.fstatSync(file, { bigint: true });
    if (!isSame(statsBefore, filePart.stats)) return null;
    if (statsBefore.size > BigInt(maxBytes))
      throw new FileNotTrusted(
        'unreadable',
        `${path} is larger than ${String(Math.floor(maxBytes / 1024))} KiB.`,
      );
    const bytes = readFirstBytes(file, Number(statsBefore.size) + 1);
    if (!isSame(statsBefore, fs.fstatSync(file, { bigint: true }))) return null;
    return bytes.length === Number(statsBefore.size) ? bytes : null;
  } finally {
    fs.closeSync(file);
  }
}

function openUnlessReplaced(path: string): number | null {
  try {
    return openNoLink(path);
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENXIO'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}

function isSame(one: fs.BigIntStats, other: fs.BigIntStats): boolean {
  const statNames = ['dev', 'ino', 'mode', 'uid', 'size', 'mtimeNs', 'ctimeNs'] as const;
  return statNames.every((name) => one[name] === other[name]);
}
