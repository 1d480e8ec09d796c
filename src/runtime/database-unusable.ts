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

export interface NamedDatabase {
  readonly name: string;
  readonly whenGone?: string;
}

/** A transaction that throws `DatabaseUnusable` had no effect. */
export class DatabaseUnusable extends Failure {
  constructor(
    readonly problem: DatabaseProblem,
    { name, whenGone }: NamedDatabase,
    file: string,
    about: { readonly cause?: unknown; readonly writer?: string | null; readonly version?: number } = {},
  ) {
    const { cause, writer = null, version } = about;
    const writerText = writer === null ? 'a version of svc newer than' : `svc ${writer}, newer than`;
    const newerMessage = `was written by ${writerText} this one (${VERSION}). Nothing in it changed. Update svc, then run this again`;
    const problemText = problem === 'newer' ? newerMessage : MESSAGES[problem];
    const isLost = problem === 'damaged' || problem === 'older';
    const advice = isLost
      ? ` Move it away, with its -wal and -shm files. Then svc makes a new one.${whenGone === undefined ? '' : ` ${whenGone}`}`
      : '';
    super('local_state', `The ${name} ${file} ${problemText}.${advice}`, {
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
  'state_unreachable',
  'state_unusable',
  'commits_lost',
  'commit_not_replicated',
  'clocks_differ',
]);

export function isDatabaseCode(code: string | undefined): boolean {
  return DATABASE_CODES.has(code);
}

const READONLY = 8;

/** SQLite's primary result codes: PERM, BUSY, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOTADB. */
const PROBLEM_BY_CODE: Readonly<Record<number, DatabaseProblem>> = {
  3: 'unwritable',
  5: 'busy',
  6: 'busy',
  8: 'unwritable',
  10: 'unwritable',
  11: 'damaged',
  13: 'full',
  14: 'unwritable',
  15: 'busy',
  26: 'damaged',
};

/** A disk with fewer free bytes counts as full, because SQLite then reports only an I/O error. */
const FREE_MIN_BYTES = 64 * 1024;

function isDiskFull(file: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(file));
    return bavail * bsize < FREE_MIN_BYTES || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}

const ACCESS_CODES: ReadonlySet<string> = new Set(
  'EACCES EPERM EROFS ENOTDIR EISDIR ENOENT EEXIST ENAMETOOLONG ELOOP'.split(' '),
);

export function databaseError(error: unknown, database: NamedDatabase, file: string): unknown {
  if (!(error instanceof Error)) return error;
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  if (typeof errcode === 'number') {
    const codeProblem = errcode === READONLY ? 'damaged' : PROBLEM_BY_CODE[errcode & 0xff];
    const problem = codeProblem === 'unwritable' && isDiskFull(file) ? 'full' : codeProblem;
    return problem === undefined ? error : new DatabaseUnusable(problem, database, file, { cause: error });
  }
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new DatabaseUnusable('full', database, file, { cause: error });
  return typeof code === 'string' && ACCESS_CODES.has(code)
    ? new DatabaseUnusable('unwritable', database, file, { cause: error })
    : error;
}

export function openingError(error: unknown, database: NamedDatabase, file: string): unknown {
  const translatedError = databaseError(error, database, file);
  return translatedError === error && error instanceof Error && 'errcode' in error
    ? new DatabaseUnusable('damaged', database, file, { cause: error })
    : translatedError;
}

export function movingLine(file: string, version: number): string {
  let newPath = `${file}.v${version}`;
  for (let count = 2; ['', '-wal', '-shm'].some((end) => existsSync(newPath + end)); count += 1)
    newPath = `${file}.v${version}-${count}`;
  const [from, to] = [quote(file), quote(newPath)];
  return `[ -e ${to} ] || for end in -wal -shm ''; do [ ! -e ${from}"$end" ] || mv -- ${from}"$end" ${to}"$end" || break; done`;
}
