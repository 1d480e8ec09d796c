/** The operations of a filter, newest first, as far down as somebody has scrolled; what is in sight stays as new as the server. */
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { control } from './call.js';
import { latest, send, versionOf } from './server.js';
import { spliced, type NewerPage } from './splice.js';
import type { Listed } from './types.js';

const PAGE = 200;
/** Before every id there is. */
export const FROM_NEWEST = 'before=newest';

export function useOperations(filter: string) {
  const version = versionOf('operations');
  const [list, setList] = useState(() => listOf(filter));
  useEffect(() => {
    if (list.filter !== filter) setList(listOf(filter));
  }, [filter]);
  // At once, and not after the next frame: nothing is shown before.
  useLayoutEffect(() => list.refresh(), [list, version]);
  return list;
}

function listOf(filter: string) {
  const rows = signal<readonly Listed[] | null>(null);
  let isWhole = false;
  let seen: readonly [first: number, last: number] = [0, 0];
  const [askNewest, askSeen, askMore] = [
    latest<NewerPage<Listed>>(),
    latest<NewerPage<Listed>>(),
    latest<NewerPage<Listed>>(),
  ];
  const read = async (from: string, limit: number): Promise<NewerPage<Listed> | null> => {
    const path = `operations?${from}&limit=${String(limit)}${filter}`;
    const { status, json } = await send(control(path));
    if (status !== 200) return null;
    const { operations, next } = json as { operations: Listed[]; next: string | null };
    return { rows: operations, isEnd: next === null };
  };
  const take = (at: number, page: NewerPage<Listed>): void => {
    const before = rows.value ?? [];
    rows.value = spliced(before, at, page);
    if (page.isEnd) isWhole = true;
    else if (at === 0 && rows.value.length <= PAGE) isWhole = false;
  };
  const after = (at: number): string => `before=${rows.value?.[at - 1]?.id ?? ''}`;
  return {
    filter,
    rows,
    refresh(): void {
      askNewest(
        () => read(FROM_NEWEST, PAGE),
        (page) => take(0, page),
      );
      const [first, last] = seen;
      if (last <= PAGE || first === 0) return;
      askSeen(
        () => read(after(first), Math.min(PAGE, last - first)),
        (page) => take(first, page),
      );
    },
    /** What is in sight now: more is asked for before its end is reached. */
    see(first: number, last: number): void {
      seen = [first, last];
      const count = rows.value?.length ?? 0;
      if (isWhole || count === 0 || last + PAGE / 2 < count) return;
      askMore(
        () => read(after(count), PAGE),
        (page) => take(count, page),
      );
    },
  };
}
