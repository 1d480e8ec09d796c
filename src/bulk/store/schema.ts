/** The tables of the store of batches, and the version that `PRAGMA user_version` keeps. */

/** What people decided about rows. */
const DECISIONS = `
CREATE TABLE decisions (
  decision_id INTEGER PRIMARY KEY AUTOINCREMENT,
  batch INTEGER NOT NULL,
  number INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  decision TEXT NOT NULL,
  state TEXT NOT NULL,
  operation TEXT,
  decided_at INTEGER NOT NULL
) STRICT;
`;

export const BATCHES_KIND = {
  name: 'store of batches',
  version: 3,
  /** "svcb". */
  applicationId: 0x73766362,
  /**
   * Bodies stand apart, so that counting reads only what it needs. States are words: a flipped bit makes none of them out of another.
   * `minor` is an integer of at most 18 digits; `totals` holds JSON, with minor units as text.
   */
  schema: `
CREATE TABLE batches (
  batch INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  ready INTEGER NOT NULL,
  direction TEXT NOT NULL,
  environment TEXT NOT NULL,
  address TEXT NOT NULL,
  origin TEXT NOT NULL,
  profile TEXT,
  key_mask TEXT NOT NULL,
  file TEXT NOT NULL,
  file_hash TEXT NOT NULL,
  row_count INTEGER NOT NULL,
  totals TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  confirmed_at INTEGER,
  swept_at INTEGER
) STRICT;
CREATE UNIQUE INDEX batches_name ON batches (name);
CREATE TABLE rows (
  batch INTEGER NOT NULL,
  number INTEGER NOT NULL,
  line INTEGER NOT NULL,
  reference TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount TEXT NOT NULL,
  minor INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  key TEXT NOT NULL,
  seal BLOB NOT NULL,
  reference_mark BLOB NOT NULL,
  twin_mark BLOB NOT NULL,
  state TEXT NOT NULL,
  sent_at INTEGER,
  operation TEXT,
  code TEXT,
  detail TEXT,
  PRIMARY KEY (batch, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE bodies (
  batch INTEGER NOT NULL,
  number INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (batch, number)
) STRICT, WITHOUT ROWID;
${DECISIONS}`,
} as const;
