/** Rows of a batch, block by block: no batch is held in memory as a whole. */

const BLOCK_ROWS = 1000;

/**
 * Each block is read when the one before it is done with, so that what its reader changed counts.
 * @param read rows behind a number, in their order; none is the end
 */
export async function* rowBlocks<Row extends { readonly number: number }>(
  read: (after: number, count: number) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let after: number | undefined = -1; after !== undefined;) {
    const rows: readonly Row[] = await read(after, BLOCK_ROWS);
    after = rows.at(-1)?.number;
    if (after !== undefined) yield rows;
  }
}
