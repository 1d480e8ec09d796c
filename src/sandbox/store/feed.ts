/** The tables of events, which are never changed, and of webhook URLs (contract section 6). */
import type { EventType } from '../../contract/events.js';
import { LIMITS } from '../../contract/limits.js';
import type { SqlValue } from '../../runtime/database-file.js';
import type { Database } from '../../runtime/database.js';
import type { StoredCompany } from './companies.js';
import { insertInto } from './rows.js';

export const feedIn = (db: Database) => ({
  /** The operation must be final, because events show its current JSON. */
  append: (company: number, id: string, type: EventType, occurredIso: string, operation: number) =>
    insertInto(db, 'events', { company, id, type, occurred_iso: occurredIso, operation }),
  after: (company: StoredCompany, sequence: number, limit: number) =>
    db
      .query<{ sequence: number; id: string; type: string; occurred_iso: string; json: string }>(
        `SELECT sequence, events.id AS id, type, occurred_iso, json
         FROM events JOIN operations ON operations.row = events.operation
         WHERE events.company = ? AND sequence > ? ORDER BY sequence LIMIT ?`,
      )
      .all(company.id, sequence, limit)
      .map((row) => ({
        position: row.sequence,
        json: eventJson(row.id, row.type, row.occurred_iso, row.json),
      })),
});

/** No argument needs escaping, and `data` is JSON. */
export const eventJson = (id: string, type: string, occurredIso: string, data: string): string =>
  `{"id":"${id}","type":"${type}","occurred_at":"${occurredIso}","data":${data}}`;

type WebhookEndpoint = Readonly<Record<'id' | 'url' | 'secret' | 'created_at', string>>;

export interface RegisteredUrl extends WebhookEndpoint {
  readonly replaced_at: number | null;
}

export const PREVIOUS_SECRET_MS = LIMITS.previousSecretHours * 3_600_000;

export function webhooksIn(db: Database) {
  const select = (rest: string, ...values: SqlValue[]): RegisteredUrl[] =>
    db
      .query<RegisteredUrl>(
        `SELECT id, url, secret, created_iso AS created_at, replaced_at FROM webhook_endpoints WHERE company = ? ${rest}`,
      )
      .all(...values);
  return {
    register(company: number, endpoint: WebhookEndpoint, nowMs: number): void {
      const { id, url, secret, created_at: createdIso } = endpoint;
      db.run(
        'UPDATE webhook_endpoints SET replaced_at = ? WHERE company = ? AND replaced_at IS NULL',
        nowMs,
        company,
      );
      insertInto(db, 'webhook_endpoints', { id, company, url, secret, created_iso: createdIso });
    },
    active: (company: number): WebhookEndpoint | undefined => select('AND replaced_at IS NULL', company)[0],
    all: (company: number) => select('ORDER BY row', company),
    previousSecret: (company: number, sinceMs: number) =>
      select('AND replaced_at > ? ORDER BY row DESC LIMIT 1', company, sinceMs)[0]?.secret,
  };
}
