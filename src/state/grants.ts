/**
 * What a worker may do with each table of the shared state, and what a reader sees: every column stands here, and whoever adds one says
 * which it is. What was planned - who is paid, how much - stays as it was written.
 */

interface TableGrants {
  /** What a worker does with whole rows. */
  readonly rows: readonly ('INSERT' | 'DELETE')[];
  /** Columns that a worker may change, */
  readonly changes: readonly string[];
  /** and those that stay as they were written. */
  readonly fixed: readonly string[];
  /** Of both, what a reader does not see: bodies hold what people are called and where they have an account. */
  readonly hidden?: readonly string[];
}

/** By table. */
export const GRANTS: Readonly<Record<string, TableGrants>> = {
  meta: {
    rows: [],
    changes: [],
    fixed: ['one', 'version', 'least_writer', 'least_reader', 'environment', 'key_check'],
  },
  changes: { rows: [], changes: ['count', 'last'], fixed: ['one'] },
  batches: {
    rows: ['INSERT', 'DELETE'],
    changes: [
      ...['ready', 'company', 'file_hash', 'row_count', 'totals', 'confirmed_at', 'swept_at'],
      ...['joins', 'wave', 'pause_until', 'stopped'],
    ],
    fixed: [
      ...['batch', 'name', 'direction', 'environment', 'address', 'origin', 'since', 'profile', 'key_mask'],
      ...['file', 'created_at'],
    ],
  },
  workers: {
    rows: ['INSERT'],
    changes: ['seq', 'seen_at', 'lease_until', 'ended_at', 'fenced_at', 'fenced_by'],
    fixed: ['worker', 'batch', 'mode', 'name', 'program', 'token', 'started_at'],
  },
  rows: {
    rows: ['INSERT', 'DELETE'],
    changes: [
      ...['state', 'sent_at', 'left_at', 'operation', 'status', 'operation_at', 'code', 'detail'],
      ...['worker', 'seq', 'wave', 'ordinal', 'generation', 'key', 'seal'],
    ],
    fixed: [
      ...['batch', 'number', 'line', 'reference', 'currency', 'amount', 'minor'],
      ...['reference_mark', 'twin_mark'],
    ],
  },
  bodies: {
    rows: ['INSERT', 'DELETE'],
    changes: [],
    fixed: ['batch', 'number', 'body'],
    hidden: ['body'],
  },
  decisions: {
    rows: ['INSERT'],
    changes: [],
    fixed: [
      'decision_id',
      'batch',
      'number',
      'generation',
      'decision',
      'state',
      'operation',
      'decided_at',
      'token',
    ],
  },
};

/** The same as SQL, of one table. @param table with its schema, and whoever it is for: as they are written in SQL */
export function grantsOf(
  name: string,
  { table, worker, reader }: { readonly table: string; readonly worker: string; readonly reader: string },
): { readonly worker: string; readonly reader: string } {
  const { rows, changes, fixed, hidden = [] } = GRANTS[name] ?? { rows: [], changes: [], fixed: [] };
  const update = changes.length === 0 ? [] : [`UPDATE (${changes.join(', ')})`];
  const seen = [...fixed, ...changes].filter((column) => !hidden.includes(column));
  const select = hidden.length === 0 ? 'SELECT' : `SELECT (${seen.join(', ')})`;
  return {
    worker: `GRANT ${['SELECT', ...rows, ...update].join(', ')} ON ${table} TO ${worker};`,
    reader: `GRANT ${select} ON ${table} TO ${reader};`,
  };
}
