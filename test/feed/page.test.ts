import { describe, expect, it } from 'vitest';
import { bytesOf, type Page, readPage } from '../../src/feed/walk.js';

const read = (text: string): Page => {
  const page = readPage(Buffer.from(text));
  if ('problem' in page) throw new Error(page.problem);
  return page;
};

const texts = (page: Page): string[] =>
  page.events.map((event) => Buffer.from(bytesOf(page, event)).toString());

describe('a page', () => {
  it('keeps the bytes of each event, whatever is in them', () => {
    const odd = '{"id":"a","n":1.10, "n":1e3 ,"t":"\\u00e9]}","x":[{}]}';
    const page = read(`{"events":[${odd},{"id":"b"}],"next_cursor":"c1"}`);
    expect(texts(page)).toEqual([odd, '{"id":"b"}']);
    expect(page.events.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(page.next).toBe('c1');
  });

  it.each([
    ['id behind other members', '{"type":"x","id":"a"}', 'a'],
    ['white space', '{ "id" : "a" }', 'a'],
    ['an escaped id', '{"id":"a\\u0062"}', 'ab'],
    ['an id inside data as well', '{"data":{"id":"inner"},"id":"outer"}', 'outer'],
    ['an id beyond ASCII', '{"id":"é"}', 'é'],
  ])('finds the id: %s', (_what, event, id) => expect(read(`{"events":[${event}]}`).events[0]?.id).toBe(id));

  it.each([
    ['{"events":[],"next_cursor":null}', null],
    ['{"events":[]}', null],
    ['{"events":[],"next_cursor":""}', null],
    ['{"events":[{"id":"a"}],"next_cursor":"a\\"b"}', 'a"b'],
    ['{"next_cursor":"first","events":[]}', 'first'],
    ['{"events":[],"next_cursor":"one","next_cursor":"two"}', 'two'],
    ['{"data":[{"id":"a"}],"next_cursor":"c"}', 'c'],
    ['[{"id":"a"}]', null],
  ])('reads the cursor of %s', (text, next) => expect(read(text).next).toBe(next));

  it.each([
    ['', 'no list'],
    ['null', 'no list'],
    ['<html>', 'no list'],
    ['{"next_cursor":"c"}', 'no list'],
    ['{"events":null}', 'no list'],
    ['{"events":[{"id":"a"}', 'no list'],
    ['{"a":[],"b":[]}', 'no list'],
    ['{"events":[{"type":"x"}]}', 'event 1 of the page has no id'],
    ['{"events":[{"id":"a"},{"id":""}]}', 'event 2 of the page has no id'],
    ['{"events":[{"id":7}]}', 'event 1 of the page has no id'],
    ['{"events":["text"]}', 'event 1 of the page has no id'],
    ['{"events":[],"next_cursor":7}', 'next_cursor is not text'],
    ['{"events":[],"next_cursor":garbage}', 'next_cursor is not text'],
  ])('refuses %s', (text, problem) => {
    expect(readPage(Buffer.from(text))).toEqual({ problem: expect.stringContaining(problem) as string });
  });
});
