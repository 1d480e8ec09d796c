import { expect, it } from 'vitest';
import { walkPages, type CursorPage } from '../../src/contract/paging.js';

function walk(nexts: Readonly<Record<string, string | null>>) {
  const asked: (string | null)[] = [];
  const pages = walkPages<CursorPage>({
    fetch: (cursor) => {
      asked.push(cursor);
      return Promise.resolve({ next: nexts[cursor ?? ''] ?? null });
    },
    from: null,
    idsOf: ({ next }) => [`of ${String(next)}`],
    fetchesAhead: false,
    waitAtEnd: null,
    fault: (why) => new Error(`a ${why}`),
    signal: new AbortController().signal,
  });
  return { asked, pages };
}

it('asks for a page only when the one before it was taken', async () => {
  const { asked, pages } = walk({ '': 'a', a: 'b' });
  await pages.next();
  expect(asked).toEqual([null]);
  expect(await pages.next()).toMatchObject({ value: { next: 'b', isEnd: false } });
  expect(asked).toEqual([null, 'a']);
  expect(await pages.next()).toMatchObject({ value: { next: 'b', isEnd: true } });
  expect(await pages.next()).toMatchObject({ done: true });
});

it('hands over the page that closes a circle, and then throws', async () => {
  const { asked, pages } = walk({ '': 'a', a: 'b', b: 'a' });
  const taken: unknown[] = [];
  const all = async (): Promise<void> => {
    for await (const { page } of pages) taken.push(page);
  };
  await expect(all()).rejects.toThrow('a circle');
  expect(taken).toHaveLength(3);
  expect(asked).toEqual([null, 'a', 'b']);
});
