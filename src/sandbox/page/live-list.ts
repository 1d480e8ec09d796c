/** A list of the sandbox, newest first, as far down as somebody has scrolled; what is in sight stays as new as the server. */
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { pagePath, type Lists, type PageQuery, spliced, type NewerPage } from './answers.js';
import { latest, read, versionOf } from './server.js';

const PAGE = 200;

/** Those that are long; as the control calls them, and as their changes are counted. */
type ListName = 'operations' | 'deliveries';

interface LiveList<T> {
  readonly filter: string;
  /** Null until the first page is there. */
  readonly rows: { readonly value: readonly T[] | null };
  readonly refresh: () => void;
  /** What is in sight now: more is asked for before its end is reached. */
  readonly see: (first: number, last: number) => void;
}

export function useList<Name extends ListName>(name: Name, filter: string): LiveList<Lists[Name]> {
  const version = versionOf(name);
  const [list, setList] = useState(() => listOf(name, filter));
  useEffect(() => {
    if (list.filter !== filter) setList(listOf(name, filter));
  }, [filter]);
  // At once, and not after the next frame: nothing is shown before.
  useLayoutEffect(() => list.refresh(), [list, version]);
  return list;
}

function listOf<Name extends ListName>(name: Name, filter: string): LiveList<Lists[Name]> {
  type T = Lists[Name];
  const rows = signal<readonly T[] | null>(null);
  let isWhole = false;
  let seen: readonly [first: number, last: number] = [0, 0];
  const [askNewest, askSeen, askMore] = [
    latest<NewerPage<T>>(),
    latest<NewerPage<T>>(),
    latest<NewerPage<T>>(),
  ];
  const ask = async (query: PageQuery): Promise<NewerPage<T> | null> => {
    const page = await read(pagePath(name, { ...query, filter }));
    return page === null ? null : { rows: page[name], isEnd: page.next === null };
  };
  /** @param above the row that the page follows; where it is gone or moved meanwhile is looked up, and null is the top */
  const take = (above: T | null, page: NewerPage<T>): void => {
    const before = rows.value ?? [];
    const at = above === null ? 0 : before.findIndex(({ id }) => id === above.id) + 1;
    if (at === 0 && above !== null) return;
    rows.value = spliced(before, at, page);
    if (page.isEnd) isWhole = true;
    else if (at === 0 && rows.value.length <= PAGE) isWhole = false;
  };
  const after = (above: T, limit: number): (() => Promise<NewerPage<T> | null>) => {
    return () => ask({ before: above.id, limit });
  };
  return {
    ...{ filter, rows },
    refresh: () => {
      askNewest(
        () => ask({ limit: PAGE }),
        (page) => take(null, page),
      );
      const [first, last] = seen;
      const above = rows.value?.[first - 1];
      if (last <= PAGE || above === undefined) return;
      askSeen(after(above, Math.min(PAGE, last - first)), (page) => take(above, page));
    },
    see: (first, last) => {
      seen = [first, last];
      const above = rows.value?.at(-1);
      if (isWhole || above === undefined || last + PAGE / 2 < (rows.value?.length ?? 0)) return;
      askMore(after(above, PAGE), (page) => take(above, page));
    },
  };
}
