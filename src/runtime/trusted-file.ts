/** Files that the user who runs us cannot have made or changed: every part of the way to them belongs to root, and the kernel says that we may not write it. */
import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { currentUser, errorCode } from './folders.js';
import { openUnlinked, startOf } from './small-file.js';

export type TrustedFile =
  | { readonly kind: 'absent' }
  /** `binds` is false for root, who may change every file. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly binds: boolean }
  /** Sentences, which name files. `untrusted`: somebody else than root may have put it there. */
  | { readonly kind: 'untrusted' | 'unreadable'; readonly why: string };

const LINKS_MAX = 16;
/** A file that is replaced at this moment is another one at the next. */
const TRIES = 5;
const ROOT = 0;

/** Why it is not believed, or not read. */
class Distrust extends Error {
  constructor(
    readonly kind: 'untrusted' | 'unreadable',
    message: string,
  ) {
    super(message);
  }
}

/**
 * The bytes of a file as they stood there at one moment, links on the way followed. Nothing is waited for, and nothing is thrown.
 *
 * A file that is not there is `absent` where we could not have taken it away: its folder is not there either, or it is trusted as the file
 * would be. A link that leads nowhere is `unreadable`: somebody meant something by it.
 * @param path absolute
 */
export function readTrusted(path: string, { maxBytes }: { readonly maxBytes: number }): TrustedFile {
  try {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const found = readOnce(resolve(path), maxBytes);
      if (found !== null) return found;
    }
    return { kind: 'unreadable', why: `${path} changes while it is read.` };
  } catch (error) {
    if (error instanceof Distrust) return { kind: error.kind, why: error.message };
    return { kind: 'unreadable', why: `${path} can't be read (${errorCode(error) ?? 'unknown'}).` };
  }
}

/** Null where it was replaced meanwhile. @throws Distrust; the system's error */
function readOnce(path: string, maxBytes: number): TrustedFile | null {
  const { parts, missing } = wayTo(path);
  if (missing !== null) return absence(path, parts, missing);
  requireTrusted(parts);
  const end = parts.at(-1);
  if (end?.stats.isFile() !== true) throw new Distrust('untrusted', `${path} is not a regular file.`);
  const bytes = bytesOf(path, end, maxBytes);
  return bytes && { kind: 'bytes', bytes, binds: currentUser() !== ROOT };
}

/** A link or a place on the way to a file. */
interface Part {
  readonly path: string;
  readonly stats: fs.BigIntStats;
}

interface Way {
  /** From `/` on, links before what they lead to. */
  readonly parts: readonly Part[];
  /** The first that is not there, and whether a link leads to it; null where all are. */
  readonly missing: { readonly path: string; readonly isLinked: boolean } | null;
}

/** Walks over each name, as the kernel does. @throws Distrust; the system's error */
function wayTo(path: string): Way {
  const parts: Part[] = [{ path: '/', stats: fs.lstatSync('/', { bigint: true }) }];
  const namesIn = (text: string, isLinked: boolean) =>
    text.split('/').flatMap((name) => (name === '' || name === '.' ? [] : [{ name, isLinked }]));
  let at = '/';
  let links = 0;
  let names = namesIn(path, false);
  for (let next = names.shift(); next !== undefined; next = names.shift()) {
    const here = join(at, next.name);
    const stats = fs.lstatSync(here, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return { parts, missing: { path: here, isLinked: next.isLinked } };
    parts.push({ path: here, stats });
    if (!stats.isSymbolicLink()) {
      at = here;
      continue;
    }
    links += 1;
    if (links > LINKS_MAX) throw new Distrust('untrusted', `${path} has too many links on its way.`);
    const target = fs.readlinkSync(here);
    if (target.startsWith('/')) at = '/';
    names = [...namesIn(target, true), ...names];
  }
  return { parts, missing: null };
}

/** @throws Distrust */
function absence(path: string, parts: readonly Part[], missing: NonNullable<Way['missing']>): TrustedFile {
  if (missing.isLinked)
    throw new Distrust('unreadable', `${path} is a link that leads to ${missing.path}, which is not there.`);
  const folder = parts.at(-1)?.path;
  if (folder !== dirname(missing.path) || missing.path !== join(folder, path.slice(dirname(path).length)))
    return { kind: 'absent' };
  try {
    requireTrusted(parts);
  } catch (error) {
    if (!(error instanceof Distrust)) throw error;
    throw new Distrust(
      'untrusted',
      `${path} is not there, and anybody may have taken it away: ${error.message}`,
    );
  }
  return { kind: 'absent' };
}

/** @throws Distrust for the first part that somebody else than root may change */
function requireTrusted(parts: readonly Part[]): void {
  const isRoot = currentUser() === ROOT;
  for (const { path, stats } of parts) {
    if (stats.uid !== BigInt(ROOT)) throw new Distrust('untrusted', `${path} does not belong to root.`);
    // Who may change a link is decided by its folder.
    if (!isRoot && !stats.isSymbolicLink() && mayWrite(path))
      throw new Distrust('untrusted', `${path} can be changed by the user who runs svc.`);
  }
}

/** The kernel knows more than the mode: lists of rights, groups, capabilities, file systems that nobody may write. */
function mayWrite(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.W_OK);
    return true;
  } catch (error) {
    return !['EACCES', 'EROFS', 'EPERM'].includes(errorCode(error) ?? '');
  }
}

/** Null where another file stands there than the one that was looked at, or it was written meanwhile. @throws Distrust; the system's error */
function bytesOf(path: string, end: Part, maxBytes: number): Uint8Array | null {
  const file = openedNow(end.path);
  if (file === null) return null;
  try {
    const before = fs.fstatSync(file, { bigint: true });
    if (!isSame(before, end.stats)) return null;
    if (before.size > BigInt(maxBytes))
      throw new Distrust('unreadable', `${path} is larger than ${String(Math.floor(maxBytes / 1024))} KiB.`);
    // One more: what has grown is seen.
    const bytes = startOf(file, Number(before.size) + 1);
    if (!isSame(before, fs.fstatSync(file, { bigint: true }))) return null;
    return bytes.length === Number(before.size) ? bytes : null;
  } finally {
    fs.closeSync(file);
  }
}

function openedNow(path: string): number | null {
  try {
    return openUnlinked(path);
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENXIO'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}

/** The same file with the same bytes, as far as its times say it, of the same kind and owner. */
function isSame(one: fs.BigIntStats, other: fs.BigIntStats): boolean {
  const facts = ['dev', 'ino', 'mode', 'uid', 'size', 'mtimeNs', 'ctimeNs'] as const;
  return facts.every((name) => one[name] === other[name]);
}
