/** The columns of the tables that a feed is written into, in their order: what is promised to their readers. */
import type { NumberedEvent } from './batch.js';
import type { OperationRow } from './rows.js';

/** Those of `svc_events`, and what each holds in PostgreSQL. */
export const EVENT_COLUMNS = {
  number: 'bigint',
  id: 'text',
  type: 'text',
  occurred_at: 'timestamptz',
  operation: 'text',
  raw: 'jsonb',
  raw_bytes: 'bytea',
} as const satisfies Readonly<Record<keyof NumberedEvent, string>>;

/** Those of `svc_operations`. */
export const OPERATION_COLUMNS = {
  id: 'text',
  direction: 'text',
  status: 'text',
  failure_code: 'text',
  failure_reason: 'text',
  amount: 'numeric',
  currency: 'text',
  country: 'text',
  method: 'text',
  reference: 'text',
  bank_reference: 'text',
  created_at: 'timestamptz',
  confirmed_at: 'timestamptz',
  occurred_at: 'timestamptz',
  event: 'text',
} as const satisfies Readonly<Record<Exclude<keyof OperationRow, 'eventId' | 'occurredAtMs'>, string>>;

/** What follows the type of a column, where something does. */
const MORE: Readonly<Record<string, string>> = {
  'svc_events.number': ' PRIMARY KEY',
  'svc_events.id': ' NOT NULL UNIQUE',
  'svc_operations.id': ' PRIMARY KEY',
  'svc_operations.direction': ' NOT NULL',
  'svc_operations.status': ' NOT NULL',
  'svc_operations.occurred_at': ' NOT NULL',
  'svc_operations.event': ' NOT NULL',
};

/** The lines of a table. @param typeOf what a column is in that database */
export function columnLines(
  table: 'svc_events' | 'svc_operations',
  typeOf: (type: string, name: string) => string,
): string {
  const columns = table === 'svc_events' ? EVENT_COLUMNS : OPERATION_COLUMNS;
  const lines = Object.entries(columns).map(
    ([name, type]) => `  ${name} ${typeOf(type, name)}${MORE[`${table}.${name}`] ?? ''}`,
  );
  return lines.join(',\n');
}
