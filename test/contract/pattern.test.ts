import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkFields } from '../../src/contract/create.js';
import { parsePattern, readPattern, programOf, search } from '../../src/contract/pattern.js';

describe('a pattern', () => {
  it.each<[string, string[]]>([
    ['^[0-9]{7,9}$', ['123456', '1234567', '123456789', '1234567890', '123456789\n', 'a1234567']],
    ['^04(12|14|24)[0-9]{7}$', ['04121234567', '04131234567', '0412123456']],
    ['^(?:V|E|J-?)\\d+$', ['V1', 'J-1', 'J--1', 'X1', 'V']],
    ['^[^\\s@]+@[^\\s@]+\\.[a-z]{2,}$', ['a@b.co', 'a@b', 'a b@c.co', 'a@b.c']],
    ['\\bno\\b', ['no', 'a no b', 'nob', 'a-no']],
    ['o\\B', ['no', 'nob']],
    ['a|^$|b$', ['', 'a', 'xb', 'bx', 'xax']],
    ['^.$', ['\n', 'é', '\u2028', '']],
    ['^[\\w.\\-\\]]+$', ['a-b.]', 'a b']],
    ['^(a|b)*?c{0}d?$', ['', 'abab', 'd', 'cd', 'abd']],
    ['^(a*)*$', ['', 'aaa', 'b']],
    ['^(?<year>\\d{4})-\\x41\\u0042\\/$', ['2026-AB/', '2026-AB']],
    ['', ['', 'x']],
    ['()|(|a)', ['', 'x']],
    ['(a{2}){2,}', ['aaa', 'aaaa', 'xaaaaax']],
  ])('%s allows what a regular expression allows', (source, texts) => {
    const pattern = readPattern(source)!;
    const native = new RegExp(source);
    for (const text of texts) expect([text, pattern.test(text)]).toEqual([text, native.test(text)]);
  });

  it('allows what a regular expression allows, whatever it is made of', () => {
    const unit = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\W', '^', '$', '\\b', '\\B');
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        unit,
        fc.tuple(tie('tree'), tie('tree')).map(([one, two]) => one + two),
        fc.tuple(tie('tree'), tie('tree')).map(([one, two]) => `(?:${one}|${two})`),
        fc
          .tuple(tie('tree'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{2,}', '*?'))
          .map(([one, times]) => `(${one})${times}`),
      ),
    }));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '\n'), maxLength: 6 });
    fc.assert(
      fc.property(tree, text, (source, value) => {
        const pattern = readPattern(source);
        if (pattern !== null) expect(pattern.test(value)).toBe(new RegExp(source).test(value));
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['[', '(', '(?=a)', '(?<!a)b', '(a)\\1', '\\k<a>', 'a{2,1}', '\\p{L}', 'a'.repeat(1001)])(
    '%s is not checked here',
    (source) => expect(readPattern(source)).toBeNull(),
  );
});

describe('a hostile pattern', () => {
  const HOSTILE = [
    ...['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(a*)*$', '(a*)*b', '^(([a-z])+.)+[A-Z]([a-z])+$'],
    ...['a*a*a*a*a*a*b', '^(a|a){30}$', '^(?:a{1,30}){1,30}$', '(.*)*(.*)*(.*)*x'],
  ];

  it.each(HOSTILE)('%s takes steps in proportion to the text', (source) => {
    const program = programOf(parsePattern(source)!, Infinity)!;
    const at = (length: number): number => search(program, `${'a'.repeat(length)}!`, Infinity).steps;
    const [first, then] = [at(101) - at(100), at(1001) - at(1000)];
    expect(then).toBeLessThanOrEqual(first);
    expect(first).toBeLessThan(10_000);
  });

  it.each(HOSTILE)('%s refuses what it would have refused after a lifetime', (source) => {
    expect(readPattern(source)!.test(`${'a'.repeat(40)}!`)).toBe(false);
  });

  it.each([
    ...['((((a{1000}){1000}){1000}){1000}){1000}', '(((){9999}){9999}){9999}', '(a|b|c|d|){2000}'],
    `${'('.repeat(500)}${')'.repeat(500)}`.repeat(1),
  ])('%s is not written out without end', (source) => {
    const pattern = readPattern(source);
    expect(pattern === null || pattern.test('a')).toBe(true);
  });

  it('allows a text that is too long to find out: the service checks it in any case', () => {
    const field = { name: 'x', required: true, type: 'string', pattern: '^(.*)*(.*)*(.*)*!$' } as const;
    expect(checkFields('payer', { x: 'a'.repeat(40) }, [field])).toEqual([
      { field: 'payer.x', code: 'invalid' },
    ]);
    expect(checkFields('payer', { x: 'a'.repeat(1_000_000) }, [field])).toEqual([]);
  });
});
