import { mutable, fixed, type Tables } from '../tables/column-tables.js';

/** The key is the time in microseconds, because a sequence could repeat after a failover. */
const TIME_NUMBER_KEY = ' PRIMARY KEY DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint';
const BATCH_REFERENCE = ' REFERENCES svc.batches ON DELETE CASCADE';
const QUOTED_STATES =
  "'planned', 'intent', 'accepted', 'confirmed', 'earlier', 'failed', 'rejected', 'unavailable', 'unknown', 'needs_review'";

export const BATCH_COLUMNS = {
  batch: fixed('bigint', { shared: TIME_NUMBER_KEY, file: ' PRIMARY KEY AUTOINCREMENT' }),
  name: fixed('text', { shared: ' UNIQUE' }),
  ready: mutable('boolean', { shared: ' DEFAULT false' }),
  direction: fixed('text'),
  environment: fixed('text'),
  address: fixed('text'),
  origin: fixed('text'),
  company: mutable('text?'),
  since: fixed('bigint?'),
  profile: fixed('text?'),
  key_mask: fixed('text'),
  file: fixed('text'),
  file_hash: mutable('text', { shared: " DEFAULT ''" }),
  row_count: mutable('integer', { shared: ' DEFAULT 0' }),
  totals: mutable('text', { shared: " DEFAULT '[]'" }),
  created_at: fixed('bigint'),
  confirmed_at: mutable('bigint?'),
  confirmed_by: mutable('text?', { only: 'shared' }),
  confirmed_totals: mutable('text?'),
  plan_head: fixed('text?'),
  plan_digest: fixed('text?'),
  plan_approvals: fixed('integer?'),
  plan_signers: fixed('text?'),
  swept_at: mutable('bigint?'),
  cluster: mutable('text?', { only: 'shared' }),
  timeline: mutable('integer?', { only: 'shared' }),
  joins: mutable('bigint', { only: 'shared', shared: ' DEFAULT 0' }),
  wave: mutable('integer', { only: 'shared', shared: ' DEFAULT 0' }),
  pause_until: mutable('moment?', { only: 'shared' }),
  rate: mutable('float?', { only: 'shared' }),
  next_slot: mutable('moment?', { only: 'shared' }),
  stopped: mutable('json?', { only: 'shared' }),
};

export const ROW_COLUMNS = {
  batch: fixed('bigint', { shared: BATCH_REFERENCE }),
  number: fixed('integer'),
  line: fixed('integer'),
  reference: fixed('text'),
  currency: fixed('text'),
  amount: fixed('text'),
  minor: fixed('bigint'),
  follows: mutable('text?'),
  generation: mutable('integer'),
  key: mutable('text'),
  seal: mutable('bytes'),
  reference_mark: fixed('bytes'),
  twin_mark: fixed('bytes'),
  state: mutable('text', { shared: ` CHECK (state IN (${QUOTED_STATES}))` }),
  sent_at: mutable('bigint?'),
  sent_clocks: mutable('text?'),
  left_at: mutable('bigint?', { only: 'shared' }),
  left_seal: mutable('bytes?', { only: 'shared' }),
  operation: mutable('text?'),
  status: mutable('text?'),
  operation_at: mutable('bigint?'),
  code: mutable('text?'),
  detail: mutable('text?'),
  worker: mutable('bigint?', { only: 'shared' }),
  seq: mutable('bigint?', { only: 'shared' }),
  wave: mutable('integer', { only: 'shared', shared: ' DEFAULT -1' }),
};

export const PLAN_COLUMNS = [
  ...(['name', 'direction', 'environment', 'address', 'origin', 'company', 'since', 'profile'] as const),
  ...(['key_mask', 'file', 'created_at', 'plan_head', 'plan_digest'] as const),
  ...(['plan_approvals', 'plan_signers'] as const),
] as const;

export const SEALED_COLUMNS = [
  ...(['number', 'line', 'reference', 'currency', 'amount', 'follows', 'generation', 'key'] as const),
] as const;

export const OUTCOME_COLUMNS = ['operation', 'status', 'operation_at', 'code', 'detail'] as const;

export const PLANNED_COLUMNS = [
  ...(['batch', 'number', 'line', 'reference', 'currency', 'amount', 'minor', 'follows'] as const),
  ...(['generation', 'key', 'seal', 'reference_mark', 'twin_mark', 'state'] as const),
  ...OUTCOME_COLUMNS,
];

export const SIGNATURE_COLUMNS = ['batch', 'signature_mark', 'name', 'signature', 'signer'] as const;

export const BATCH_TABLES = {
  batches: { columns: BATCH_COLUMNS, rows: ['INSERT', 'DELETE'] },
  workers: {
    columns: {
      worker: fixed('bigint', { shared: TIME_NUMBER_KEY }),
      batch: fixed('bigint', { shared: BATCH_REFERENCE }),
      mode: fixed('text', { shared: " CHECK (mode IN ('plan', 'send', 'alone'))" }),
      name: fixed('text'),
      program: fixed('text'),
      token: fixed('text', { shared: ' UNIQUE' }),
      seq: mutable('bigint', { shared: ' DEFAULT 0' }),
      silent: mutable('integer', { shared: ' DEFAULT 0' }),
      started_at: fixed('moment', { shared: ' DEFAULT clock_timestamp()' }),
      seen_at: mutable('moment', { shared: ' DEFAULT clock_timestamp()' }),
      lease_until: mutable('moment'),
      ended_at: mutable('moment?'),
      fenced_at: mutable('moment?'),
      fenced_by: mutable('bigint?'),
    },
    rows: ['INSERT'],
    indexes: ['workers_batch ON svc.workers (batch) WHERE ended_at IS NULL'],
  },
  rows: {
    columns: ROW_COLUMNS,
    key: 'batch, number',
    rows: ['INSERT', 'DELETE'],
    storage: ' WITH (fillfactor = 80)',
    indexes: [
      "rows_open ON svc.rows (batch, number) WHERE state IN ('planned', 'intent', 'unavailable', 'unknown')",
      'rows_operation ON svc.rows (operation) WHERE operation IS NOT NULL',
      'rows_mark ON svc.rows (reference_mark)',
    ],
  },
  bodies: {
    columns: {
      batch: fixed('bigint', { shared: BATCH_REFERENCE }),
      number: fixed('integer'),
      body: fixed('hidden', { isHidden: true }),
    },
    key: 'batch, number',
    rows: ['INSERT', 'DELETE'],
  },
  decisions: {
    columns: {
      decision_id: fixed('bigint', {
        shared: ' GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
        file: ' PRIMARY KEY AUTOINCREMENT',
      }),
      batch: fixed('bigint', { shared: BATCH_REFERENCE }),
      number: fixed('integer'),
      generation: fixed('integer'),
      decision: fixed('text'),
      state: fixed('text'),
      operation: fixed('text?'),
      decided_at: fixed('bigint'),
      token: fixed('text?', { only: 'shared', shared: ' UNIQUE' }),
    },
    rows: ['INSERT'],
  },
  approvals: {
    columns: {
      batch: fixed('bigint', { shared: BATCH_REFERENCE }),
      signature_mark: fixed('bytes'),
      name: fixed('text'),
      signature: fixed('bytes'),
      signer: fixed('text?'),
    },
    key: 'batch, signature_mark',
    rows: ['INSERT'],
  },
} as const satisfies Tables;
