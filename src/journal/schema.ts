/** What the journal is as a database: its tables, and their version. */
import type { DatabaseKind } from '../runtime/database-kind.js';

/**
 * One row a request. One that has no `left_wall_at` was recorded and never left: `owners` are the processes that are about to let it leave, as
 * JSON. `open_sendings` counts the sendings whose outcome is not known; `body` holds the exact bytes, personal data included, while there is
 * one. `left_...` is when it first left, by each clock; `recorded_at` is of this machine's. A row number is never used again: a process that
 * still holds one must not mean the request that came after it.
 * `times` is the newest service time that was believed here, and when that was in a boot.
 */
const TABLES = `
CREATE TABLE requests (
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  idempotency_key TEXT NOT NULL,
  is_own_key INTEGER NOT NULL,
  series TEXT,
  generation INTEGER,
  endpoint TEXT NOT NULL,
  direction TEXT NOT NULL,
  environment TEXT NOT NULL,
  address TEXT NOT NULL,
  origin TEXT NOT NULL,
  path TEXT NOT NULL,
  key_mask TEXT NOT NULL,
  key_print TEXT NOT NULL,
  reference_mark BLOB,
  body_mark BLOB NOT NULL,
  twin_mark BLOB NOT NULL,
  metadata_mark BLOB NOT NULL,
  amount TEXT,
  currency TEXT,
  account_tail TEXT,
  body BLOB,
  recorded_at INTEGER NOT NULL,
  owners TEXT NOT NULL,
  open_sendings INTEGER NOT NULL,
  is_forgotten INTEGER NOT NULL,
  may_not_repeat INTEGER NOT NULL,
  operation TEXT,
  status TEXT,
  operation_created_at INTEGER,
  left_service_at INTEGER,
  left_wall_at INTEGER,
  left_boot TEXT,
  left_boot_at INTEGER
) STRICT;
CREATE INDEX requests_key ON requests (idempotency_key);
CREATE INDEX requests_reference ON requests (reference_mark) WHERE reference_mark IS NOT NULL;
CREATE INDEX requests_twin ON requests (twin_mark) WHERE reference_mark IS NULL;
CREATE INDEX requests_operation ON requests (lower(operation)) WHERE operation IS NOT NULL;
CREATE INDEX requests_nameless ON requests (row) WHERE reference_mark IS NULL AND is_own_key = 0;
CREATE INDEX requests_body ON requests (row) WHERE body IS NOT NULL;
CREATE INDEX requests_age ON requests (coalesce(operation_created_at, left_service_at, left_wall_at)) WHERE open_sendings = 0;
CREATE TABLE times (
  environment TEXT NOT NULL,
  origin TEXT NOT NULL,
  boot TEXT NOT NULL,
  boot_at INTEGER NOT NULL,
  service_at INTEGER NOT NULL,
  PRIMARY KEY (environment, origin, boot)
) STRICT, WITHOUT ROWID;
`;

/** What the file of a journal is. Its mark is "svcj". */
export const JOURNAL_KIND = {
  name: 'journal of requests',
  whenGone: 'It may hold requests without an answer: look for their references in "svc events list --all".',
  version: 3,
  applicationId: 0x7376636a,
  schema: TABLES,
} as const satisfies DatabaseKind;
