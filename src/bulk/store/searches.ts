/** The searches for rows that are one too many: sorted on the disk, so that memory stays flat whatever the size of the file. */

/** Rows of one plan that share a mark: each with the first that had it. */
const within = (mark: string, more: string): string => `
WITH shared AS (
  SELECT ${mark} AS mark, min(number) AS first FROM rows WHERE batch = ?1 GROUP BY ${mark} HAVING count(*) > 1 LIMIT ?2
)
SELECT b.line AS line, b.reference AS reference, a.line AS otherLine, a.reference AS otherReference, '' AS otherBatch
FROM rows b JOIN shared s ON b.${mark} = s.mark JOIN rows a ON a.batch = ?1 AND a.number = s.first
WHERE b.batch = ?1 AND b.number > s.first ${more} ORDER BY b.number LIMIT ?2`;

/** Equal references; and equal counterparty and amount. */
export const PAIRS = {
  reference: within('reference_mark', ''),
  twin: within('twin_mark', 'AND b.reference_mark <> a.reference_mark'),
} as const;

/** Rows of other batches of the same place and direction that may have been paid, or will be. */
export const REPEATS = `
SELECT r.line AS line, r.reference AS reference, o.line AS otherLine, o.reference AS otherReference, b.name AS otherBatch
FROM batches b
JOIN rows o ON o.batch = b.batch AND o.state NOT IN ('failed', 'rejected', 'conflict')
JOIN (SELECT line, reference, reference_mark, twin_mark FROM rows WHERE batch = ?1) r
  ON r.reference_mark = o.reference_mark AND r.twin_mark = o.twin_mark
JOIN batches mine ON mine.batch = ?2
WHERE b.batch <> mine.batch AND b.ready = 1 AND b.environment = mine.environment AND b.address = mine.address
  AND b.direction = mine.direction
ORDER BY r.line LIMIT ?3`;
