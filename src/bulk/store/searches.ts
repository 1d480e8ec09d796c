/** The searches for rows that are one too many: sorted on the disk, so that memory stays flat whatever the size of the file. */

/**
 * Rows of one plan that share a mark: each with the first that had it. What is shared is found first (`MATERIALIZED`, and
 * `CROSS JOIN`, which keeps its order): any other order would look at every row once for every row.
 */
const within = (mark: string, more: string): string => `
WITH shared AS MATERIALIZED (
  SELECT ${mark} AS mark, min(number) AS first FROM rows WHERE batch = ?1 GROUP BY ${mark} HAVING count(*) > 1 LIMIT ?2
)
SELECT b.line AS line, b.reference AS reference, a.line AS otherLine, a.reference AS otherReference, '' AS otherBatch
FROM shared s CROSS JOIN rows a CROSS JOIN rows b
WHERE a.batch = ?1 AND a.number = s.first AND b.batch = ?1 AND b.number > s.first AND b.${mark} = s.mark ${more}
ORDER BY b.number LIMIT ?2`;

/** Equal references; and equal counterparty and amount. */
export const PAIRS = {
  reference: within('reference_mark', ''),
  twin: within('twin_mark', 'AND b.reference_mark <> a.reference_mark'),
} as const;

/** Rows of other batches of the same place and direction that may have been paid, or will be. */
export const REPEATS = `
WITH hits AS MATERIALIZED (
  SELECT o.line, o.reference, o.reference_mark, o.twin_mark, b.name
  FROM batches mine CROSS JOIN batches b CROSS JOIN rows o
  WHERE mine.batch = ?1 AND b.batch <> mine.batch AND b.ready = 1 AND b.environment = mine.environment
    AND b.address = mine.address AND b.direction = mine.direction
    AND o.batch = b.batch AND o.state NOT IN ('failed', 'rejected', 'conflict')
    AND (o.reference_mark, o.twin_mark) IN (SELECT reference_mark, twin_mark FROM rows WHERE batch = ?1)
  LIMIT ?2
)
SELECT r.line AS line, r.reference AS reference, h.line AS otherLine, h.reference AS otherReference, h.name AS otherBatch
FROM hits h CROSS JOIN rows r
WHERE r.batch = ?1 AND r.reference_mark = h.reference_mark AND r.twin_mark = h.twin_mark
ORDER BY r.line LIMIT ?2`;

/** Rows that are settled with an operation; one that waits for a person may name it and not be it. */
export const HOLDERS =
  'SELECT b.name AS batch, r.line AS line FROM rows r CROSS JOIN batches b ' +
  "WHERE r.operation = ? AND r.state <> 'needs_review' AND b.batch = r.batch AND b.ready = 1";
