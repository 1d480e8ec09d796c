import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementsAt, memberAt, membersAt, type Range } from '../../src/contract/json.js';

const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 3 });
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\\', '"', '[', '}', ',', 'é') }),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

function write(json: unknown, gap: () => string): string {
  const around = (inner: string): string => gap() + inner + gap();
  if (Array.isArray(json)) return around(`[${json.map((item) => write(item, gap)).join(',') || gap()}]`);
  if (typeof json === 'object' && json !== null) {
    const members = Object.entries(json).map(
      ([name, item]) => `${around(JSON.stringify(name))}:${write(item, gap)}`,
    );
    return around(`{${members.join(',') || gap()}}`);
  }
  return around(JSON.stringify(json));
}

const spaced = <T>(json: fc.Arbitrary<T>): fc.Arbitrary<[T, string]> =>
  fc.tuple(json, fc.array(space, { minLength: 1, maxLength: 8 })).map(([item, gaps]) => {
    let at = 0;
    return [item, write(item, () => gaps[(at += 1) % gaps.length] ?? '')];
  });

const list = spaced(fc.array(value, { maxLength: 6 }));
const object = spaced(fc.dictionary(text, value, { maxKeys: 6, noNullPrototype: true }));
const bytesOf = (json: string): Buffer => Buffer.from(json, 'utf8');
const cut = (bytes: Buffer, { start, end }: Range): string => bytes.toString('utf8', start, end);

describe('elementsAt', () => {
  it('cuts a list into what JSON.parse reads, without white space around', () => {
    fc.assert(
      fc.property(list, ([, json]) => {
        const bytes = bytesOf(json);
        const slices = (elementsAt(bytes) ?? []).map((range) => cut(bytes, range));
        expect(slices.map((slice) => JSON.parse(slice) as unknown)).toEqual(JSON.parse(json));
        expect(slices.map((slice) => slice.trim())).toEqual(slices);
      }),
    );
  });

  it('finds no end where the text is cut off', () => {
    fc.assert(
      fc.property(list, fc.nat(), ([, json], length) => {
        const bytes = bytesOf(json.trimEnd());
        expect(elementsAt(bytes.subarray(0, length % bytes.length))).toBeNull();
      }),
    );
  });

  it('is not confused by brackets and quotes in strings, or by depth', () => {
    const depth = 200_000;
    const json = `["]", "\\"", "\\\\", ${'['.repeat(depth)}${']'.repeat(depth)}, 1]`;
    expect(elementsAt(bytesOf(json))).toHaveLength(5);
  });

  it.each(['', ' ', '{}', '1', '"["', '[', '[1', '[1,', '[,1]', '[1 2]', '[1 23]', '[1,]', '["a]', '[{]'])(
    'is null for %j',
    (json) => expect(elementsAt(bytesOf(json))).toBeNull(),
  );

  it('begins where it is told', () => {
    const bytes = bytesOf('{"events": [1, {"a":2}], "next_cursor": null}');
    const range = memberAt(bytes, 'events');
    const slices = elementsAt(bytes, range?.start)?.map((element) => cut(bytes, element));
    expect(slices).toEqual(['1', '{"a":2}']);
  });
});

describe('membersAt', () => {
  it('cuts an object into what JSON.parse reads', () => {
    fc.assert(
      fc.property(object, ([, json]) => {
        const bytes = bytesOf(json);
        const members = (membersAt(bytes) ?? []).map(
          (member) => [member.name, JSON.parse(cut(bytes, member)) as unknown] as const,
        );
        // JSON.parse moves names that look like numbers to the front, so the members are put in the order of the text.
        const place = new Map(members.map(([name], index) => [name, index]));
        const read = Object.entries(JSON.parse(json) as object);
        expect(members).toEqual(read.sort(([a], [b]) => (place.get(a) ?? -1) - (place.get(b) ?? -1)));
      }),
    );
  });

  it('finds no end where the text is cut off', () => {
    fc.assert(
      fc.property(object, fc.nat(), ([, json], length) => {
        const bytes = bytesOf(json.trimEnd());
        expect(membersAt(bytes.subarray(0, length % bytes.length))).toBeNull();
      }),
    );
  });

  it.each([
    ...['', '[]', '{', '{"a"', '{"a":', '{"a":1', '{"a":1,}', '{a:1}', '{"a" 1}', '{"a":1 "b":2}'],
    ...['{"a":1 x"b":2}', '{"\\x":1}'],
  ])('is null for %j', (json) => expect(membersAt(bytesOf(json))).toBeNull());

  it('decodes names, keeps repeated ones, and takes the last as a parser does', () => {
    const bytes = bytesOf('{"\\u0061":1,"a":2,"é\\n":3}');
    expect(membersAt(bytes)?.map(({ name }) => name)).toEqual(['a', 'a', 'é\n']);
    expect(cut(bytes, memberAt(bytes, 'a') ?? { start: 0, end: 0 })).toBe('2');
    expect(memberAt(bytes, 'b')).toBeNull();
    expect(memberAt(bytes, '__proto__')).toBeNull();
  });
});

it('never throws, whatever the bytes, and stays inside them', () => {
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    fc
      .string({ unit: fc.constantFrom('[', ']', '{', '}', '"', ',', ':', '\\', ' ', '1', 't') })
      .map((json) => Uint8Array.from(bytesOf(json))),
  );
  fc.assert(
    fc.property(noise, fc.nat(70), (bytes, start) => {
      for (const { start: from, end } of [
        ...(elementsAt(bytes, start) ?? []),
        ...(membersAt(bytes, start) ?? []),
      ]) {
        expect(from).toBeGreaterThanOrEqual(start);
        expect(end).toBeGreaterThan(from);
        expect(end).toBeLessThan(bytes.length);
      }
    }),
    { numRuns: 2000 },
  );
});
