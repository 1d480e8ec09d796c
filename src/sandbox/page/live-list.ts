/** A list of the sandbox, newest first, as far down as somebody has scrolled; what is in sight stays as new as the server. */
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { control } from './call.js';
import { latest, send, versionOf } from './server.js';
import { spliced, type NewerPage } from './splice.js';

const PAGE = 200;
/** Before every id there is. */
export const FROM_NEWEST = 'before=newest';

/** As the control calls it, and as its changes are counted. */
type ListName = 'operations' | 'deliveries';

export interface LiveList<T> {
  readonly filter: string;
  /** Null until the first page is there. */
  readonly rows: { readonly value: readonly T[] | null };
  readonly refresh: () => void;
  /** What is in sight now: more is asked for before its end is reached. */
  readonly see: (first: number, last: number) => void;
}

export function useList<T extends { readonly id: string }>(name: ListName, filter: string): LiveList<T> {
  const version = versionOf(name);
  const [list, setList] = useState(() => listOf<T>(name, filter));
  useEffect(() => {
    if (list.filter !== filter) setList(listOf<T>(name, filter));
  }, [filter]);
  // At once, and not after the next frame: nothing is shown before.
  useLayoutEffect(() => list.refresh(), [list, version]);
  return list;
}

function listOf<T extends { readonly id: string }>(name: ListName, filter: string): LiveList<T> {
  const rows = signal<readonly T[] | null>(null);
  let isWhole = false;
  let seen: readonly [first: number, last: number] = [0, 0];
  const [askNewest, askSeen, askMore] = [
    latest<NewerPage<T>>(),
    latest<NewerPage<T>>(),
    latest<NewerPage<T>>(),
  ];
  const read = async (from: string, limit: number): Promise<NewerPage<T> | null> => {
    const { status, json } = await send(control(`${name}?${from}&limit=${String(limit)}${filter}`));
    if (status !== 200) return null;
    const { next, [name]: found } = json as { next: string | null } & Record<ListName, T[]>;
    return { rows: found, isEnd: next === null };
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
    return () => read(`before=${above.id}`, limit);
  };
  return {
    ...{ filter, rows },
    refresh: () => {
      askNewest(
        () => read(FROM_NEWEST, PAGE),
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
