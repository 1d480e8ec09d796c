/** Shapes of bodies: every field that is wrong is named once, with why, in the order of the shape. */
import { describe, expect, it } from 'vitest';
import {
  anyObject,
  detailsOf,
  integer,
  list,
  number,
  object,
  oneOf,
  optional,
  text,
  textLike,
} from '../../src/contract/shape.js';

const shape = object({
  code: textLike(/^[0-9]{3}$/),
  kind: optional(oneOf(['a', 'b'])),
  count: optional(integer(1, 9)),
  share: optional(number(0)),
  tags: optional(list(text)),
  more: optional(anyObject),
  party: object({ name: text, document: optional(object({ number: text })) }),
});
const WHOLE = { code: '123', party: { name: 'x' } };

describe('a body', () => {
  it('passes with what is required, and with everything', () => {
    const everything = { kind: 'b', count: 9, share: 0.5, tags: ['', 'y'], more: { any: [null] } };
    expect(detailsOf(shape, WHOLE)).toEqual([]);
    expect(detailsOf(shape, { ...WHOLE, ...everything })).toEqual([]);
  });

  it('has every wrong field named, in the order of the shape, others last', () => {
    const body = { other: 1, tags: ['x', 2], count: 1.5, party: { document: {}, extra: null } };
    expect(detailsOf(shape, body)).toEqual([
      { field: 'code', code: 'required' },
      { field: 'count', code: 'invalid' },
      { field: 'tags.1', code: 'invalid' },
      { field: 'party.name', code: 'required' },
      { field: 'party.document.number', code: 'required' },
      { field: 'party.extra', code: 'unknown' },
      { field: 'other', code: 'unknown' },
    ]);
  });

  it.each<[string, unknown]>([
    ['code', '12'],
    ['code', 123],
    ['code', null],
    ['kind', 'c'],
    ['count', 0],
    ['count', 10],
    ['count', '5'],
    ['count', 2 ** 53],
    ['share', -0.1],
    ['share', Infinity],
    ['tags', {}],
    ['more', []],
    ['more', null],
    ['party', []],
    ['party', 'x'],
  ])('refuses %s: %j', (field, value) => {
    expect(detailsOf(shape, { ...WHOLE, [field]: value })).toEqual([{ field, code: 'invalid' }]);
  });

  it('takes an undefined member for an absent one', () => {
    expect(detailsOf(shape, { ...WHOLE, kind: undefined, code: undefined })).toEqual([
      { field: 'code', code: 'required' },
    ]);
  });

  it('finds what only an own member can be', () => {
    const body = JSON.parse('{"code":"123","party":{"name":"x"},"__proto__":{},"toString":1}') as unknown;
    expect(detailsOf(shape, body)).toEqual([
      { field: '__proto__', code: 'unknown' },
      { field: 'toString', code: 'unknown' },
    ]);
    expect(detailsOf(object({ toString: text }), {})).toEqual([{ field: 'toString', code: 'required' }]);
  });

  it.each([null, 1, 'x', [], true])('is an object, not %j', (body) => {
    expect(detailsOf(shape, body)).toEqual([{ field: '', code: 'invalid' }]);
  });
});
