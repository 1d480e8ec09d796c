import { GONE } from '../../contract/operation.js';
import type { Ask } from '../tables/dialect.js';
import { wholeMs } from '../tables/column-tables.js';
import { type RowState, SKIPPED_AS_PAID, SKIPPED_PENDING } from './row-state.js';
import type { Batch, KeptSignature, BatchStore } from './batch-store.js';
import { batchOf, type BatchRecord, stateOf } from './records.js';
import type { PersonDecision, Holder, OtherRow, ReferencePair, ShownRow, TallyEntry } from './row.js';

export const IS_PENDING =
  "(state = 'accepted' OR (state = 'earlier' AND coalesce(status, 'confirmed') NOT IN ('confirmed', 'failed')))";

export function unlessGone(column: string, state: string): string {
  return `CASE WHEN r.status = '${GONE}' AND ${state} <> 'failed' THEN ${column} END`;
}

const IS_SKIPPED = `(state = 'earlier' AND coalesce(code, '') IN ('${SKIPPED_AS_PAID}', '${SKIPPED_PENDING}'))`;

const PENDING_REASON = `CASE WHEN state = 'accepted' OR (state = 'earlier' AND code = '${SKIPPED_PENDING}') THEN code END`;

/** Sums are read in two parts, because they may exceed 2^53. */
const HIGH_UNIT = 1_000_000_000;

const tallyWhere = (condition: string): string => `
SELECT currency, state, ${IS_SKIPPED} AS skipped, ${PENDING_REASON} AS reason, count(*) AS rows, sum(minor / ${String(HIGH_UNIT)}) AS minor_high,
  sum(minor % ${String(HIGH_UNIT)}) AS minor_low
FROM svc.rows WHERE batch = $1 ${condition} GROUP BY 1, 2, 3, 4`;
export const TALLY = tallyWhere('');
export const TALLY_OF_REMAINING = tallyWhere('AND NOT (state = ANY ($2) AND sent_at IS NULL)');

export interface TallyRecord {
  readonly currency: string;
  readonly state: string;
  readonly skipped: boolean | number;
  readonly reason: string | null;
  readonly rows: number;
  readonly minor_high: number | string;
  readonly minor_low: number | string;
}

export function tallyOf(records: readonly TallyRecord[]): TallyEntry[] {
  return records.map(({ currency, state, skipped, reason, rows, minor_high: high, minor_low: low }) => ({
    ...{ currency, state: stateOf(state), isSkipped: Boolean(skipped), reason, rows },
    minor: BigInt(high) * BigInt(HIGH_UNIT) + BigInt(low),
  }));
}

/** `MATERIALIZED` and `CROSS JOIN` fix the order of the joins, because SQLite may otherwise compare every row with every row. */
const pairsSql = (mark: string, condition: string): string => `
WITH shared AS MATERIALIZED (
  SELECT ${mark} AS mark, min(number) AS first FROM svc.rows WHERE batch = $1 GROUP BY ${mark} HAVING count(*) > 1 LIMIT $2
)
SELECT b.line AS line, b.reference AS reference, a.line AS "otherLine", a.reference AS "otherReference"
FROM shared s CROSS JOIN svc.rows a CROSS JOIN svc.rows b
WHERE a.batch = $1 AND a.number = s.first AND b.batch = $1 AND b.number > s.first AND b.${mark} = s.mark ${condition}
ORDER BY b.number LIMIT $2`;

const PAIRS = {
  reference: pairsSql('reference_mark', ''),
  twin: pairsSql('twin_mark', 'AND b.reference_mark <> a.reference_mark'),
} as const;

export const holdersWhere = (condition: string): string => `
SELECT r.operation AS operation, b.name AS batch, r.line AS line, r.key AS key, encode(r.reference_mark, 'hex') AS "referenceMark"
FROM svc.rows r CROSS JOIN svc.batches b WHERE ${condition} AND r.state <> 'needs_review' AND b.batch = r.batch AND b.ready ORDER BY r.batch, r.number`;
const SELECT_HOLDERS = holdersWhere('r.operation = ANY ($1)');

export const OTHER_ROW = `
SELECT b.name AS batch, b.company AS company, r.line AS line, encode(r.reference_mark, 'hex') AS "referenceMark",
  encode(r.twin_mark, 'hex') AS "twinMark", r.currency AS currency, r.amount AS amount, r.state AS state, r.follows AS follows,
  r.generation AS generation, r.sent_at AS "sentAtMs", r.operation AS operation, r.status AS status, r.operation_at AS "operationAtMs",
  b.since AS "sinceMs"`;

export type OtherRecord = Omit<OtherRow, 'state'> & { readonly state: string };

export function otherRowOf(record: OtherRecord): OtherRow {
  return { ...record, state: stateOf(record.state) };
}

const ROWS_OF = 'FROM svc.batches b CROSS JOIN svc.rows r WHERE r.batch = b.batch AND b.ready';
const HAS_CONFIRMED = `
SELECT 1 ${ROWS_OF} AND b.environment = $1 AND (b.company IS NOT DISTINCT FROM $2 OR b.company IS NULL) AND r.state = 'confirmed' LIMIT 1`;
const SELECT_DECISIONS = `
SELECT number, generation, decision, state, operation, decided_at AS "decidedAtMs" FROM svc.decisions WHERE batch = $1 ORDER BY decision_id`;

const SELECT_SIGNATURES = `
SELECT name, signature AS bytes, signer FROM svc.approvals WHERE batch = $1 ORDER BY name, signature_mark`;

const LACKS_BODIES = `
SELECT 1 FROM svc.rows r WHERE r.batch = $1 AND r.state = ANY ($2)
AND NOT EXISTS (SELECT 1 FROM svc.bodies b WHERE b.batch = r.batch AND b.number = r.number) LIMIT 1`;

const hasRecords = (records: readonly unknown[]): boolean => records.length > 0;
const copyRecords = <Record>(records: readonly Record[]): Record[] => [...records];

export function readsOver(ask: Ask) {
  const select = (clauses: string, ...values: readonly unknown[]): Promise<Batch[]> =>
    ask(`SELECT * FROM svc.batches WHERE ready ${clauses}`, values, (records: readonly BatchRecord[]) =>
      records.map(batchOf),
    );
  const tally = (batch: number): Promise<TallyEntry[]> => ask(TALLY, [batch], tallyOf);
  return {
    find: async (name) => (await select('AND name = $1', name))[0] ?? null,
    list: () => select('ORDER BY batch'),
    unswept: async (plannedBeforeMs, sweptUntilMs) => {
      const clauses = 'AND created_at < $1 AND (swept_at IS NULL OR swept_at <= $2) ORDER BY batch';
      return (await select(clauses, wholeMs(plannedBeforeMs), wholeMs(sweptUntilMs))).map(({ id }) => id);
    },
    changes: () =>
      ask(
        'SELECT count FROM svc.changes',
        [],
        ([record]: readonly { count: number }[]) => record?.count ?? 0,
      ),
    pairs: (batch, mark, limit) => ask(PAIRS[mark], [batch, limit], copyRecords<ReferencePair>),
    holders: (operations) => ask(SELECT_HOLDERS, [operations], copyRecords<Holder>),
    decisions: (batch) =>
      ask(SELECT_DECISIONS, [batch], (records: readonly PersonDecision[]) =>
        records.map((record) => ({ ...record, state: stateOf(record.state) })),
      ),
    signatures: (batch) => ask(SELECT_SIGNATURES, [batch], copyRecords<KeptSignature>),
    lacksBodies: (batch, states) => ask(LACKS_BODIES, [batch, states], hasRecords),
    tally,
    hasConfirmed: ({ environment, company }) => ask(HAS_CONFIRMED, [environment, company], hasRecords),
    pendingMoney: async ({ environment, direction, company }) => {
      const clauses =
        'AND environment = $1 AND direction = $2 AND company IS NOT DISTINCT FROM $3 ORDER BY batch';
      const money = [];
      for (const { id, currencies } of await select(clauses, environment, direction, company))
        for (const { state, currency, minor } of await tally(id))
          if (state === 'accepted')
            money.push({ currency, minor, decimals: currencies.get(currency)?.decimals ?? 0 });
      return money;
    },
  } satisfies Partial<BatchStore>;
}

export interface Window {
  readonly after: number;
  readonly upTo: number;
  readonly count: number;
}

export interface RowSource {
  readonly selectShown: (
    clauses: string,
    batch: number,
    ...values: readonly unknown[]
  ) => Promise<ShownRow[]>;
  readonly readInWindows: (
    batch: number,
    block: Omit<Window, 'upTo'>,
    read: (window: Window) => Promise<readonly ShownRow[]>,
  ) => Promise<ShownRow[]>;
  readonly markCondition: string;
}

const WITH_OPERATION =
  "operation IS NOT NULL AND substr(lower(operation), 1, length($5::text)) = $5::text AND (coalesce(status, '') NOT IN ('confirmed', 'failed') OR " +
  'coalesce(operation_at, sent_at, 0) >= $6::bigint)';

export function shownRowsOver({ selectShown, readInWindows, markCondition }: RowSource) {
  const readNext = (
    batch: number,
    block: Omit<Window, 'upTo'>,
    condition: string,
    ...values: readonly unknown[]
  ): Promise<ShownRow[]> =>
    readInWindows(batch, block, (window) => {
      const clauses = `AND number > $2 AND number <= $3 AND (${condition}) ORDER BY number LIMIT $4`;
      return selectShown(clauses, batch, window.after, window.upTo, window.count, ...values);
    });
  const inStates = (states: readonly RowState[] | undefined): [string, ...unknown[]] =>
    states === undefined ? ['true'] : ['state = ANY ($5)', states];
  return {
    rows: (batch, after, count, states) => readNext(batch, { after, count }, ...inStates(states)),
    pendingRows: (batch, after, count) => readNext(batch, { after, count }, IS_PENDING),
    operationRows: (batch, after, count, { idPrefix, sinceMs }) =>
      readNext(batch, { after, count }, WITH_OPERATION, idPrefix, sinceMs ?? Number.MIN_SAFE_INTEGER),
    rowOfMark: async (batch, mark) =>
      (await selectShown(`AND ${markCondition} ORDER BY number LIMIT 1`, batch, mark))[0] ?? null,
    largest: (batch, count, states) =>
      selectShown('AND state = ANY ($3) ORDER BY minor DESC, number LIMIT $2', batch, count, states),
  } satisfies Partial<BatchStore>;
}
