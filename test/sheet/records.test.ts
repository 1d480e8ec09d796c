import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvCutter, type SheetRecord } from '../../src/sheet/records.js';

function cut(text: string, size = text.length || 1): SheetRecord[] {
  const cutter = new CsvCutter(';', 1);
  const records: SheetRecord[] = [];
  for (let at = 0; at < text.length; at += size) records.push(...cutter.push(text.slice(at, at + size)));
  return [...records, ...cutter.end()];
}

const plain = (text: string): string[] => cut(text).map(({ line, cells }) => [line, ...cells].join('|'));

describe('records', () => {
  it.each([
    ['line feeds', 'a;b\nc;d\n', ['1|a|b', '2|c|d']],
    ['both', 'a;b\r\nc;d\r\n', ['1|a|b', '2|c|d']],
    ['carriage returns', 'a;b\rc;d\r', ['1|a|b', '2|c|d']],
    ['a mixture', 'a\r\rb\n\nc\r\n\r\nd', ['1|a', '2|', '3|b', '4|', '5|c', '6|', '7|d']],
    ['no line end', 'a;b', ['1|a|b']],
    ['nothing', '', []],
    ['quoted cells', '"a;b";"c""d"\n"";x', ['1|a;b|c"d', '2||x']],
    ['line ends in a cell', '"a\r\nb\rc\nd";1\ne;2', ['1|a\r\nb\rc\nd|1', '5|e|2']],
    ['quotes that quote nothing', 'a 5" b;c\nd;e"f"\n', ['1|a 5" b|c', '2|d|e"f"']],
    ['spaces about a quoted cell', 'a; "b;c" ;d', ['1|a|b;c|d']],
    ['a text of a spreadsheet', 'a;="00;12";b', ['1|a|00;12|b']],
    ['a last cell that is empty', '"a";\n"b";', ['1|a|', '2|b|']],
  ])('come out of %s', (_what, text, records) => expect(plain(text)).toEqual(records));

  it.each([
    ['a quote that is never closed', 'a\n"b;c\nd\n', [2, 'a quote is opened here and never closed']],
    ['text behind a quoted cell', 'a\n"b"c;d\ne', [2, 'a quote stands inside a cell']],
    ['NUL', 'a\nb\0;c\nd', [2, 'holds a NUL byte']],
  ] as const)('tell of %s', (_what, text, [line, fault]) => {
    const broken = cut(text).filter((record) => record.fault !== null);
    expect(broken).toMatchObject([{ line, fault: expect.stringContaining(fault) as string }]);
  });

  it('go on behind a line that is too long, and not behind a quote that is never closed', () => {
    const long = 'x'.repeat(10 * 1024 * 1024);
    const records = cut(`a;b\n${long};1\nc;d\n`, 65_536);
    expect(records.map(({ line, fault }) => [line, fault])).toEqual([
      [1, null],
      [2, 'is longer than 131072 characters'],
      [3, null],
    ]);
    const open = cut(`a;b\n"${long}\nc;d\n`, 65_536);
    expect(open.map(({ line, fault }) => [line, fault])).toEqual([
      [1, null],
      [2, 'a quote is opened here and never closed'],
    ]);
  });

  it('are the same however the text is cut', () => {
    const character = fc.constantFrom('a', ';', '"', '\n', '\r', ' ', '=', '\0', 'é');
    fc.assert(
      fc.property(
        fc.array(character, { maxLength: 40 }),
        fc.integer({ min: 1, max: 7 }),
        (characters, size) => {
          const text = characters.join('');
          expect(cut(text, size)).toEqual(cut(text));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are what was written', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ';', '"', '\n', '\r', ' ', 'ñ'), maxLength: 6 });
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 8 });
    fc.assert(
      fc.property(rows, fc.constantFrom('\n', '\r\n', '\r'), (cells, end) => {
        const text = cells
          .map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(';') + end)
          .join('');
        expect(cut(text).map((record) => record.cells)).toEqual(cells);
      }),
    );
  });
});
