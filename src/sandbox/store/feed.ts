/** The feed of events: in order, a company's own, never rewritten. */
import type { EventType } from '../../contract/events.js';
import type { StoredCompany } from './companies.js';
import type { Database } from '../../runtime/database.js';

export interface FedEvent {
  readonly sequence: number;
  /** The event as JSON, as it is delivered and listed. */
  readonly json: string;
}

export interface Feed {
  /** Appends an event about the operation of that row, which is final and will not change any more. */
  append(event: NewEvent): void;
  /** The events after `sequence`, oldest first. */
  after(company: StoredCompany, sequence: number, limit: number): FedEvent[];
}

export interface NewEvent {
  readonly id: string;
  readonly company: number;
  readonly type: EventType;
  readonly occurredIso: string;
  readonly operation: number;
}

interface Row {
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly occurred_iso: string;
  readonly json: string;
}

/** @param db the database in a transaction */
export function feedIn(db: Database): Feed {
  return {
    append: ({ id, company, type, occurredIso, operation }) => {
      db.run(
        'INSERT INTO events (company, id, type, occurred_iso, operation) VALUES (?, ?, ?, ?, ?)',
        company,
        id,
        type,
        occurredIso,
        operation,
      );
    },
    after: (company, sequence, limit) =>
      db
        .query<Row>(
          `SELECT sequence, events.id AS id, type, occurred_iso, json
           FROM events JOIN operations ON operations.row = events.operation
           WHERE events.company = ? AND sequence > ? ORDER BY sequence LIMIT ?`,
        )
        .all(company.id, sequence, limit)
        .map((row) => ({
          sequence: row.sequence,
          json: eventJson(row.id, row.type, row.occurred_iso, row.json),
        })),
  };
}

/** An event as JSON (section 6); none of the texts needs escaping, `data` is JSON already. */
export function eventJson(id: string, type: string, occurredIso: string, data: string): string {
  return `{"id":"${id}","type":"${type}","occurred_at":"${occurredIso}","data":${data}}`;
}
