/**
 * Reads rows of a batch window by window. A new batch is not in the statistics: the database takes it for a few rows, and would read all that
 * is behind the cursor, and sort it, for each block.
 */
import type { Connection } from '../../../state/connection.js';

/** So many rows at the most, behind one number, up to another. */
export interface Window {
  readonly after: number;
  readonly upTo: number;
  readonly count: number;
}

const LAST = 'SELECT max(number) AS last FROM svc.rows WHERE batch = $1';

/** The next rows that `read` finds, in their order; where they are few, each window is twice as wide as the one before. */
export async function rowsInWindows<Row>(
  connection: Connection,
  batch: number,
  { after: first, count }: Omit<Window, 'upTo'>,
  read: (window: Window) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  let last = null as number | null;
  for (let [after, width] = [first, count]; ; [after, width] = [after + width, 2 * width]) {
    found.push(...(await read({ after, upTo: after + width, count: count - found.length })));
    if (found.length >= count) return found;
    last ??= (await connection.run<{ last: number | null }>(LAST, [batch])).rows[0]?.last ?? -1;
    if (after + width >= last) return found;
  }
}
