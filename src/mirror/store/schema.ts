/** The tables of the mirrors, and the version that `PRAGMA user_version` keeps. */
import type { DatabaseKind } from '../../runtime/database-kind.js';

/**
 * What people look for. An entry in each for every row up to `tail.searchable`, which is never behind `tail.indexed`: they are brought up to
 * date when somebody looks. `beginning` and `bank` are cut, and `bank` is in lower case.
 */
const SEARCH = `
CREATE TABLE beginnings (company INTEGER NOT NULL, beginning TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (company, beginning, row)) STRICT, WITHOUT ROWID;
CREATE TABLE banks (company INTEGER NOT NULL, bank TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (company, bank, row)) STRICT, WITHOUT ROWID;
CREATE TABLE times (company INTEGER NOT NULL, occurred_at INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (company, occurred_at, row)) STRICT, WITHOUT ROWID;
`;

export const MIRRORS_KIND = {
  name: 'copy of the events',
  whenGone: 'svc then reads the events again from the start.',
  version: 2,
  /** "svcf". */
  applicationId: 0x73766366,
  // Pages of events come by the thousand: a longer log goes into the file less often.
  tuning: { pageBytes: 4096, logPages: 4000 },
  /**
   * Operations are appended as they come. `ids` and `refs` say in which rows an id and a reference are, by numbers that stand for company
   * and id, and for company, direction and folded reference; they are spread over the whole of their tables, so that they are brought up
   * to date in blocks: 200 events indexed at once would write 400 pages. Rows behind `tail.indexed` are in neither, and two of them may
   * be about one operation. `folded` is null where the reference is its own folded form. Times are milliseconds. `reading` is JSON, null
   * where nothing was read, and `reading_sum` a check sum of it. `same_as` names the company that this one turned out to be.
   */
  schema: `
CREATE TABLE companies (
  company INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  environment TEXT NOT NULL,
  same_as INTEGER,
  epoch INTEGER NOT NULL,
  reading TEXT,
  reading_sum INTEGER,
  operations INTEGER NOT NULL,
  newest_id TEXT,
  newest_at INTEGER
) STRICT;
CREATE UNIQUE INDEX companies_id ON companies (id);
CREATE TABLE places (
  environment TEXT NOT NULL,
  origin TEXT NOT NULL,
  key_print TEXT NOT NULL,
  company INTEGER NOT NULL,
  PRIMARY KEY (environment, origin, key_print)
) STRICT, WITHOUT ROWID;
CREATE TABLE operations (
  row INTEGER PRIMARY KEY,
  company INTEGER NOT NULL,
  id_mark INTEGER NOT NULL,
  reference_mark INTEGER,
  id TEXT NOT NULL,
  direction TEXT NOT NULL,
  reference TEXT,
  folded TEXT,
  amount TEXT,
  currency TEXT,
  method TEXT,
  status TEXT NOT NULL,
  code TEXT,
  failure_reason TEXT,
  bank_reference TEXT,
  created_at INTEGER,
  confirmed_at INTEGER,
  occurred_at INTEGER NOT NULL,
  event_id TEXT NOT NULL
) STRICT;
CREATE TABLE ids (mark INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (mark, row)) STRICT, WITHOUT ROWID;
CREATE TABLE refs (mark INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (mark, row)) STRICT, WITHOUT ROWID;
CREATE TABLE tail (one INTEGER PRIMARY KEY, indexed INTEGER NOT NULL, searchable INTEGER NOT NULL) STRICT;
INSERT INTO tail (one, indexed, searchable) VALUES (1, 0, 0);
${SEARCH}`,
} as const satisfies DatabaseKind;
