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

const words = (text: string): readonly string[] => text.split(' ');

/** By table. */
export const GRANTS: Readonly<Record<string, TableGrants>> = {
  meta: {
    rows: [],
    changes: [],
    fixed: words('one version least_writer least_reader environment key_check key_salt'),
  },
  changes: {
    rows: [],
    changes: words('count last requests cluster timeline taken_over_at'),
    fixed: words('one'),
  },
  batches: {
    rows: ['INSERT', 'DELETE'],
    changes: words(
      'ready company file_hash row_count totals confirmed_at confirmed_by confirmed_totals swept_at cluster timeline joins wave ' +
        'pause_until rate next_slot stopped',
    ),
    fixed: words('batch name direction environment address origin since profile key_mask file created_at'),
  },
  workers: {
    rows: ['INSERT'],
    changes: words('seq silent seen_at lease_until ended_at fenced_at fenced_by'),
    fixed: words('worker batch mode name program token started_at'),
  },
  rows: {
    rows: ['INSERT', 'DELETE'],
    changes: words(
      'state sent_at sent_clocks left_at left_seal operation status operation_at code detail worker seq wave ordinal generation key seal',
    ),
    fixed: words('batch number line reference currency amount minor reference_mark twin_mark'),
  },
  bodies: {
    rows: ['INSERT', 'DELETE'],
    changes: [],
    fixed: words('batch number body'),
    hidden: ['body'],
  },
  decisions: {
    rows: ['INSERT'],
    changes: [],
    fixed: words('decision_id batch number generation decision state operation decided_at token'),
  },
  requests: {
    rows: ['INSERT', 'DELETE'],
    changes: words(
      'owners sendings is_forgotten forgotten_by may_not_repeat body key_mask key_print address origin operation status ' +
        'operation_created_at left_at left_service_at left_wall_at left_boot left_boot_at',
    ),
    fixed: words(
      'request token idempotency_key is_own_key series generation endpoint direction environment path reference_mark body_mark twin_mark ' +
        'metadata_mark amount currency account_tail recorded_at',
    ),
    hidden: ['body'],
  },
  times: {
    rows: ['INSERT', 'DELETE'],
    changes: words('boot_at service_at'),
    fixed: words('environment origin boot'),
  },
  checkpoints: {
    rows: ['INSERT', 'DELETE'],
    changes: words('environment address key_mask sequence content holder name lease_until'),
    fixed: words('checkpoint'),
  },
  companies: {
    rows: ['INSERT'],
    changes: words('same_as epoch reading reading_sum newest_id newest_at'),
    fixed: words('company id environment'),
  },
  places: {
    rows: ['INSERT', 'DELETE'],
    changes: words('company'),
    fixed: words('environment origin key_print'),
  },
  operations: {
    rows: ['INSERT', 'DELETE'],
    // What the service says of an operation, which is told again.
    changes: words(
      'id_mark reference_mark id direction reference folded amount currency method status code failure_reason bank_reference created_at confirmed_at occurred_at event_id',
    ),
    fixed: words('company'),
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
