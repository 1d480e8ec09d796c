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
  withoutNulls,
} from '../../src/contract/shape.js';

const shape = object({
  ...{ code: textLike(/^[0-9]{3}$/), kind: optional(oneOf(['a', 'b'])), count: optional(integer(1, 9)) },
  ...{ share: optional(number(0)), tags: optional(list(text)), more: optional(anyObject) },
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
    ['kind', 'c'],
    ['count', 0],
    ['count', 10],
    ['count', '5'],
    ['count', 2 ** 53],
    ['share', -0.1],
    ['share', Infinity],
    ['tags', {}],
    ['more', []],
    ['party', []],
    ['party', 'x'],
  ])('refuses %s: %j', (field, value) => {
    expect(detailsOf(shape, { ...WHOLE, [field]: value })).toEqual([{ field, code: 'invalid' }]);
  });

  it.each([undefined, null, ''])('takes %j in a required place for nothing', (nothing) => {
    const body = { code: nothing, party: { name: nothing, document: { number: nothing } } };
    expect(detailsOf(shape, body)).toEqual([
      { field: 'code', code: 'required' },
      { field: 'party.name', code: 'required' },
      { field: 'party.document.number', code: 'required' },
    ]);
    expect(detailsOf(shape, { ...WHOLE, party: nothing })).toEqual([{ field: 'party', code: 'required' }]);
  });

  it('takes null in an optional place for nothing, and an empty text for a text', () => {
    const nulls = { kind: null, count: null, share: null, tags: null, more: null };
    expect(detailsOf(shape, { ...WHOLE, ...nulls, party: { name: 'x', document: null } })).toEqual([]);
    expect(detailsOf(shape, { ...WHOLE, kind: '' })).toEqual([{ field: 'kind', code: 'invalid' }]);
    expect(detailsOf(shape, { ...WHOLE, others: null })).toEqual([{ field: 'others', code: 'unknown' }]);
  });

  it('has no nulls left where they mean nothing, and those of a caller stay', () => {
    const body = { a: null, b: { c: null, d: 0 }, e: [null], metadata: { f: null } };
    expect(withoutNulls(body, ['metadata'])).toEqual({ b: { d: 0 }, e: [null], metadata: { f: null } });
    expect(withoutNulls({ metadata: null }, ['metadata'])).toEqual({});
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
