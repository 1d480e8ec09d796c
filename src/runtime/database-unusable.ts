/** Why a database cannot be used: the one error that opening, reading or writing the file may end in. */
import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from './failure.js';
import { quote } from './shell.js';
import { VERSION } from './version.js';

export type DatabaseProblem =
  'newer' | 'older' | 'foreign' | 'linked' | 'damaged' | 'unwritable' | 'full' | 'busy';

const MESSAGES: Readonly<Record<Exclude<DatabaseProblem, 'newer'>, string>> = {
  older: 'was made by an older, unreleased version of svc. Only that version can read it',
  foreign: 'belongs to another program. Choose another file',
  linked: 'is a link, or belongs to another user. Choose a file of your own, not a link',
  damaged: 'is damaged',
  unwritable: 'cannot be read and written. Check its permissions and those of its folder',
  full: 'cannot grow: the disk is full. What was saved before is kept',
  busy: 'is in use by another process. Try again',
};

/** What a message says of a database. */
export interface NamedDatabase {
  /** "The NAME PATH is damaged". */
  readonly name: string;
  /** What its user does without it, as sentences; nothing where a new one is as good. */
  readonly whenGone?: string;
}

/** Thrown where a database's file cannot be used. It is a failure of local state; nothing was carried out. */
export class DatabaseUnusable extends Failure {
  /** @param about `writer`, for `newer`: the version of svc that wrote the file last, where that is known; `version`, for `older`: of its tables */
  constructor(
    readonly problem: DatabaseProblem,
    { name, whenGone }: NamedDatabase,
    file: string,
    about: { readonly cause?: unknown; readonly writer?: string | null; readonly version?: number } = {},
  ) {
    const { cause, writer = null, version } = about;
    const by = writer === null ? 'a version of svc newer than' : `svc ${writer}, newer than`;
    const newer = `was written by ${by} this one (${VERSION}). Nothing in it changed. Update svc, then run this again`;
    const what = problem === 'newer' ? newer : MESSAGES[problem];
    const isLost = problem === 'damaged' || problem === 'older';
    const wayOn = isLost
      ? ` Move it away, with its -wal and -shm files. Then svc makes a new one.${whenGone === undefined ? '' : ` ${whenGone}`}`
      : '';
    super('local_state', `The ${name} ${file} ${what}.${wayOn}`, {
      code: problem === 'newer' ? 'store_newer' : 'store_unusable',
      outcome: 'not_sent',
      nextCommand: version === undefined ? undefined : movingLine(file, version),
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

const DATABASE_CODES: ReadonlySet<string | undefined> = new Set([
  'store_unusable',
  'store_newer',
  // Of a database that machines share.
  'state_unreachable',
  'state_unusable',
  'commits_lost',
  'commit_not_replicated',
  'clocks_differ',
]);

/** True for the codes that a `DatabaseUnusable` has, which has lost its class where it comes from a thread, and for those of a shared one. */
export function isDatabaseCode(code: string | undefined): boolean {
  return DATABASE_CODES.has(code);
}

/** Without a word of what forbids it. The file was opened for writing, so it is its own header, and no version of ours writes that. */
const READONLY = 8;

/** What SQLite's primary result codes say about the file; every other code is a defect here. */
const PROBLEMS: Readonly<Record<number, DatabaseProblem>> = {
  3: 'unwritable', // PERM
  5: 'busy',
  6: 'busy', // LOCKED
  8: 'unwritable', // READONLY
  10: 'unwritable', // IOERR
  11: 'damaged', // CORRUPT
  13: 'full',
  14: 'unwritable', // CANTOPEN
  15: 'busy', // PROTOCOL: too many processes opened the file at the same moment
  26: 'damaged', // NOTADB
};

/** SQLite reports an I/O error where the index of its log (32 KiB) finds no room. */
const ROOM_MIN_BYTES = 64 * 1024;

function isDiskFull(file: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(file));
    return bavail * bsize < ROOM_MIN_BYTES || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}

const REFUSED: ReadonlySet<string> = new Set(
  'EACCES EPERM EROFS ENOTDIR EISDIR ENOENT EEXIST ENAMETOOLONG ELOOP'.split(' '),
);

/** The error to throw for one that SQLite or the file system threw: `DatabaseUnusable` where the file is to blame, else the error itself. */
export function databaseError(error: unknown, database: NamedDatabase, file: string): unknown {
  if (!(error instanceof Error)) return error;
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  if (typeof errcode === 'number') {
    const known = errcode === READONLY ? 'damaged' : PROBLEMS[errcode & 0xff];
    const problem = known === 'unwritable' && isDiskFull(file) ? 'full' : known;
    return problem === undefined ? error : new DatabaseUnusable(problem, database, file, { cause: error });
  }
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new DatabaseUnusable('full', database, file, { cause: error });
  return typeof code === 'string' && REFUSED.has(code)
    ? new DatabaseUnusable('unwritable', database, file, { cause: error })
    : error;
}

/** The same while a file is opened: what is asked of it then is the same every time, so whatever SQLite objects to is in the file. */
export function openingError(error: unknown, database: NamedDatabase, file: string): unknown {
  const known = databaseError(error, database, file);
  return known === error && error instanceof Error && 'errcode' in error
    ? new DatabaseUnusable('damaged', database, file, { cause: error })
    : known;
}

/**
 * The line that moves a database's file out of the way, with what SQLite keeps beside it. To be typed, and typed twice it does nothing more.
 * Whatever already stands under a name like the new one stays there. The log goes first: beside a new file of the old name it would be taken
 * for that one's.
 * @param version of its tables, which the new name says
 */
export function movingLine(file: string, version: number): string {
  let moved = `${file}.v${version}`;
  for (let count = 2; ['', '-wal', '-shm'].some((end) => existsSync(moved + end)); count += 1)
    moved = `${file}.v${version}-${count}`;
  const [from, to] = [quote(file), quote(moved)];
  return `[ -e ${to} ] || for end in -wal -shm ''; do [ ! -e ${from}"$end" ] || mv -- ${from}"$end" ${to}"$end" || break; done`;
}
