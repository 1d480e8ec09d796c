/** The journal: keyed requests, durable before they leave, kept until their outcome is known. */
import type { Environment } from '../contract/access.js';
import type { EndpointId } from '../contract/endpoints.js';
import { openDatabase, type Database } from '../runtime/database.js';
import { KEPT_MS, type Intent, type KeptIntent } from './intent.js';
import { JOURNAL_APPLICATION_ID, JOURNAL_SCHEMA, JOURNAL_VERSION } from './schema.js';

export interface Journal {
  /** Durable when this returns; only then may the request leave. Intents older than 30 days are cleared along the way. */
  record(intent: Intent): KeptIntent;
  /** It stays open; put back where a request with the same key and bytes that ended meanwhile took it along. */
  keep(intent: KeptIntent): void;
  /** The outcome of this very request is known. */
  settle(intent: KeptIntent): void;
  /** The outcome of these bytes with this key is known, whoever sent them. */
  settleAll(intent: Intent): void;
  /** Everything whose outcome is not known, the oldest first; or only what has this key. */
  list(idempotencyKey?: string): KeptIntent[];
  /** Removes what has this key, or everything; answers how many. */
  forget(idempotencyKey?: string): number;
  close(): void;
}

/** What the file of a journal is, for the messages about it. */
const KIND = { name: 'journal of requests', version: JOURNAL_VERSION, applicationId: JOURNAL_APPLICATION_ID };

/**
 * Opens the journal in that file; many processes may do so at once.
 * @throws DatabaseUnusable where the file can't be used: then nothing may be sent
 */
export function openJournal(file: string): Journal {
  const db = openDatabase(file, { ...KIND, schema: JOURNAL_SCHEMA });
  const remove = (rows: readonly KeptIntent[]): void =>
    db.transaction(() => {
      for (const { row } of rows) db.run('DELETE FROM intents WHERE row = ?', row);
    });
  return {
    record: (intent) => db.transaction(() => insert(db, intent)),
    keep: (intent) =>
      db.transaction(() => {
        const [there] = db.query('SELECT row FROM intents WHERE row = ?').all(intent.row);
        if (there === undefined) insert(db, intent);
      }),
    settle: (intent) => remove([intent]),
    settleAll: (intent) =>
      db.transaction(() => {
        db.run(
          'DELETE FROM intents WHERE idempotency_key = ? AND environment = ? AND address = ? AND path = ? AND body = ?',
          intent.idempotencyKey,
          intent.environment,
          intent.address,
          intent.path,
          intent.body,
        );
      }),
    list: (key) => select(db, key),
    forget: (key) =>
      db.transaction(() =>
        key === undefined
          ? db.run('DELETE FROM intents')
          : db.run('DELETE FROM intents WHERE idempotency_key = ?', key),
      ),
    close: () => db.close(),
  };
}

function insert(db: Database, intent: Intent): KeptIntent {
  db.run('DELETE FROM intents WHERE created_at < ?', intent.createdAtMs - KEPT_MS);
  const row = db.insert(
    'INSERT INTO intents (idempotency_key, endpoint, environment, address, path, body, key_mask, created_at) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    intent.idempotencyKey,
    intent.endpoint,
    intent.environment,
    intent.address,
    intent.path,
    intent.body,
    intent.keyMask,
    intent.createdAtMs,
  );
  return { ...intent, row };
}

interface Row {
  readonly row: number;
  readonly idempotency_key: string;
  readonly endpoint: string;
  readonly environment: string;
  readonly address: string;
  readonly path: string;
  readonly body: Uint8Array;
  readonly key_mask: string;
  readonly created_at: number;
}

function select(db: Database, key: string | undefined): KeptIntent[] {
  const rows =
    key === undefined
      ? db.query<Row>('SELECT * FROM intents ORDER BY row').all()
      : db.query<Row>('SELECT * FROM intents WHERE idempotency_key = ? ORDER BY row').all(key);
  return rows.map((row) => ({
    row: row.row,
    idempotencyKey: row.idempotency_key,
    endpoint: row.endpoint as EndpointId,
    environment: row.environment as Environment,
    address: row.address,
    path: row.path,
    body: row.body,
    keyMask: row.key_mask,
    createdAtMs: row.created_at,
  }));
}
