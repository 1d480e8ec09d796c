/** The tables of single creates: one row a request, in the file of one machine or in the database that machines share; and that file's kind. */
import { changed, fixed, type Tables, fileTable } from './table.js';
import type { DatabaseKind } from '../runtime/database-file.js';

/**
 * What has no `left_at` (in a file no `left_wall_at`) was recorded and never left: `owners` are those who are about to let it leave. In a file they
 * are processes; in a shared state they are known by their tokens, with the time until when it may leave. `open_sendings` counts the sendings
 * whose outcome is not known; `sendings` are the same with who sends, and until when it may be answered. What left and has none, and no
 * operation, was never there. `body` holds the exact bytes, personal data included, while it is open. `left_...` is when it first left, by each
 * clock: `left_at` by that of the database, `left_service_at` by the service's, the others by those of the machine that sent it first.
 * `recorded_at` is of the machine's clock, or of the database's. The number of a row is never used again: a process that still holds one must
 * not mean the request that came after it.
 */
export const REQUEST_COLUMNS = {
  row: fixed('bigint', { only: 'file', file: ' PRIMARY KEY AUTOINCREMENT' }),
  request: fixed('bigint', { only: 'shared', shared: ' PRIMARY KEY' }),
  token: fixed('text', { only: 'shared', shared: ' UNIQUE' }),
  idempotency_key: fixed('text'),
  is_own_key: fixed('boolean'),
  follows: fixed('text?'),
  generation: fixed('integer?'),
  since: fixed('bigint?'),
  endpoint: fixed('text'),
  direction: fixed('text'),
  environment: fixed('text'),
  address: changed('text'),
  origin: changed('text'),
  path: fixed('text'),
  key_mask: changed('text'),
  key_print: changed('text'),
  reference_mark: fixed('bytes?'),
  body_mark: fixed('bytes'),
  twin_mark: fixed('bytes'),
  metadata_mark: fixed('bytes'),
  amount: fixed('text?'),
  currency: fixed('text?'),
  account_tail: fixed('text?'),
  body: changed('bytes?', { isHidden: true }),
  recorded_at: fixed('bigint'),
  owners: changed('json'),
  open_sendings: changed('integer', { only: 'file' }),
  sendings: changed('json', { only: 'shared' }),
  is_forgotten: changed('boolean', { shared: ' DEFAULT false' }),
  forgotten_by: changed('text?', { only: 'shared' }),
  may_not_repeat: changed('boolean', { shared: ' DEFAULT false' }),
  operation: changed('text?'),
  status: changed('text?'),
  operation_created_at: changed('bigint?'),
  left_at: changed('bigint?', { only: 'shared' }),
  left_service_at: changed('bigint?'),
  left_wall_at: changed('bigint?'),
  left_boot: changed('text?'),
  left_boot_at: changed('bigint?'),
};

/** What a request is from the moment that it is put into the journal, in the order in which it is written. */
export const RECORDED_COLUMNS = [
  ...(['idempotency_key', 'is_own_key', 'follows', 'generation', 'since', 'endpoint', 'direction'] as const),
  ...(['environment', 'address', 'origin', 'path', 'key_mask', 'key_print', 'reference_mark'] as const),
  ...(['body_mark', 'twin_mark', 'metadata_mark', 'amount', 'currency', 'account_tail', 'body'] as const),
];

/**
 * `times` is the newest service time that was believed in a boot of a machine. \`key_notes\` is what is known of keys beside the requests under
 * them (`KeyNote`).
 */
export const JOURNAL_TABLES = {
  requests: {
    columns: REQUEST_COLUMNS,
    rows: ['INSERT', 'DELETE'],
    indexes: [
      'requests_key ON svc.requests (idempotency_key)',
      'requests_reference ON svc.requests (reference_mark) WHERE reference_mark IS NOT NULL',
      'requests_twin ON svc.requests (twin_mark) WHERE reference_mark IS NULL',
      'requests_operation ON svc.requests (lower(operation)) WHERE operation IS NOT NULL',
      'requests_nameless ON svc.requests (request) WHERE reference_mark IS NULL AND NOT is_own_key',
      'requests_body ON svc.requests (request) WHERE body IS NOT NULL',
      "requests_age ON svc.requests (coalesce(operation_created_at, left_service_at, left_wall_at)) WHERE sendings = '{}'",
    ],
  },
  times: {
    columns: {
      environment: fixed('text'),
      origin: fixed('text'),
      boot: fixed('text'),
      boot_at: changed('bigint'),
      service_at: changed('bigint'),
    },
    key: 'environment, origin, boot',
    rows: ['INSERT', 'DELETE'],
  },
  key_notes: {
    columns: {
      idempotency_key: fixed('text'),
      environment: fixed('text'),
      origin: fixed('text'),
      key_print: fixed('text'),
      kind: fixed('text'),
      body_mark: fixed('bytes'),
      body: changed('bytes', { isHidden: true }),
      noted_at: changed('bigint'),
    },
    key: 'idempotency_key, environment, key_print, kind, body_mark',
    rows: ['INSERT', 'DELETE'],
  },
} as const satisfies Tables;

const FILE_INDEXES = `
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
  version: 5,
  /** "svcj". */
  applicationId: 0x7376636a,
  get schema(): string {
    const { requests, times, key_notes } = JOURNAL_TABLES;
    return (
      fileTable('requests', requests) +
      FILE_INDEXES +
      fileTable('times', times, ' STRICT, WITHOUT ROWID') +
      fileTable('key_notes', key_notes, ' STRICT, WITHOUT ROWID')
    );
  },
} as const satisfies DatabaseKind;
