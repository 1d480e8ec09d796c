/** The tables of the store of batches, as SQL. */

/** What people decided about rows. */
export const DECISIONS = `
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

/**
 * The references of all batches, sorted: written in one go when a plan ends, because a million insertions in the order of a file would each
 * touch another page. `changes` counts what other batches have to look at again.
 */
export const BOOK = `
CREATE TABLE known_references (
  mark BLOB NOT NULL,
  batch INTEGER NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (mark, batch, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE changes (one INTEGER PRIMARY KEY CHECK (one = 1), count INTEGER NOT NULL) STRICT;
INSERT INTO changes (one, count) VALUES (1, 0);
`;

/**
 * Bodies stand apart, so that counting reads only what it needs. States are words: a flipped bit makes none of them out of another.
 * `minor` is an integer of at most 18 digits; `totals` holds JSON, with minor units as text. `sent_at`, `operation_at` and `since` are
 * milliseconds of the service's time; `sent_clocks` is `sent_at` by the clocks of this machine, and counts where that is set.
 */
export const BATCHES = `
CREATE TABLE batches (
  batch INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  ready INTEGER NOT NULL,
  direction TEXT NOT NULL,
  environment TEXT NOT NULL,
  address TEXT NOT NULL,
  origin TEXT NOT NULL,
  company TEXT,
  since INTEGER,
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
`;

export const ROWS_TABLE = `
CREATE TABLE rows (
  batch INTEGER NOT NULL,
  number INTEGER NOT NULL,
  line INTEGER NOT NULL,
  reference TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount TEXT NOT NULL,
  minor INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  key TEXT NOT NULL,
  seal BLOB NOT NULL,
  reference_mark BLOB NOT NULL,
  twin_mark BLOB NOT NULL,
  state TEXT NOT NULL,
  sent_at INTEGER,
  sent_clocks TEXT,
  operation TEXT,
  status TEXT,
  operation_at INTEGER,
  code TEXT,
  detail TEXT,
  PRIMARY KEY (batch, number)
) STRICT, WITHOUT ROWID;
`;

export const BODIES = `
CREATE TABLE bodies (
  batch INTEGER NOT NULL,
  number INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (batch, number)
) STRICT, WITHOUT ROWID;
`;
