const BLOCK_ROWS = 1000;

export async function* rowBlocks<Row extends { readonly number: number }>(
  read: (after: number, count: number) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let after: number | undefined = -1; after !== undefined;) {
    const rows: readonly Row[] = await read(after, BLOCK_ROWS);
    after = rows.at(-1)?.number;
    if (after !== undefined) yield rows;
  }
}
