import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, repeatedPath } from '../../src/contract/json.js';

function rewrite(value: unknown): string {
  if (typeof value === 'string') {
    const escaped = Array.from(
      { length: value.length },
      (_, index) => `\\u${value.charCodeAt(index).toString(16).padStart(4, '0')}`,
    );
    return `"${escaped.join('')}"`;
  }
  if (Array.isArray(value)) return `[ ${value.map(rewrite).join(' ,\n')} ]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).reverse();
  return `{\t${members.map(([name, inner]) => `${rewrite(name)} :\r\n${rewrite(inner)}`).join(' , ')} }`;
}

describe('equal values', () => {
  it('have one form, however they are written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const form = canonicalJson(JSON.stringify(value));
        expect(form).not.toBeNull();
        expect(canonicalJson(rewrite(value))).toBe(form);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['10', '1e1', '10.0', '1E+1', '0.10e2'],
    ['0', '-0', '0.000', '0e7'],
    ['"é"', '"\\u00e9"', '"\\u00E9"'],
    ['"/"', '"\\/"'],
    ['{"a":1,"b":2}', '{"b":2,"a":1}', ' { "b" : 2 , "\\u0061" : 1.0 } '],
    ['[]', '[ ]'],
  ])('%s', (first, ...others) => {
    const form = canonicalJson(first);
    expect(others.map(canonicalJson)).toEqual(others.map(() => form));
  });
});

describe('different values', () => {
  it('have different forms', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const [one, other] = [left, right].map((value) => JSON.parse(JSON.stringify(value)) as unknown);
        fc.pre(!isDeepStrictEqual(one, other));
        expect(canonicalJson(JSON.stringify(left))).not.toBe(canonicalJson(JSON.stringify(right)));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['1', '"1"'],
    ['9007199254740993', '9007199254740992'],
    ['0.1', '0.10000000000000000001'],
    ['1e400', '2e400'],
    ['-1', '1'],
    ['[1,2]', '[2,1]'],
    ['{"a":null}', '{}'],
    ['{"a":{"b":1}}', '{"a":1,"b":1}'],
    ['["a,b"]', '["a","b"]'],
    ['{"a":"\\",\\"b\\":\\""}', '{"a":"","b":""}'],
    ['true', '"true"'],
  ])('%s is not %s', (left, right) => expect(canonicalJson(left)).not.toBe(canonicalJson(right)));
});

describe('what has no form', () => {
  it.each(['{"a":1,"a":1}', '{"a":1,"\\u0061":2}', '{"x":[{"a":1,"b":2,"a":3}]}'])(
    'a name twice: %s',
    (text) => expect(canonicalJson(text)).toBeNull(),
  );

  it('100,000 levels, with a stack that stands it', () => {
    expect(canonicalJson('['.repeat(100_000) + ']'.repeat(100_000))).toBeNull();
    expect(canonicalJson('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000))).toBeNull();
  });

  it('but 4 KB of brackets have one', () => {
    expect(canonicalJson(`{"metadata":{"a":${'['.repeat(2045)}${']'.repeat(2045)}}}`)).not.toBeNull();
  });
});

describe('a name that stands twice', () => {
  it.each<[string, string | null]>([
    ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}', null],
    ['{"a":"\\"a\\":1","b":"\\\\","c":["a","a"]}', null],
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"b":{"a" :1, "a"\n:2}}', 'b.a'],
    ['{"b":[0,[{"x":{}},{"a":1,"c":[],"a":2}]]}', 'b.a'],
    ['{"":1,"":2}', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ])('%s', (text, path) => expect(repeatedPath(text)).toBe(path));

  it('is found wherever there is no canonical form because of it', () => {
    const name = fc.constantFrom('a', '\\u0061', 'b"'.replace('"', '\\"'), '');
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('1', '"a"', '"{\\"a\\":1"', '[]'),
        fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(' , ')}]`),
        fc
          .array(fc.tuple(name, tie('value')), { maxLength: 3 })
          .map((members) => `{${members.map(([key, inner]) => `"${key}" : ${inner}`).join(',')}}`),
      ),
    }));
    fc.assert(
      fc.property(value, (text) => {
        expect(repeatedPath(text) === null).toBe(canonicalJson(text) !== null);
      }),
      { numRuns: 2000 },
    );
  });

  it('is found in a megabyte of anything', () => {
    const deep = 170_000;
    for (const text of [`"${'\\n'.repeat(500_000)}"`, `${'['.repeat(deep)}${']'.repeat(deep)}`])
      expect(repeatedPath(`{"b":${text},"a":1,"a":2}`)).toBe('a');
    expect(repeatedPath(`${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`)).toBeNull();
  });
});
