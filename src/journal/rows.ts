/** The rows of the journal: read, inserted, opened again, and what is learnt of them; each in a transaction of the caller's. */
import type { Database } from '../runtime/database.js';
import { keptRequestOf, type RequestRecord } from './records.js';
import type { About, KeptRequest, Leaving, OpenRequest, SettledRequest } from './request.js';

/** The requests for which this condition holds. @param values bound to its parameters */
export function selectRequests(
  db: Database,
  where: string,
  ...values: (string | number | Uint8Array)[]
): KeptRequest[] {
  return db
    .query<RequestRecord>(`SELECT * FROM requests WHERE ${where}`)
    .all(...values)
    .map(keptRequestOf);
}

/** A request that leaves for the first time. */
export function insertRequest(db: Database, leaving: Leaving, about: About): KeptRequest {
  const row = db.insert(
    'INSERT INTO requests (idempotency_key, is_own_key, endpoint, direction, environment, address, origin, path, key_mask, key_print, ' +
      'reference_mark, body_mark, twin_mark, amount, currency, body, open_sendings, is_forgotten, first_left_at) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0, ?)',
    ...[
      leaving.idempotencyKey,
      Number(leaving.isOwnKey),
      leaving.endpoint,
      about.direction,
      leaving.environment,
      leaving.address,
    ],
    ...[
      leaving.origin,
      leaving.path,
      leaving.keyMask,
      leaving.keyPrint,
      about.referenceMark,
      about.bodyMark,
      about.twinMark,
    ],
    ...[about.amount, about.currency, leaving.body, Math.round(leaving.firstLeftMs)],
  );
  const { body, ...facts } = leaving;
  return { ...facts, ...about, row, state: 'open', body, settled: null };
}

/** One more sending of a request that is there; false where it is gone. */
export function reopen(
  db: Database,
  row: number,
  { keyMask, keyPrint, address, origin }: Pick<Leaving, 'keyMask' | 'keyPrint' | 'address' | 'origin'>,
  body: Uint8Array | null,
): boolean {
  const changed = db.run(
    'UPDATE requests SET open_sendings = open_sendings + 1, is_forgotten = 0, body = coalesce(body, ?), key_mask = ?, key_print = ?, ' +
      'address = ?, origin = ? WHERE row = ?',
    ...[body, keyMask, keyPrint, address, origin, row],
  );
  return changed === 1;
}

/** One more sending of an open request; the way it was where another process took it out meanwhile. */
export function reopenOrInsert(db: Database, request: OpenRequest): OpenRequest {
  if (reopen(db, request.row, request, request.body)) return request;
  return { ...insertRequest(db, request, request), state: 'open', body: request.body };
}

/** An operation in hand. */
export function settleRow(
  db: Database,
  row: number,
  { operation, status }: SettledRequest,
  firstLeftMs: number | undefined,
): void {
  db.run(
    'UPDATE requests SET open_sendings = 0, is_forgotten = 0, body = NULL, operation = ?, status = ?, ' +
      'first_left_at = coalesce(?, first_left_at) WHERE row = ?',
    ...[operation, status, rounded(firstLeftMs), row],
  );
  // A generated key without a reference can come from nowhere else again. What is pending is found by its operation until the feed tells of it.
  db.run(
    "DELETE FROM requests WHERE row = ? AND is_own_key = 0 AND reference_mark IS NULL AND status <> 'pending'",
    row,
  );
}

/** One of its sendings stays without an outcome; what settled it meanwhile has settled that one too. */
export function keep(
  db: Database,
  row: number,
  body: Uint8Array | null,
  firstLeftMs: number | undefined,
): void {
  db.run(
    'UPDATE requests SET body = coalesce(body, ?), is_forgotten = 0, first_left_at = coalesce(?, first_left_at) ' +
      'WHERE row = ? AND open_sendings > 0',
    ...[body, rounded(firstLeftMs), row],
  );
}

/** One of its sendings was not carried out; without any other, and without an operation, it was never there. */
export function withdrawRow(db: Database, row: number): void {
  db.run('UPDATE requests SET open_sendings = open_sendings - 1 WHERE row = ? AND open_sendings > 0', row);
  db.run('DELETE FROM requests WHERE row = ? AND open_sendings = 0 AND operation IS NULL', row);
  db.run('UPDATE requests SET body = NULL WHERE row = ? AND open_sendings = 0', row);
}

function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms);
}
