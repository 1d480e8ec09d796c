import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findList, requireList } from '../../src/output/value.js';
import { renderLine, renderNdjson } from '../../src/output/ndjson.js';
import { bytes, json } from './samples.js';

const lines = (body: string, wrapper: string | null): string =>
  Buffer.from(renderNdjson(bytes(body), wrapper)).toString('utf8');

describe('renderNdjson', () => {
  it('passes each element through byte for byte', () => {
    const elements = [
      ...['{"x":1.10,"x":2,"n":12345678901234567890}', '{"s":"\\u00e9 , ] }"}', '[1, 2]', '-0.0'],
      ...['"a"', 'null'],
    ];
    expect(lines(`{"events":[ ${elements.join(' ,\n ')} ],"next_cursor":"c"}`, 'events')).toBe(
      `${elements.join('\n')}\n`,
    );
    expect(lines('{"events":[]}', 'events')).toBe('');
  });

  it('makes one line of an element of several, changing white space only', () => {
    expect(lines('[{\r\n  "a": "x\\ny",\n  "b": 1.0\n}]', null)).toBe('{    "a": "x\\ny",   "b": 1.0 }\n');
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 5 }),
        fc.constantFrom(0, 1, '\t'),
        (values, indent) => {
          const text = Buffer.from(
            renderNdjson(bytes(JSON.stringify({ list: values }, null, indent)), 'list'),
          );
          const read = text.toString('utf8').split('\n').slice(0, -1);
          expect(read.map((line) => JSON.parse(line) as unknown)).toEqual(JSON.parse(JSON.stringify(values)));
        },
      ),
    );
  });

  it('makes a line of a single object', () => {
    expect(Buffer.from(renderLine(bytes('{\n "id":1.10}\n'))).toString('utf8')).toBe('{  "id":1.10} \n');
  });

  it('leaves the body as it was', () => {
    const body = bytes('[{\n}]');
    renderNdjson(body, null);
    expect(Buffer.from(body).toString('utf8')).toBe('[{\n}]');
  });
});

describe('findList', () => {
  const count = (body: unknown, wrapper: string | null): number | null =>
    findList(json(body), wrapper)?.length ?? null;

  it('goes by the wrapper, else takes the only array, else the body', () => {
    expect(count({ tags: [1], banks: [1, 2], more: [3] }, 'banks')).toBe(2);
    expect(count({ data: [1, 2, 3], next: null }, 'banks')).toBe(3);
    expect(count({ banks: { nested: [1] }, data: [1] }, 'banks')).toBe(1);
    expect(count([1], 'banks')).toBe(1);
    expect(count([], null)).toBe(0);
  });

  it('takes the last of repeated wrappers, and the whole body into account', () => {
    const lengths = [
      ...['{"banks":[1,2],"banks":[3]}', '{"banks":[1,2],"\\u0062anks":[3]}', '{"banks":[],"next":null}'],
      ...['{"banks":[ "]" , [2] ] , "x":"banks"}', ' {"banks": [1,2]}'],
    ].map((text) => findList(bytes(text), 'banks')?.length);
    expect(lengths).toEqual([1, 1, 0, 2, 2]);
    for (const cut of ['{"banks":[1,2]', '{"banks":[1,2],', '{"banks":[1,2],"x"', '{"banks":[1']) {
      expect(findList(bytes(cut), 'banks')).toBe(null);
    }
  });

  it('guesses nothing where there is a choice, or no list', () => {
    for (const body of [{ a: [1], b: [2] }, {}, { banks: null }, 'x', 1, null])
      expect(count(body, 'banks')).toBe(null);
    expect(() => requireList(json({}), 'banks')).toThrow(/`banks`/);
    expect(() => requireList(bytes('<html>'), 'banks')).toThrow(
      expect.objectContaining({ kind: 'defect' }) as Error,
    );
    expect(findList(bytes('{"banks":[1,'), 'banks')).toBe(null);
  });
});
