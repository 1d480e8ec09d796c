/** Suggests a line and an operation of the same amount among those that belong to nothing. Never more than a suggestion. */
import type { WorkFile } from '../../runtime/work-file.js';
import { FINDING_CLASSES } from '../finding.js';
import type { LineDefaults } from './name-groups.js';

/** Among more than so many a person looks for a fault of the file, and not for one payment. */
const LOOKED_AT_MAX = 10_000;

const classOf = (side: 'here' | 'there'): number => FINDING_CLASSES.indexOf(`only_${side}`);

const aloneIn = (side: 'here' | 'there', direction: string, currency: string): string => `
  SELECT f.row AS finding, e.row, ${direction} AS direction, ${currency} AS currency, e.amount, e.day
  FROM finding f JOIN ${side} e ON e.row = f.${side}
  WHERE f.class = ${classOf(side)} AND e.amount <> '0' GROUP BY 4, 5 HAVING count(*) = 1`;

/** Only where both are the only ones of their amount in their currency. @param days how far apart they may be */
export function suggestByAmount(
  file: WorkFile,
  { currency, hasNegatives }: LineDefaults,
  days: number,
): void {
  const alone = `SELECT 1 FROM finding WHERE class IN (${classOf('here')}, ${classOf('there')}) LIMIT 1 OFFSET ${LOOKED_AT_MAX}`;
  if (file.query(alone).get() !== undefined) return;
  const sql = `WITH line AS (${aloneIn('here', 'coalesce(e.direction, CASE WHEN ? THEN e.sign END)', 'coalesce(e.currency, ?)')}),
    operation AS (${aloneIn('there', 'e.direction', 'e.currency')}),
    pair AS MATERIALIZED (SELECT l.finding AS one, o.finding AS other, '[[' || l.row || '],[' || o.row || ']]' AS found
      FROM line l JOIN operation o USING (currency, amount)
      WHERE coalesce(l.direction = o.direction, TRUE) AND coalesce(abs(l.day - o.day) <= ?, TRUE))
    UPDATE finding SET suggestion = p.found FROM (SELECT one AS row, found FROM pair UNION ALL SELECT other, found FROM pair) p
    WHERE finding.row = p.row`;
  file.run(sql, hasNegatives ? 1 : 0, currency, days);
}
