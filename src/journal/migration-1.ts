/** From version 1 of the journal to 2: a row for each request instead of one for each sending, with the marks that outlive its bytes. */
import type { EndpointId } from '../contract/endpoints.js';
import { canonicalOrigin } from '../contract/origin.js';
import type { MigrationDatabase } from '../runtime/database-kind.js';
import { aboutOf } from './request.js';
import { REQUESTS } from './tables.js';

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

/** Whose key it was is known by its mask alone. */
export function countSendings(db: MigrationDatabase): void {
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
