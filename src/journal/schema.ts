/** The tables of the journal, and the version that `PRAGMA user_version` keeps. */

export const JOURNAL_VERSION = 1;

/** Marks the file as ours (`PRAGMA application_id`: "svcj"). */
export const JOURNAL_APPLICATION_ID = 0x7376636a;

/**
 * `body` holds the exact bytes, personal data included; times are wall-clock milliseconds. A row number is never used again:
 * a process that still holds one must not mean the request that came after it.
 */
export const JOURNAL_SCHEMA = `
CREATE TABLE intents (
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  idempotency_key TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  environment TEXT NOT NULL,
  address TEXT NOT NULL,
  path TEXT NOT NULL,
  body BLOB NOT NULL,
  key_mask TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX intents_key ON intents (idempotency_key);
`;
