/** The journal: keyed requests, durable before they leave, kept until their outcome is known. */
import type { Environment } from '../contract/access.js';
import type { EndpointId } from '../contract/endpoints.js';
import { openDatabase, type Database } from '../runtime/database.js';
import { KEPT_MS, type Intent, type KeptIntent } from './intent.js';
import { JOURNAL_APPLICATION_ID, JOURNAL_SCHEMA, JOURNAL_VERSION } from './schema.js';

/** Every method throws DatabaseUnusable where the file can't be used. */
export interface Journal {
  /** Durable when this returns; only then may the request leave. Every sending is recorded, a repetition too. */
  record(intent: Intent): KeptIntent;
  /** The outcome of this sending is not known: it stays, and is put back where another sending of the same bytes took it along. */
  keep(intent: KeptIntent): void;
  /** The outcome of this very sending is known. */
  settle(intent: KeptIntent): void;
  /** The outcome of these bytes with this key is known, whoever sent them. */
  settleAll(intent: Intent): void;
  /** Every sending whose outcome is not known, in the order in which they left; or only what has this key. */
  list(idempotencyKey?: string): KeptIntent[];
  /** Removes what left more than 30 days before this moment, in wall-clock milliseconds. */
  clear(nowMs: number): void;
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
  // What is removed is overwritten: bodies hold personal data.
  db.query('PRAGMA secure_delete = ON').get();
  return {
    record: (intent) => db.transaction(() => insert(db, intent)),
    keep: (intent) =>
      db.transaction(() => {
        const [there] = db.query('SELECT row FROM intents WHERE row = ?').all(intent.row);
        if (there === undefined) insert(db, intent);
      }),
    settle: ({ row }) => db.transaction(() => void db.run('DELETE FROM intents WHERE row = ?', row)),
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
    list: (key) => db.transaction(() => select(db, key)),
    clear: (nowMs) =>
      db.transaction(() => void db.run('DELETE FROM intents WHERE created_at < ?', nowMs - KEPT_MS)),
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
