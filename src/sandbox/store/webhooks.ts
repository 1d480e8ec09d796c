/** Registered urls and their secrets: one active url a company, the one before it for the rotation (section 6). */
import type { Database } from '../../runtime/database.js';

export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  readonly created_at: string;
}

export interface Webhooks {
  /** Makes this the company's active url; the one before is replaced at that moment. */
  register(company: number, endpoint: WebhookEndpoint, nowMs: number): void;
  active(company: number): WebhookEndpoint | undefined;
  /** The secret that the active one replaced, where that happened after `sinceMs`. */
  previousSecret(company: number, sinceMs: number): string | undefined;
}

/** @param db the database in a transaction */
export function webhooksIn(db: Database): Webhooks {
  return {
    register(company, { id, url, secret, created_at: createdIso }, nowMs) {
      db.run(
        'UPDATE webhook_endpoints SET replaced_at = ? WHERE company = ? AND replaced_at IS NULL',
        nowMs,
        company,
      );
      db.run(
        'INSERT INTO webhook_endpoints (id, company, url, secret, created_iso) VALUES (?, ?, ?, ?, ?)',
        id,
        company,
        url,
        secret,
        createdIso,
      );
    },
    active: (company) =>
      db
        .query<WebhookEndpoint>(
          'SELECT id, url, secret, created_iso AS created_at FROM webhook_endpoints WHERE company = ? AND replaced_at IS NULL',
        )
        .get(company),
    previousSecret: (company, sinceMs) =>
      db
        .query<{ secret: string }>(
          'SELECT secret FROM webhook_endpoints WHERE company = ? AND replaced_at > ? ORDER BY row DESC LIMIT 1',
        )
        .get(company, sinceMs)?.secret,
  };
}
