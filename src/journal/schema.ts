/** What the journal is as a database: its tables, and how the files of older versions become those of today. */
import type { EndpointId } from '../contract/endpoints.js';
import { canonicalOrigin } from '../contract/access.js';
import type { DatabaseKind, MigrationDatabase } from '../runtime/database-kind.js';
import { aboutOf } from './request.js';

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
  migrations: [{ from: 1, run: countSendings }],
} as const satisfies DatabaseKind;

interface OldIntent {
  readonly idempotency_key: string;
  readonly endpoint: string;
  readonly environment: string;
  readonly address: string;
  readonly path: string;
  readonly body: Uint8Array;
  readonly key_mask: string;
  readonly sendings: number;
  readonly left_at: number;
}

/** What svc generates when nobody names a key. */
const GENERATED = /^[0-9a-f]{32}$/;

/**
 * From version 1 to 2: a row for each request instead of one for each sending, with the marks that outlive its bytes. Whose key it was is
 * known by its mask alone.
 */
function countSendings(db: MigrationDatabase): void {
  db.exec(REQUESTS);
  const old = db
    .query<OldIntent>(
      'SELECT idempotency_key, endpoint, environment, address, path, body, min(key_mask) AS key_mask, count(*) AS sendings, ' +
        'min(created_at) AS left_at FROM intents GROUP BY idempotency_key, endpoint, environment, address, path, body ORDER BY min(row)',
    )
    .all();
  for (const intent of old) {
    const about = aboutOf(intent.endpoint as EndpointId, intent.body);
    db.run(
      'INSERT INTO requests (idempotency_key, is_own_key, endpoint, direction, environment, address, origin, path, key_mask, key_print, ' +
        "reference_mark, body_mark, twin_mark, amount, currency, body, open_sendings, is_forgotten, first_left_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', " +
        '?, ?, ?, ?, ?, ?, ?, 0, ?)',
      ...[
        intent.idempotency_key,
        Number(!GENERATED.test(intent.idempotency_key)),
        intent.endpoint,
        about.direction,
      ],
      ...[intent.environment, intent.address, canonicalOrigin(intent.address), intent.path, intent.key_mask],
      ...[about.referenceMark, about.bodyMark, about.twinMark, about.amount, about.currency],
      ...[intent.body, intent.sendings, intent.left_at],
    );
  }
  db.exec('DROP TABLE intents');
}
