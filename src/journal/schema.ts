/** The journal as a file of SQLite: tables and version. */
import type { DatabaseKind } from '../runtime/database-kind.js';
import { JOURNAL_TABLES } from '../state/journal-tables.js';
import { fileTable } from '../state/table.js';

const INDEXES = `
CREATE INDEX requests_key ON requests (idempotency_key);
CREATE INDEX requests_reference ON requests (reference_mark) WHERE reference_mark IS NOT NULL;
CREATE INDEX requests_twin ON requests (twin_mark) WHERE reference_mark IS NULL;
CREATE INDEX requests_operation ON requests (lower(operation)) WHERE operation IS NOT NULL;
CREATE INDEX requests_nameless ON requests (row) WHERE reference_mark IS NULL AND is_own_key = 0;
CREATE INDEX requests_body ON requests (row) WHERE body IS NOT NULL;
CREATE INDEX requests_age ON requests (coalesce(operation_created_at, left_service_at, left_wall_at)) WHERE open_sendings = 0;
`;

export const JOURNAL_KIND = {
  name: 'journal of requests',
  whenGone: 'It may hold requests without an answer: look for their references in "svc events list --all".',
  version: 3,
  /** "svcj". */
  applicationId: 0x7376636a,
  get schema(): string {
    const { requests, times } = JOURNAL_TABLES;
    return fileTable('requests', requests) + INDEXES + fileTable('times', times, ' STRICT, WITHOUT ROWID');
  },
} as const satisfies DatabaseKind;
