/** Why a database cannot be used: the one error that opening, reading or writing the file may end in. */
import { Failure } from './failure.js';

export type DatabaseProblem = 'newer' | 'older' | 'foreign' | 'damaged' | 'unwritable' | 'full' | 'busy';

const MESSAGES: Readonly<Record<DatabaseProblem, string>> = {
  newer: 'was written by a newer version of this program; update the program, or choose another file',
  older:
    'was written by an older version of this program, which alone can read it; move it away and a new one is made',
  foreign: 'is a database of another program; choose another file',
  damaged: 'is damaged; move it away and a new one is made',
  unwritable: 'cannot be read and written here; check its permissions and those of its folder',
  full: 'cannot grow: the disk is full. What was acknowledged is kept',
  busy: 'was held by another process for too long; try again',
};

/** Thrown where a database's file cannot be used. It is a failure of local state; nothing was carried out. */
export class DatabaseUnusable extends Failure {
  constructor(
    readonly problem: DatabaseProblem,
    name: string,
    file: string,
    cause?: unknown,
  ) {
    super('local_state', `The ${name} ${file} ${MESSAGES[problem]}.`, {
      code: 'store_unusable',
      outcome: 'not_sent',
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

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

/** The error to throw for one that SQLite or the file system threw: `DatabaseUnusable` where the file is to blame, else the error itself. */
export function databaseError(error: unknown, name: string, file: string): unknown {
  if (!(error instanceof Error)) return error;
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  if (typeof errcode === 'number') {
    const problem = PROBLEMS[errcode & 0xff];
    return problem === undefined ? error : new DatabaseUnusable(problem, name, file, error);
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') return new DatabaseUnusable('full', name, file, error);
  const refused = [
    'EACCES',
    'EPERM',
    'EROFS',
    'ENOTDIR',
    'EISDIR',
    'ENOENT',
    'EEXIST',
    'ENAMETOOLONG',
    'ELOOP',
  ];
  return typeof code === 'string' && refused.includes(code)
    ? new DatabaseUnusable('unwritable', name, file, error)
    : error;
}
