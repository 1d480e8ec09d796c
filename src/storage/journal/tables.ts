import { mutable, fixed, type Tables, fileTable } from '../tables/column-tables.js';
import type { DatabaseKind } from '../../runtime/database-file.js';

/** `AUTOINCREMENT` never reuses a row number, because a process may still hold the old one. */
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
  address: mutable('text'),
  origin: mutable('text'),
  path: fixed('text'),
  key_mask: mutable('text'),
  key_print: mutable('text'),
  reference_mark: fixed('bytes?'),
  body_mark: fixed('bytes'),
  twin_mark: fixed('bytes'),
  metadata_mark: fixed('bytes'),
  amount: fixed('text?'),
  currency: fixed('text?'),
  account_tail: fixed('text?'),
  body: mutable('bytes?', { isHidden: true }),
  recorded_at: fixed('bigint'),
  owners: mutable('json'),
  open_sendings: mutable('integer', { only: 'file' }),
  sendings: mutable('json', { only: 'shared' }),
  is_forgotten: mutable('boolean', { shared: ' DEFAULT false' }),
  forgotten_by: mutable('text?', { only: 'shared' }),
  may_not_repeat: mutable('boolean', { shared: ' DEFAULT false' }),
  operation: mutable('text?'),
  status: mutable('text?'),
  operation_created_at: mutable('bigint?'),
  left_at: mutable('bigint?', { only: 'shared' }),
  left_service_at: mutable('bigint?'),
  left_wall_at: mutable('bigint?'),
  left_boot: mutable('text?'),
  left_boot_at: mutable('bigint?'),
};

export const RECORDED_COLUMNS = [
  ...(['idempotency_key', 'is_own_key', 'follows', 'generation', 'since', 'endpoint', 'direction'] as const),
  ...(['environment', 'address', 'origin', 'path', 'key_mask', 'key_print', 'reference_mark'] as const),
  ...(['body_mark', 'twin_mark', 'metadata_mark', 'amount', 'currency', 'account_tail', 'body'] as const),
];

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
      boot_at: mutable('bigint'),
      service_at: mutable('bigint'),
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
      body: mutable('bytes', { isHidden: true }),
      noted_at: mutable('bigint'),
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
