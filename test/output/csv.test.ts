import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDecimal } from '../../src/contract/money.js';
import { rearm } from '../../src/contract/on-screen.js';
import { createCsvWriter } from '../../src/output/csv.js';
import { plainText } from '../../src/sheet/amount.js';
import { ANSWERS, bytes, json } from './samples.js';

const csv = async (elements: string): Promise<string> => {
  const writer = await createCsvWriter(null, 'list');
  return writer.page(bytes(`{"list":${elements}}`));
};

const read = (text: string): Record<string, string>[] => parse(text, { columns: true });

describe('createCsvWriter', () => {
  it('flattens objects to dotted columns; arrays stay JSON, null is empty', async () => {
    expect(await csv('[{"a":{"b":{"c":1.10}},"l":[1, "x"],"n":null,"t":true},{"z":"q"}]')).toBe(
      'a.b.c,l,t,z\n1.10,"[1, ""x""]",true,\n,,,q\n',
    );
    expect(await csv('["x",2]')).toBe('value\nx\n2\n');
  });

  it('never rounds a number', async () => {
    const numbers = ['12345678901234567890', '1.10', '-0.00', '1E400', '-7', '-1.5E3'];
    expect(await csv(`[${numbers.map((number) => `{"n":${number}}`).join(',')}]`)).toBe(
      `n\n${numbers.join('\n')}\n`,
    );
  });

  const ARMED = ['=1+1', '+58412', '-2+3', '@SUM(A1)', '\tx', '\rx', '-', '+1'];
  const HARMLESS = ['-1500.50', '-7', '0', '1=1', 'a', 'a=1', 'a; b=1', 'a-b', 'x@y.z', '1;2|3'];
  it.each<[text: string, written: string]>([
    ...ARMED.map((text): [string, string] => [text, `'${text}`]),
    ...HARMLESS.map((text): [string, string] => [text, text]),
    ['a;=1', "a;'=1"],
    ['a\t=1', "a\t'=1"],
    ['a|+1', "a|'+1"],
    ['a\n-1', "a\n'-1"],
    ['a\r@x', "a\r'@x"],
    [' =1', " '=1"],
    ['a; \u00a0 =1', "a; \u00a0 '=1"],
    ['a;\t|=1', "a;\t|'=1"],
    ['\t=1', "'\t'=1"],
    ['a; "=1', `a; "'=1`],
    ['＝1', "'＝1"],
    ['a;＋1', "a;'＋1"],
    ['a|－1|＠b', "a|'－1|'＠b"],
    ["'=1", "''=1"],
    ["a;'=1", "a;''=1"],
    ['-1;-2', "'-1;'-2"],
    ['=;=', "'=;'="],
    ['\u200b=1', '\\u200b=1'],
    ['a\u00adb\u2060c\u{e0041}', 'a\\u00adb\\u2060c\\udb40\\udc41'],
  ])('writes %j as %j', async (text, written) => {
    expect(read(await csv(JSON.stringify([{ t: text }, { t: [text] }])))).toEqual([
      { t: written },
      { t: expect.not.stringMatching(/[;|\n\r]\s*[=+@＝＋－＠-]/) as string },
    ]);
  });

  it('has no cell that begins a formula for a reader that splits anywhere, and is read back by our own', async () => {
    const unit = fc.constantFrom(...Array.from('\r\n\t;|, =+-@＝＋－＠\'"a1.\u00a0'));
    await fc.assert(
      fc.asyncProperty(fc.string({ unit, maxLength: 14 }), async (text) => {
        const [, ...lines] = (await csv(JSON.stringify([{ t: `a${text}` }, { t: text }]))).split('\n');
        const cells = lines.flatMap((line) =>
          line.split(/[;\t|\r]/).map((cell, at) => (at === 0 ? cell : cell.replace(/^"+/, ''))),
        );
        for (const cell of cells) expect(isDecimal(text) ? '' : cell).not.toMatch(/^\s*[=+@＝＋－＠-]/);
        const [first, second] = read(await csv(JSON.stringify([{ t: `a${text}` }, { t: text }])));
        expect(plainText(first!['t']!, true)).toBe(`a${text}`.trim());
        if (!/^\s|^="[^]*"$/.test(text) && !text.startsWith("'"))
          expect(plainText(second?.['t'] ?? '', true)).toBe(text.trim());
      }),
      { numRuns: 500 },
    );
  });

  it('takes no longer for a long text', async () => {
    for (const long of ['\t', '\n', "'", ';', ' ', '=', ';='].map((unit) => unit.repeat(500_000)))
      expect((await csv(JSON.stringify([{ t: `${long}x` }]))).length).toBeGreaterThan(500_000);
  });

  /** Spreadsheets end a line at a lone CR too. */
  const readAsSpreadsheet = (text: string): string[][] =>
    parse(text, { record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true });

  const LINE_ENDS = ['\r', '\r\n', '\n', '\ra', 'a\rb', 'a\r\rb|x', '\v', '\f', '\u0085', '\u2028', '\u2029'];
  it.each(LINE_ENDS)('keeps %j in one cell for a reader that ends lines there', async (end) => {
    const text = await csv(JSON.stringify([{ a: `x${end}HYPERLINK()`, [`n${end}1`]: 'z' }]));
    const rows = readAsSpreadsheet(text);
    expect(rows).toEqual([
      ['a', `n${end}1`],
      [`x${end}HYPERLINK()`, 'z'],
    ]);
    expect(text.replaceAll(/"[^"]*"/g, '')).toMatch(/^[^\r\v\f\u0085\u2028\u2029]*$/);
  });

  it('gives such a reader what was written, and nothing that begins a formula, whatever the text', async () => {
    const text = fc.string({
      unit: fc.constantFrom('\r', '\n', '=', '"', ',', 'a', '+', '\t', '\u2028', ' ', '😀'),
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 3 }), async (cells) => {
        const rows = readAsSpreadsheet(
          await csv(JSON.stringify([Object.fromEntries(cells.map((cell, at) => [`c${String(at)}`, cell]))])),
        );
        expect(rows[1]?.map((cell) => rearm(cell.replace(/^'(?=[\t\r])/, '')))).toEqual(cells);
        for (const cell of rows.flat()) expect(cell).not.toMatch(/^[=+@\t\r]/);
      }),
    );
  });

  it('disarms names of columns too', async () => expect(await csv('[{"=cmd()":"x"}]')).toBe("'=cmd()\nx\n"));

  it('has the known columns of its kind whatever the data holds', async () => {
    const writer = await createCsvWriter('balances', 'balances');
    expect(writer.page(json({ balances: [] }))).toBe('currency,available,reserved\n');
    const events = await createCsvWriter('events', 'events');
    const rows = read(events.page(json(ANSWERS['events.list'])));
    expect(rows[1]).toMatchObject({
      ...{ type: 'payout.failed', 'data.amount': '1500.50', 'data.failure.reason': 'invalid_account' },
      ...{ 'data.metadata.order.id': 'A-17', 'data.bank_reference': '' },
    });
  });

  it('keeps its columns over the pages, and tells which fields came too late', async () => {
    const writer = await createCsvWriter(null, null);
    expect(writer.page(bytes('[{"a":1}]'))).toBe('a\n1\n');
    expect(writer.page(bytes('[{"b":2,"a":3}]'))).toBe('3\n');
    expect([...writer.omittedFields]).toEqual(['b']);
  });

  it('survives any shape', async () => {
    const writer = await createCsvWriter('events', null);
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        expect(typeof writer.page(json(values))).toBe('string');
      }),
    );
    expect(() => writer.page(bytes(`[${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}]`))).not.toThrow();
  });
});
