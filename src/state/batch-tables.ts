/** The tables of batches, for the file of one machine and for the database that machines share. */
import { changed, fixed, type Tables } from './table.js';

/**
 * The number of a batch or a worker: the moment at which it came, in microseconds. A sequence is forgotten with everything else where another
 * server takes over, and gives a number a second time: two workers that are alive would be one, and the word of either count for both.
 */
const NUMBER = ' PRIMARY KEY DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint';
const OF_BATCH = ' REFERENCES svc.batches ON DELETE CASCADE';
const STATES =
  "'planned', 'intent', 'accepted', 'confirmed', 'earlier', 'failed', 'rejected', 'unavailable', 'unknown', 'needs_review'";

/**
 * `plan_head` is the first line of the plan file that it was applied from, `plan_digest` the SHA-256 of that file, `plan_approvals` and
 * `plan_signers` what the command line asked of it. `totals` holds JSON, with minor units as text. `since` is in milliseconds of the service's time. `cluster` and `timeline` are of the server on
 * which nothing of a batch was in doubt. `joins` lets one that joins see that nobody did meanwhile, `wave` grows with every run that finds
 * nobody at work, or clears a stop: each row has one turn in a wave, on any worker. `rate` is of all who send, and `next_slot` the moment of
 * it that nobody has.
 */
export const BATCH_COLUMNS = {
  batch: fixed('bigint', { shared: NUMBER, file: ' PRIMARY KEY AUTOINCREMENT' }),
  name: fixed('text', { shared: ' UNIQUE' }),
  ready: changed('boolean', { shared: ' DEFAULT false' }),
  direction: fixed('text'),
  environment: fixed('text'),
  address: fixed('text'),
  origin: fixed('text'),
  company: changed('text?'),
  since: fixed('bigint?'),
  profile: fixed('text?'),
  key_mask: fixed('text'),
  file: fixed('text'),
  file_hash: changed('text', { shared: " DEFAULT ''" }),
  row_count: changed('integer', { shared: ' DEFAULT 0' }),
  totals: changed('text', { shared: " DEFAULT '[]'" }),
  created_at: fixed('bigint'),
  confirmed_at: changed('bigint?'),
  confirmed_by: changed('text?', { only: 'shared' }),
  confirmed_totals: changed('text?'),
  plan_head: fixed('text?'),
  plan_digest: fixed('text?'),
  plan_approvals: fixed('integer?'),
  plan_signers: fixed('text?'),
  swept_at: changed('bigint?'),
  cluster: changed('text?', { only: 'shared' }),
  timeline: changed('integer?', { only: 'shared' }),
  joins: changed('bigint', { only: 'shared', shared: ' DEFAULT 0' }),
  wave: changed('integer', { only: 'shared', shared: ' DEFAULT 0' }),
  pause_until: changed('moment?', { only: 'shared' }),
  rate: changed('float?', { only: 'shared' }),
  next_slot: changed('moment?', { only: 'shared' }),
  stopped: changed('json?', { only: 'shared' }),
};

/**
 * `minor` has at most 18 digits. States are words: a flipped bit makes none of them out of another. `sent_at` and `operation_at` are milliseconds
 * of the service's time, `sent_clocks` is `sent_at` by the clocks of the machine, and counts where that is set. `left_at` is the same by the clock
 * of the database, and `left_seal` shows under the key of the state that `sent_at` and `sent_clocks` are what was written.
 */
export const ROW_COLUMNS = {
  batch: fixed('bigint', { shared: OF_BATCH }),
  number: fixed('integer'),
  line: fixed('integer'),
  reference: fixed('text'),
  currency: fixed('text'),
  amount: fixed('text'),
  minor: fixed('bigint'),
  follows: changed('text?'),
  generation: changed('integer'),
  key: changed('text'),
  seal: changed('bytes'),
  reference_mark: fixed('bytes'),
  twin_mark: fixed('bytes'),
  state: changed('text', { shared: ` CHECK (state IN (${STATES}))` }),
  sent_at: changed('bigint?'),
  sent_clocks: changed('text?'),
  left_at: changed('bigint?', { only: 'shared' }),
  left_seal: changed('bytes?', { only: 'shared' }),
  operation: changed('text?'),
  status: changed('text?'),
  operation_at: changed('bigint?'),
  code: changed('text?'),
  detail: changed('text?'),
  worker: changed('bigint?', { only: 'shared' }),
  seq: changed('bigint?', { only: 'shared' }),
  wave: changed('integer', { only: 'shared', shared: ' DEFAULT -1' }),
};

/** What is written of a batch when its plan begins, in its order. */
export const BEGUN = [
  ...(['name', 'direction', 'environment', 'address', 'origin', 'company', 'since', 'profile'] as const),
  ...([
    'key_mask',
    'file',
    'created_at',
    'plan_head',
    'plan_digest',
    'plan_approvals',
    'plan_signers',
  ] as const),
] as const;

/** What of a row must not change between the plan and the sending, beside its body; and what is said of it when it leaves. */
export const LEAVING = [
  ...(['number', 'line', 'reference', 'currency', 'amount', 'follows', 'generation', 'key'] as const),
] as const;

/** Where a row stands, and why. */
export const OUTCOME = ['operation', 'status', 'operation_at', 'code', 'detail'] as const;

/** What is written of a row when it is planned, in its order. */
export const PLANNED = [
  ...(['batch', 'number', 'line', 'reference', 'currency', 'amount', 'minor', 'follows'] as const),
  ...(['generation', 'key', 'seal', 'reference_mark', 'twin_mark', 'state', ...OUTCOME] as const),
];

/** What is written of a signature, in its order. */
export const SIGNED = ['batch', 'signature_mark', 'name', 'signature', 'signer'] as const;

/**
 * Bodies have a table of their own, so that counting reads only what it needs. A row of `workers` is one worker of a batch; its number is never
 * used again. `seq` is the number of its last exchange: it shows whether an exchange with a lost answer was committed. `silent` counts
 * consecutive rows without a definite answer. `decisions` are the decisions of people about rows. `approvals` are the signatures of plan files, each
 * with the SHA-256 of its bytes.
 */
export const BATCH_TABLES = {
  batches: { columns: BATCH_COLUMNS, rows: ['INSERT', 'DELETE'] },
  workers: {
    columns: {
      worker: fixed('bigint', { shared: NUMBER }),
      batch: fixed('bigint', { shared: OF_BATCH }),
      mode: fixed('text', { shared: " CHECK (mode IN ('plan', 'send', 'alone'))" }),
      name: fixed('text'),
      program: fixed('text'),
      token: fixed('text', { shared: ' UNIQUE' }),
      seq: changed('bigint', { shared: ' DEFAULT 0' }),
      silent: changed('integer', { shared: ' DEFAULT 0' }),
      started_at: fixed('moment', { shared: ' DEFAULT clock_timestamp()' }),
      seen_at: changed('moment', { shared: ' DEFAULT clock_timestamp()' }),
      lease_until: changed('moment'),
      ended_at: changed('moment?'),
      fenced_at: changed('moment?'),
      fenced_by: changed('bigint?'),
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
      batch: fixed('bigint', { shared: OF_BATCH }),
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
      batch: fixed('bigint', { shared: OF_BATCH }),
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
      batch: fixed('bigint', { shared: OF_BATCH }),
      signature_mark: fixed('bytes'),
      name: fixed('text'),
      signature: fixed('bytes'),
      signer: fixed('text?'),
    },
    key: 'batch, signature_mark',
    rows: ['INSERT'],
  },
} as const satisfies Tables;
