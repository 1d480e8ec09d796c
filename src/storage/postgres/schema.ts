import { BATCH_TABLES } from '../batches/tables.js';
import { JOURNAL_TABLES } from '../journal/tables.js';
import { MIRROR_TABLES } from '../mirror/tables.js';
import { mutable, columnsIn, fixed, sharedTables, type Tables } from '../tables/column-tables.js';

export const SCHEMA_VERSION = 5;

const SINGLE_ROW_KEY = ' PRIMARY KEY DEFAULT true CHECK (one)';
const RANDOM_SALT = " DEFAULT sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'))";

export const STATE_TABLES: Tables = {
  meta: {
    columns: {
      one: fixed('boolean', { shared: SINGLE_ROW_KEY }),
      version: fixed('integer'),
      least_writer: fixed('integer'),
      least_reader: fixed('integer'),
      environment: fixed('text', { shared: " CHECK (environment IN ('live', 'sandbox'))" }),
      key_check: fixed('bytes?'),
      key_salt: fixed('bytes', { shared: RANDOM_SALT }),
    },
    rows: [],
  },
  changes: {
    columns: {
      one: fixed('boolean', { shared: SINGLE_ROW_KEY }),
      count: mutable('bigint'),
      requests: mutable('bigint', { shared: ' DEFAULT 0' }),
      last: mutable('text?'),
      cluster: mutable('text?'),
      timeline: mutable('integer?'),
      taken_over_at: mutable('bigint?'),
    },
    rows: [],
  },
  ...BATCH_TABLES,
  ...MIRROR_TABLES,
  ...JOURNAL_TABLES,
  checkpoints: {
    columns: {
      checkpoint: fixed('text', { shared: ' PRIMARY KEY' }),
      environment: mutable('text'),
      address: mutable('text'),
      key_mask: mutable('text'),
      sequence: mutable('bigint'),
      content: mutable('text'),
      holder: mutable('text?'),
      name: mutable('text'),
      lease_until: mutable('moment'),
    },
    rows: ['INSERT', 'DELETE'],
  },
};

export const TABLES = sharedTables(STATE_TABLES);

export function columnsFor(name: string) {
  const { columns = {}, rows = [] } = STATE_TABLES[name] ?? {};
  const names = columnsIn('shared', columns);
  const changes = names.filter((column) => columns[column]?.isMutable === true);
  const hiddenColumns = names.filter((column) => columns[column]?.isHidden === true);
  return { all: names, changes, hidden: hiddenColumns, rows };
}

export function grantsOf(
  name: string,
  { table, worker, reader }: { readonly table: string; readonly worker: string; readonly reader: string },
): { readonly worker: string; readonly reader: string } {
  const { all, changes, hidden, rows } = columnsFor(name);
  const update = changes.length === 0 ? [] : [`UPDATE (${changes.join(', ')})`];
  const visibleColumns = all.filter((column) => !hidden.includes(column));
  const select = hidden.length === 0 ? 'SELECT' : `SELECT (${visibleColumns.join(', ')})`;
  return {
    worker: `GRANT ${['SELECT', ...rows, ...update].join(', ')} ON ${table} TO ${worker};`,
    reader: `GRANT ${select} ON ${table} TO ${reader};`,
  };
}
