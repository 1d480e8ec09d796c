/** What the journal is as a database: its tables, and their version. */
import type { DatabaseKind } from '../runtime/database-kind.js';

/**
 * One row a request. `open_sendings` counts the sendings whose outcome is not known; `body` holds the exact bytes, personal data
 * included, while there is one. Times are milliseconds of the service's time. A row number is never used again: a process that still
 * holds one must not mean the request that came after it.
 */
const REQUESTS = `
CREATE TABLE requests (
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  idempotency_key TEXT NOT NULL,
  is_own_key INTEGER NOT NULL,
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
  amount TEXT,
  currency TEXT,
  body BLOB,
  open_sendings INTEGER NOT NULL,
  is_forgotten INTEGER NOT NULL,
  operation TEXT,
  status TEXT,
  first_left_at INTEGER NOT NULL
) STRICT;
CREATE INDEX requests_key ON requests (idempotency_key);
CREATE INDEX requests_body ON requests (body_mark);
CREATE INDEX requests_reference ON requests (reference_mark) WHERE reference_mark IS NOT NULL;
CREATE INDEX requests_age ON requests (first_left_at);
`;

/** What the file of a journal is. Its mark is "svcj". */
export const JOURNAL_KIND = {
  name: 'journal of requests',
  whenGone:
    'It may know of creates whose outcome is not known: look for their references in "svc events list --all".',
  version: 2,
  applicationId: 0x7376636a,
  schema: REQUESTS,
} as const satisfies DatabaseKind;
