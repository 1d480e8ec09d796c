import { mutable, fixed, type Tables } from '../tables/column-tables.js';

export const MIRROR_COLUMNS = {
  id_mark: mutable('mark'),
  reference_mark: mutable('mark?'),
  id: mutable('text'),
  direction: mutable('text'),
  reference: mutable('text?'),
  folded: mutable('text?'),
  amount: mutable('text?'),
  currency: mutable('text?'),
  method: mutable('text?'),
  status: mutable('text'),
  code: mutable('text?'),
  failure_reason: mutable('text?'),
  bank_reference: mutable('text?'),
  created_at: mutable('bigint?'),
  confirmed_at: mutable('bigint?'),
  occurred_at: mutable('bigint'),
  event_id: mutable('text'),
  ends: mutable('text?'),
};

export const COMPANY_COLUMNS = {
  company: fixed('bigint', {
    shared: ' GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    file: ' PRIMARY KEY AUTOINCREMENT',
  }),
  id: fixed('text', { shared: ' UNIQUE' }),
  environment: fixed('text'),
  same_as: mutable('bigint?'),
  epoch: mutable('bigint', { shared: ' DEFAULT 0' }),
  reading: mutable('text?'),
  reading_sum: mutable('bigint?'),
  operations: mutable('bigint', { only: 'file' }),
  newest_id: mutable('text?'),
  newest_at: mutable('bigint?'),
};

const COMPANY_REFERENCE = ' REFERENCES svc.companies ON DELETE CASCADE';

export const MIRROR_TABLES = {
  companies: { columns: COMPANY_COLUMNS, rows: ['INSERT'] },
  places: {
    columns: {
      environment: fixed('text'),
      origin: fixed('text'),
      key_print: fixed('text'),
      company: mutable('bigint', { shared: COMPANY_REFERENCE }),
    },
    key: 'environment, origin, key_print',
    rows: ['INSERT', 'DELETE'],
  },
  operations: {
    columns: { company: fixed('bigint', { shared: COMPANY_REFERENCE }), ...MIRROR_COLUMNS },
    key: 'company, id_mark',
    rows: ['INSERT', 'DELETE'],
    indexes: [
      'operations_reference ON svc.operations (company, reference_mark) WHERE reference_mark IS NOT NULL',
      'operations_beginning ON svc.operations (company, left(id, 64) COLLATE "C")',
      'operations_bank ON svc.operations (company, left(lower(bank_reference COLLATE "C"), 64) COLLATE "C") WHERE bank_reference IS NOT NULL',
      'operations_time ON svc.operations (company, occurred_at)',
    ],
  },
} as const satisfies Tables;
