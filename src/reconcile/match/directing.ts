/** Which lines are of the one direction that is compared: what a line says counts, else its sign where signs say one, else all are. */
import type { Direction } from '../../contract/operation.js';
import type { WorkFile } from '../../runtime/work-file.js';
import { PAYIN, PAYOUT } from './entries.js';
import type { LineDefaults } from './gathered.js';
import type { Placed } from './recording.js';

type Row = readonly [row: number, currency: string | null, amount: string | null, day: number | null];

/**
 * Hands over every line of the other direction; lines that say none become of this one.
 * @param leave may not write into the table of lines
 */
export function directLines(
  file: WorkFile,
  direction: Direction,
  { currency, hasNegatives }: LineDefaults,
  leave: (line: Placed) => void,
): void {
  const [own, other] = direction === 'payin' ? [PAYIN, PAYOUT] : [PAYOUT, PAYIN];
  // A negative amount is a payout, and where there is one any other is a pay-in.
  const signed = hasNegatives ? 'CASE sign WHEN 1 THEN ? ELSE ? END' : '?';
  file.run(
    `UPDATE here SET direction = ${signed} WHERE direction IS NULL`,
    ...(hasNegatives ? [PAYOUT, PAYIN] : [own]),
  );
  const sql = 'SELECT row, currency, amount, day FROM here WHERE direction = ?';
  for (const [row, its, amount, day] of file.query<Row>(sql).iterate(other))
    leave({ row, currency: its ?? currency, amount, day });
}
