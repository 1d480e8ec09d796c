/** Searches over all rows, sorted on the disk, so that memory stays flat: rows that are one too many, and those of other batches. */
import type { Environment } from '../../contract/access.js';
import type { Direction } from '../../contract/operation.js';
import { type Database, openDatabase } from '../../runtime/database.js';
import { stateOf } from './records.js';
import type { Holder, OtherRow, ReferencePair } from './row.js';
import { BATCHES_KIND } from './schema.js';

/**
 * Rows of one plan that share a mark: each with the first that had it. What is shared is found first (`MATERIALIZED`, and
 * `CROSS JOIN`, which keeps its order): any other order would look at every row once for every row.
 */
const within = (mark: string, more: string): string => `
WITH shared AS MATERIALIZED (
  SELECT ${mark} AS mark, min(number) AS first FROM rows WHERE batch = ? GROUP BY ${mark} HAVING count(*) > 1 LIMIT ?
)
SELECT b.line AS line, b.reference AS reference, a.line AS otherLine, a.reference AS otherReference
FROM shared s CROSS JOIN rows a CROSS JOIN rows b
WHERE a.batch = ? AND a.number = s.first AND b.batch = ? AND b.number > s.first AND b.${mark} = s.mark ${more}
ORDER BY b.number LIMIT ?`;

/** Equal references; and equal account and amount. */
const PAIRS = {
  reference: within('reference_mark', ''),
  twin: within('twin_mark', 'AND b.reference_mark <> a.reference_mark'),
} as const;

export function selectPairs(
  db: Database,
  batch: number,
  mark: keyof typeof PAIRS,
  limit: number,
): ReferencePair[] {
  return db.query<ReferencePair>(PAIRS[mark]).all(batch, limit, batch, batch, limit);
}

const OTHERS = `
SELECT b.name AS batch, b.company AS company, r.line AS line, lower(hex(k.mark)) AS referenceMark, lower(hex(r.twin_mark)) AS twinMark,
  r.currency AS currency, r.amount AS amount, r.state AS state, r.ordinal AS ordinal, r.generation AS generation, r.sent_at AS sentAtMs,
  r.operation AS operation, r.status AS status, r.operation_at AS operationAtMs
FROM known_references k CROSS JOIN batches b CROSS JOIN rows r
WHERE k.mark = ? AND k.batch <> ? AND b.batch = k.batch AND b.ready = 1 AND b.environment = ? AND b.direction = ?
  AND r.batch = k.batch AND r.number = k.number`;

interface OtherRecord extends Omit<OtherRow, 'state'> {
  readonly state: string;
}

/** The rows of other batches with one of these marks. @param batch its own rows are left out; -1 for none */
export function selectOthers(
  db: Database,
  batch: number,
  { environment, direction }: { readonly environment: string; readonly direction: string },
  marks: readonly Uint8Array[],
): OtherRow[] {
  const [any] = db
    .query(
      'SELECT 1 FROM batches WHERE ready = 1 AND batch <> ? AND environment = ? AND direction = ? LIMIT 1',
    )
    .all(batch, environment, direction);
  if (any === undefined) return [];
  const search = db.query<OtherRecord>(OTHERS);
  return marks.flatMap((mark) =>
    search
      .all(mark, batch, environment, direction)
      .map((record) => ({ ...record, state: stateOf(record.state) })),
  );
}

/** Rows that are settled with an operation; one that waits for a person may name it and not be it. */
export function selectHolders(db: Database, operation: string): Holder[] {
  return db
    .query<Holder>(
      'SELECT b.name AS batch, r.line AS line, r.key AS key FROM rows r CROSS JOIN batches b ' +
        "WHERE r.operation = ? AND r.state <> 'needs_review' AND b.batch = r.batch AND b.ready = 1",
    )
    .all(operation);
}

const NO_BATCH = -1;

/** The rows of all batches with that reference: for a single create, which has no batch. @throws DatabaseUnusable */
export function rowsWithReference(
  file: string,
  place: { readonly environment: Environment; readonly direction: Direction },
  referenceMark: Uint8Array,
): OtherRow[] {
  const db = openDatabase(file, BATCHES_KIND);
  try {
    return db.transaction(() => selectOthers(db, NO_BATCH, place, [referenceMark]));
  } finally {
    db.close();
  }
}
