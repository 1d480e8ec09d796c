import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { controlCall } from './call.js';
import { pagePath, type ListPage, type Lists, type PageQuery, mergePage, type RowPage } from './answers.js';
import { send, useReading, versionOf } from './server.js';

const PAGE_ROWS = 200;

/** A `filter` of null matches nothing, and an empty `filter` matches everything. */
export function useList<Name extends keyof Lists>(name: Name, filter: string | null) {
  const list = useMemo(() => makeList(name, filter), [filter]);
  // The version includes `clock`, because a reset moves the clock and may add no row.
  useReading(list.refresh, versionOf(name, 'clock'));
  return list;
}

function makeList<Name extends keyof Lists>(name: Name, filter: string | null) {
  type T = Lists[Name];
  const rows = signal<readonly T[] | null>(filter === null ? [] : null);
  let isComplete = false;
  let isReadingMore = false;
  let view: readonly [first: number, last: number] = [0, 0];
  const ask = async (query: PageQuery): Promise<RowPage<T> | null> => {
    const { status, json } = await send(controlCall(pagePath(name, query, filter ?? '')));
    // A refused query (400) has an unknown value, which matches no row.
    if (status === 400 && query.after === undefined) return { rows: [], isEnd: true };
    if (status !== 200) return null;
    const page = json as ListPage<Name>;
    return { rows: page[name], isEnd: page.next === null };
  };
  const insert = (rowAbove: T | null, page: RowPage<T> | null): void => {
    const oldRows = rows.value ?? [];
    const index = rowAbove === null ? 0 : oldRows.findIndex(({ id }) => id === rowAbove.id) + 1;
    if (page === null || (index === 0 && rowAbove !== null)) return;
    rows.value = mergePage(oldRows, index, page);
    if (page.isEnd) isComplete = true;
    else if (index === 0 && rows.value.length <= PAGE_ROWS) isComplete = false;
  };
  let isViewDue = false;
  const refresh = async (): Promise<boolean> => {
    const newestRow = rows.value?.[0];
    if (filter === null) return false;
    isViewDue &&= newestRow !== undefined;
    if (isViewDue) {
      isViewDue = false;
      await readView();
      return false;
    }
    // At the top of the list only the rows in view can be seen, so a page of twice as many is enough.
    const limit = view[0] > 0 ? PAGE_ROWS : Math.min(PAGE_ROWS, 2 * view[1] || PAGE_ROWS);
    const page = newestRow === undefined ? null : await ask({ after: newestRow.id, limit });
    // The newest page is read if `newestRow` is missing, unknown after a reset, or too far behind.
    if (page?.isEnd !== true) {
      insert(null, await ask({ limit }));
      return false;
    }
    const knownIds = new Set(rows.value?.map(({ id }) => id));
    const newRows = page.rows.filter(({ id }) => !knownIds.has(id)).toReversed();
    if (newRows.length > 0) rows.value = [...newRows, ...(rows.value ?? [])];
    isViewDue = name !== 'requests' || newRows.length === 0;
    return isViewDue;
  };
  const readView = async (): Promise<void> => {
    const [first, last] = view;
    const rowAbove = rows.value?.[first - 1] ?? null;
    const limit = Math.min(PAGE_ROWS, Math.max(1, last - first));
    insert(rowAbove, await ask({ ...(rowAbove !== null && { before: rowAbove.id }), limit }));
  };
  const readMore = async (rowAbove: T): Promise<void> => {
    isReadingMore = true;
    insert(rowAbove, await ask({ before: rowAbove.id, limit: PAGE_ROWS }));
    isReadingMore = false;
  };
  return {
    rows,
    refresh,
    reportView: (first: number, last: number): void => {
      view = [first, last];
      const rowAbove = rows.value?.at(-1);
      if (isComplete || isReadingMore || rowAbove === undefined) return;
      const ahead = first === 0 ? 0 : PAGE_ROWS / 2;
      if (last + ahead >= (rows.value?.length ?? 0)) void readMore(rowAbove);
    },
  };
}
