/** All mirrors of this machine in one SQLite file of the user's state folder: many processes at once. */
import { openDatabase, type Database } from '../../runtime/database.js';
import { DatabaseUnusable } from '../../runtime/database-unusable.js';
import { Failure } from '../../runtime/failure.js';
import type { Random } from '../../runtime/random.js';
import type { Mirrors } from '../mirror.js';
import {
  addPlace,
  companyOf,
  ensureCompany,
  forgetOrigin,
  learnPlace,
  selectByPlace,
  selectCandidates,
  selectCompany,
} from './companies.js';
import { MIRRORS_KIND } from './schema.js';
import { type InTransaction, mirrorOf } from './sqlite-mirror.js';
import { TAIL_ROWS } from './tail.js';

/** For the indexes; the rest is read and written in the order of the file. */
const CACHE_KILOBYTES = 4_000;

/** @throws DatabaseUnusable where the file can't be used */
export function openMirrors(file: string, random: Pick<Random, 'uuid'>): Mirrors {
  return mirrorsIn(openDatabase(file, MIRRORS_KIND), file, random);
}

/**
 * The same over an open database, which `close` closes.
 * @param file its path, for messages
 * @param tailRowsMax how many rows are left to be indexed together
 */
export function mirrorsIn(
  db: Database,
  file: string,
  random: Pick<Random, 'uuid'>,
  tailRowsMax = TAIL_ROWS,
): Mirrors {
  // A commit that a power cut takes back takes its cursor along, and the pages are read again: nothing is worth a sync a page. What is
  // in the file stays whole, because the log is synced before it goes into the file.
  db.query('PRAGMA synchronous = NORMAL').get();
  db.query(`PRAGMA cache_size = -${CACHE_KILOBYTES}`).get();
  const turn: InTransaction = (work) => {
    try {
      return Promise.resolve(db.transaction(() => work(db)));
    } catch (error) {
      // The file was fit to be opened, and statements are the same every time: what else fails is in the file.
      const isTold = error instanceof Failure;
      return Promise.reject(
        isTold ? error : new DatabaseUnusable('damaged', MIRRORS_KIND, file, { cause: error }),
      );
    }
  };
  return {
    keySalt: null,
    isShared: false,
    of: (company) => mirrorOf(turn, company, tailRowsMax),
    companyOf: (place) =>
      turn(() => {
        const record = selectByPlace(db, place);
        return record === undefined ? null : companyOf(record);
      }),
    companyById: (id) =>
      turn(() => {
        const record = selectCompany(db, id);
        return record === undefined ? null : companyOf(record);
      }),
    candidates: (place, limit) => turn(() => selectCandidates(db, place, limit)),
    begin: (place) =>
      turn(() => {
        const there = selectByPlace(db, place);
        if (there !== undefined) return companyOf(there);
        const made = ensureCompany(db, { id: random.uuid(), environment: place.environment });
        addPlace(db, made.company, place);
        return companyOf(made);
      }),
    learn: (company, place) => turn(() => learnPlace(db, company, place)),
    forgetPlace: (environment, origin) => turn(() => forgetOrigin(db, environment, origin)),
    close: () => {
      db.close();
      return Promise.resolve();
    },
  };
}
