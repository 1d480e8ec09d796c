/** Puts a page of newer knowledge into a list that is sorted from new to old. Pure. */

export interface NewerPage<T> {
  readonly rows: readonly T[];
  /** Nothing comes behind it. */
  readonly isEnd: boolean;
}

/**
 * From there on the page is what is true, as far down as it reaches: what it does not have any more is gone. A page from the top that knows
 * none of what is there begins the list anew.
 */
export function spliced<T extends { readonly id: string }>(
  rows: readonly T[],
  at: number,
  page: NewerPage<T>,
): readonly T[] {
  const oldest = page.rows.at(-1);
  if (page.isEnd || oldest === undefined) return [...rows.slice(0, at), ...page.rows];
  const known = new Set(page.rows.map(({ id }) => id));
  const rest = rows.slice(at);
  if (at === 0 && !rest.some(({ id }) => known.has(id))) return page.rows;
  const last = rest.findLastIndex(({ id }) => known.has(id));
  const older = rest.slice(last + 1);
  return [...rows.slice(0, at), ...page.rows, ...older];
}
