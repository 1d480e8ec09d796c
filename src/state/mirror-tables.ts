/** The tables of the mirrors of the feed: companies, where each was seen, and an operation a row. */
import { changed, fixed, type Tables } from './table.js';

/**
 * What an operation is, as the service tells it, and may tell it again. Times are milliseconds. What is found by its text is found by a digest of
 * it, of the id and of the folded reference; in a file that is a number. `folded` is null where the reference is its own folded form. `ends` says
 * that it was said to be confirmed and to have failed.
 */
export const MIRROR_COLUMNS = {
  id_mark: changed('mark'),
  reference_mark: changed('mark?'),
  id: changed('text'),
  direction: changed('text'),
  reference: changed('text?'),
  folded: changed('text?'),
  amount: changed('text?'),
  currency: changed('text?'),
  method: changed('text?'),
  status: changed('text'),
  code: changed('text?'),
  failure_reason: changed('text?'),
  bank_reference: changed('text?'),
  created_at: changed('bigint?'),
  confirmed_at: changed('bigint?'),
  occurred_at: changed('bigint'),
  event_id: changed('text'),
  ends: changed('text?'),
};

/**
 * `reading` is JSON, null where nothing was read, and `reading_sum` a check sum of it. `same_as` names the company that this one turned out to
 * be. In a shared state texts are as `heldText` makes them.
 */
export const COMPANY_COLUMNS = {
  company: fixed('bigint', {
    shared: ' GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    file: ' PRIMARY KEY AUTOINCREMENT',
  }),
  id: fixed('text', { shared: ' UNIQUE' }),
  environment: fixed('text'),
  same_as: changed('bigint?'),
  epoch: changed('bigint', { shared: ' DEFAULT 0' }),
  reading: changed('text?'),
  reading_sum: changed('bigint?'),
  operations: changed('bigint', { only: 'file' }),
  newest_id: changed('text?'),
  newest_at: changed('bigint?'),
};

const OF_COMPANY = ' REFERENCES svc.companies ON DELETE CASCADE';

export const MIRROR_TABLES = {
  companies: { columns: COMPANY_COLUMNS, rows: ['INSERT'] },
  places: {
    columns: {
      environment: fixed('text'),
      origin: fixed('text'),
      key_print: fixed('text'),
      company: changed('bigint', { shared: OF_COMPANY }),
    },
    key: 'environment, origin, key_print',
    rows: ['INSERT', 'DELETE'],
  },
  operations: {
    columns: { company: fixed('bigint', { shared: OF_COMPANY }), ...MIRROR_COLUMNS },
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
