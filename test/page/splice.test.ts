import { describe, expect, it } from 'vitest';
import { updateHeldRows, mergePage } from '../../src/sandbox/page/answers.js';

const rows = (of: string) => of.split('').map((id) => ({ id }));
const ids = (of: readonly { readonly id: string }[]) => of.map(({ id }) => id).join('');
const put = (before: string, at: number, page: string, isEnd = false): string =>
  ids(mergePage(rows(before), at, { rows: rows(page), isEnd }));

describe('newer knowledge', () => {
  it.each([
    ['the first page', '', 0, 'abc', 'abc'],
    ['the same again', 'abcdef', 0, 'abc', 'abcdef'],
    ['new rows at the top', 'abcdef', 0, 'xyab', 'xyabcdef'],
    ['one in the page is gone', 'abcdef', 0, 'acd', 'acdef'],
    ['all of it is new', 'abc', 0, 'xyz', 'xyz'],
    ['the next page', 'abc', 3, 'def', 'abcdef'],
    ['a page in the middle, where one is gone', 'abcdef', 2, 'ce', 'abcef'],
    ['a page in the middle, where one has come', 'abef', 2, 'cdef', 'abcdef'],
  ])('%s', (_name, before, at, page, after) => expect(put(before, at, page)).toBe(after));

  it.each([
    ['abcdef', 0, 'ab', 'ab'],
    ['abcdef', 3, '', 'abc'],
    ['', 0, '', ''],
  ])('that is the end: %s at %d', (before, at, page, after) => {
    expect(put(before, at, page, true)).toBe(after);
  });
});

describe('rows that are held', () => {
  it('keep their places: what came goes behind them, and what is gone stays', () => {
    const held = updateHeldRows({ oldCount: 3, rows: rows('abc') }, rows('zyb'));
    expect(ids(held.rows)).toBe('abcyz');
    expect(ids(updateHeldRows(held, rows('xz')).rows)).toBe('abcyzx');
    expect(held.oldCount).toBe(3);
  });

  it('are as new as they are known', () => {
    const old = { id: 'a', status: 'pending' };
    const renewed = { id: 'a', status: 'failed' };
    expect(updateHeldRows({ oldCount: 1, rows: [old] }, [renewed]).rows).toEqual([renewed]);
  });
});
