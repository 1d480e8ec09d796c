import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonValue, leavesOf } from '../../src/output/value.js';
import { bytes, json } from './samples.js';

const of = (text: string): JsonValue => JsonValue.of(bytes(text));

function rebuild(value: JsonValue): unknown {
  if (value.kind === 'object')
    return Object.fromEntries([...value.members].map(([name, item]) => [name, rebuild(item)]));
  if (value.kind === 'array') return value.elements.map(rebuild);
  return value.kind === 'string' ? value.text : (JSON.parse(value.raw) as unknown);
}

describe('JsonValue', () => {
  it('reads any JSON as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(rebuild(of(` ${text}\n`))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('keeps the digits of numbers and the last of repeated names', () => {
    const value = of('{"n":1,"n":12345678901234567890.10,"s":"\\u00e9","z":null,"t":true}');
    const texts = [...value.members].map(([name, member]) => [name, member.kind, member.text]);
    expect(texts).toEqual([
      ['n', 'number', '12345678901234567890.10'],
      ['s', 'string', 'é'],
      ['z', 'null', ''],
      ['t', 'boolean', 'true'],
    ]);
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,\\ a1-tfn\n'.split('')) }), (text) => {
        const value = of(text);
        expect(typeof value.text).toBe('string');
        for (const { value: leaf } of leavesOf(value)) expect(typeof leaf.text).toBe('string');
        expect(Array.isArray(value.elements)).toBe(true);
      }),
    );
    expect(of('').kind).toBe('nothing');
    expect(of('<html>').kind).toBe('nothing');
  });
});

describe('leavesOf', () => {
  it('names each leaf by its path; arrays and empty objects are leaves', () => {
    const leaves = leavesOf(JsonValue.of(json({ a: { b: 1, c: { d: 'x' } }, e: [{ f: 1 }], g: {} })));
    expect(leaves.map(({ path, value }) => [path, value.raw])).toEqual([
      ['a.b', '1'],
      ['a.c.d', '"x"'],
      ['e', '[{"f":1}]'],
      ['g', '{}'],
    ]);
  });

  it('stops at a depth, so that nothing recurses without end', () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const [leaf, ...more] = leavesOf(of(deep));
    expect(more).toEqual([]);
    expect(leaf!.path).toBe('a.a.a.a.a.a.a.a');
    expect(leaf!.value.raw.startsWith('{"a":')).toBe(true);
  });
});
