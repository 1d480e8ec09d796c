/** The value of `PRAGMA user_version`. Increase it with every change that an older program cannot read. */
export const SANDBOX_VERSION = 5;

export const APPLICATION_ID = 0x73766373;

/** Money is text in minor units; times are sandbox milliseconds, except `wall_at` and columns ending in `_iso`. */
export const SCHEMA = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE companies (
  id INTEGER PRIMARY KEY, environment TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (environment, name)
) STRICT;

CREATE TABLE keys (
  key TEXT PRIMARY KEY, company INTEGER NOT NULL, scopes TEXT NOT NULL,
  created_by TEXT NOT NULL DEFAULT 'company'
) STRICT, WITHOUT ROWID;

CREATE TABLE operations (
  row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, company INTEGER NOT NULL, json TEXT NOT NULL,
  metadata TEXT NOT NULL, hidden TEXT NOT NULL, due_at INTEGER, awaits TEXT, status TEXT, reference TEXT
) STRICT;
CREATE INDEX operations_due ON operations (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX operations_awaiting ON operations (awaits) WHERE awaits IS NOT NULL;
CREATE INDEX operations_status ON operations (status);
CREATE INDEX operations_reference ON operations (reference) WHERE reference IS NOT NULL;

CREATE TABLE balances (
  company INTEGER NOT NULL, currency TEXT NOT NULL, available TEXT NOT NULL, reserved TEXT NOT NULL,
  PRIMARY KEY (company, currency)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger (
  row INTEGER PRIMARY KEY, company INTEGER NOT NULL, operation INTEGER NOT NULL, kind TEXT NOT NULL,
  currency TEXT NOT NULL, minor TEXT NOT NULL
) STRICT;

CREATE TABLE events (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, company INTEGER NOT NULL, id TEXT NOT NULL,
  type TEXT NOT NULL, occurred_iso TEXT NOT NULL, operation INTEGER NOT NULL
) STRICT;
CREATE INDEX events_of_company ON events (company, sequence);
CREATE INDEX events_of_operation ON events (operation);

CREATE TABLE idempotency (
  company INTEGER NOT NULL, key TEXT NOT NULL, fingerprint BLOB NOT NULL, operation INTEGER,
  expires_at INTEGER NOT NULL, PRIMARY KEY (company, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook_endpoints (
  row INTEGER PRIMARY KEY, id TEXT NOT NULL, company INTEGER NOT NULL, url TEXT NOT NULL,
  secret TEXT NOT NULL, created_iso TEXT NOT NULL, replaced_at INTEGER
) STRICT;
CREATE INDEX webhook_endpoints_of_company ON webhook_endpoints (company, row);

CREATE TABLE deliveries (
  row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, company INTEGER NOT NULL, event_id TEXT NOT NULL,
  type TEXT NOT NULL, body TEXT NOT NULL, url TEXT NOT NULL, status TEXT NOT NULL, attempts TEXT NOT NULL,
  wait INTEGER NOT NULL, next_attempt_at INTEGER, fault TEXT, behind TEXT
) STRICT;
CREATE INDEX deliveries_of_event ON deliveries (event_id);
CREATE INDEX deliveries_owed ON deliveries (company, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX deliveries_reordered ON deliveries (company) WHERE fault = 'reorder';

CREATE TABLE faults (
  row INTEGER PRIMARY KEY, route TEXT, fault TEXT NOT NULL, remaining INTEGER NOT NULL,
  skip INTEGER NOT NULL DEFAULT 0, match TEXT, until INTEGER
) STRICT;

CREATE TABLE requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, wall_at INTEGER NOT NULL, method TEXT NOT NULL,
  path TEXT NOT NULL, endpoint TEXT, company TEXT, status INTEGER, ms REAL NOT NULL, idempotency_key TEXT,
  replayed INTEGER NOT NULL, fault TEXT, refused TEXT, operation TEXT, request TEXT NOT NULL,
  answer TEXT NOT NULL
) STRICT;
CREATE INDEX requests_of_operation ON requests (operation) WHERE operation IS NOT NULL;
`;
