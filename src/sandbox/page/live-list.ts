import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { pagePath, type Lists, type PageQuery, mergePage, type NewerPage } from './answers.js';
import { makeSerialAsk, read, versionOf } from './server.js';

const PAGE_ROWS = 200;

type ListName = 'operations' | 'deliveries';

export function useList<Name extends ListName>(name: Name, filter: string) {
  const version = versionOf(name);
  const [list, setList] = useState(() => makeList(name, filter));
  useEffect(() => {
    if (list.filter !== filter) setList(makeList(name, filter));
  }, [filter]);
  useLayoutEffect(() => list.refresh(), [list, version]);
  return list;
}

function makeList<Name extends ListName>(name: Name, filter: string) {
  type T = Lists[Name];
  const rows = signal<readonly T[] | null>(null);
  let isComplete = false;
  let view: readonly [first: number, last: number] = [0, 0];
  const makeAsk = () => makeSerialAsk<NewerPage<T>>();
  const [askNewest, askView, askMore] = [makeAsk(), makeAsk(), makeAsk()];
  const ask = async (query: PageQuery): Promise<NewerPage<T> | null> => {
    const page = await read(pagePath(name, { ...query, filter }));
    return page === null ? null : { rows: page[name], isEnd: page.next === null };
  };
  const insert = (above: T | null, page: NewerPage<T>): void => {
    const before = rows.value ?? [];
    const at = above === null ? 0 : before.findIndex(({ id }) => id === above.id) + 1;
    if (at === 0 && above !== null) return;
    rows.value = mergePage(before, at, page);
    if (page.isEnd) isComplete = true;
    else if (at === 0 && rows.value.length <= PAGE_ROWS) isComplete = false;
  };
  const pageAfter = (above: T, limit: number) => () => ask({ before: above.id, limit });
  return {
    ...{ filter, rows },
    refresh: (): void => {
      askNewest(
        () => ask({ limit: PAGE_ROWS }),
        (page) => insert(null, page),
      );
      const [first, last] = view;
      const above = rows.value?.[first - 1];
      if (last <= PAGE_ROWS || above === undefined) return;
      askView(pageAfter(above, Math.min(PAGE_ROWS, last - first)), (page) => insert(above, page));
    },
    reportView: (first: number, last: number): void => {
      view = [first, last];
      const above = rows.value?.at(-1);
      if (isComplete || above === undefined || last + PAGE_ROWS / 2 < (rows.value?.length ?? 0)) return;
      askMore(pageAfter(above, PAGE_ROWS), (page) => insert(above, page));
    },
  };
}
