import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Column, renderTable } from '../../src/output/table.js';
import { renderDetail } from '../../src/output/detail.js';
import { createStyle } from '../../src/output/style.js';
import { widthOf, wrap } from '../../src/output/width.js';

const COLUMNS: readonly Column[] = [
  { header: 'Id', whole: true },
  { header: 'Amount', align: 'right', whole: true },
  { header: 'Name' },
  { header: 'Note', optional: true },
];
const ROWS = [
  ['a-1', '1500.50 VES', 'Ana', 'first'],
  ['a-22', '7.00 VES', 'Bartholomew of the long name', 'second'],
];

describe('renderTable', () => {
  it('stands money to the right and gives every column its width', () => {
    expect(renderTable(COLUMNS, ROWS, 80)).toBe(
      [
        'Id         Amount  Name                          Note',
        'a-1   1500.50 VES  Ana                           first',
        'a-22     7.00 VES  Bartholomew of the long name  second',
        '',
      ].join('\n'),
    );
  });

  it('wraps text, then leaves out what is optional and says so, then sets a block for each row', () => {
    expect(renderTable(COLUMNS, ROWS, 48)).toBe(
      [
        'Id         Amount  Name                   Note',
        'a-1   1500.50 VES  Ana                    first',
        ...['a-22     7.00 VES  Bartholomew of the     second', '                   long name', ''],
      ].join('\n'),
    );
    expect(renderTable(COLUMNS, ROWS, 34)).toBe(
      [
        ...['Id         Amount  Name', 'a-1   1500.50 VES  Ana', 'a-22     7.00 VES  Bartholomew of'],
        ...['                   the long name', 'Hidden column: Note (widen the'],
        ...['terminal or use --json)', ''],
      ].join('\n'),
    );
    expect(renderTable(COLUMNS, ROWS.slice(0, 1), 20)).toBe(
      ['Id      a-1', 'Amount  1500.50 VES', 'Name    Ana', 'Note    first', ''].join('\n'),
    );
  });

  it('shortens what may be short before anything gives way, and shows it whole where all fits', () => {
    const columns: Column[] = [
      { header: 'Amount', whole: true },
      { header: 'Id', whole: true, below: 'together' },
      { header: 'Reference', below: 'together' },
    ];
    const rows = [['1.00 VES', { text: '0c9d1b2e-7f3a-4b8c', short: '0c9d1b2e' }, 'pay-1']];
    expect(renderTable(columns, rows, 40)).toBe(
      'Amount    Id                  Reference\n1.00 VES  0c9d1b2e-7f3a-4b8c  pay-1\n',
    );
    expect(renderTable(columns, rows, 39 - 10)).toBe(
      'Amount    Id        Reference\n1.00 VES  0c9d1b2e  pay-1\n',
    );
  });

  it('puts what belongs together in one line beneath the row, and goes on where that is full', () => {
    const columns: Column[] = [
      { header: 'Amount', whole: true },
      { header: 'Id', whole: true, below: 'together' },
      { header: 'Reference', below: 'together' },
      { header: 'Why', below: 'together' },
      { header: 'From', below: 'together' },
    ];
    const rows = [['1.00 VES', '0c9d1b2e', 'pay-2026-11-emp-0001', '', 'events']];
    const first = 'Amount    Id\n1.00 VES  0c9d1b2e';
    expect(renderTable(columns, rows, 36)).toBe(
      `${first}\n  Reference pay-2026-11-emp-0001\n  From events\n`,
    );
    expect(renderTable(columns, [['1.00 VES', '0c9d1b2e', 'pay-1', 'late', 'events']], 28)).toBe(
      `${first}\n  Reference pay-1  Why late\n  From events\n`,
    );
    expect(renderTable(columns, rows, 20)).toBe(
      `${first}\n  Reference\n  pay-2026-11-emp-00\n  01\n  From events\n`,
    );
  });

  it('puts an id beneath its row before money or an outcome gives way', () => {
    const columns: Column[] = [
      { header: 'Amount', align: 'right', whole: true },
      { header: 'Failure' },
      { header: 'Operation', whole: true, below: true },
      { header: 'Key', whole: true, below: true },
      { header: 'Note', optional: true },
    ];
    const rows = [['10.00 VES', 'counterparty_rejected', '0c9d1b2e-7f3a-4b8c', '', 'x']];
    expect(renderTable(columns, rows, 36)).toBe(
      [
        ...['   Amount  Failure', '10.00 VES  counterparty_rejected', '  Operation  0c9d1b2e-7f3a-4b8c'],
        ...['Hidden column: Note (widen the', 'terminal or use --json)', ''],
      ].join('\n'),
    );
    expect(renderTable(columns, rows, 24)).toContain('Failure\n  counterparty_rejected\n');
  });

  it('leaves out without a word only what no row has', () => {
    expect(renderTable(COLUMNS, [['a', '1', '', '']], 80)).toBe('Id  Amount\na        1\n');
  });

  it('never cuts an id or an amount, and keeps to the width where they fit', () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 30 });
    const word = fc.stringMatching(/^[0-9a-f-]{1,36}$/);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(word, word, cell, cell), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 46, max: 120 }),
        (rows, width) => {
          const lines = renderTable(COLUMNS, rows, width).split('\n');
          for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
          for (const [id, amount] of rows) {
            expect(lines.some((line) => line.includes(id))).toBe(true);
            expect(lines.some((line) => line.includes(amount))).toBe(true);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('shows what could drive the terminal, and measures it as shown', () => {
    expect(renderTable([{ header: 'A' }, { header: 'B' }], [['x\u001b[2J\ny', '|']], 40)).toBe(
      'A              B\nx\\u001b[2J\\ny  |\n',
    );
  });

  it('breaks no word that is as long as words are', () => {
    const columns = [{ header: 'Methods' }, { header: 'Note' }];
    expect(renderTable(columns, [['incoming_mobile_payment', 'one two three four']], 40)).toBe(
      'Methods                  Note\nincoming_mobile_payment  one two three\n                         four\n',
    );
  });

  it('counts wide characters twice and colours without counting', async () => {
    const style = await createStyle(true);
    expect(
      renderTable([{ header: 'Name' }, { header: 'B' }], [['日本語', { text: 'x', tone: 'bad' }]], 40, style),
    ).toBe('\u001b[1mName\u001b[22m    \u001b[1mB\u001b[22m\n日本語  \u001b[31mx\u001b[39m\n');
  });

  it('survives rows that are too short', () => expect(renderTable(COLUMNS, [['a']], 80)).toContain('a'));
});

describe('renderDetail', () => {
  it('aligns values, leaves out empty ones, and wraps beneath the first line', () => {
    const pairs = [
      { label: 'Id', value: 'a-1' },
      { label: 'Nothing', value: '' },
      { label: 'Reference', value: 'one two three four five six seven' },
    ];
    expect(renderDetail(pairs, 30)).toBe(
      'Id         a-1\nReference  one two three four\n           five six seven\n',
    );
  });

  it('puts beneath its label what has no room beside it', () => {
    const id = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';
    expect(renderDetail([{ label: 'Identifier', value: id, whole: true }], 40)).toBe(`Identifier\n  ${id}\n`);
    const long = 'a.path.that.is.longer.than.the.rest';
    expect(
      renderDetail(
        [
          { label: 'A', value: 'x' },
          { label: long, value: 'y' },
        ],
        60,
      ),
    ).toBe(`A  x\n${long}\n  y\n`);
  });

  it('escapes labels and values', () => {
    expect(renderDetail([{ label: 'a\u009b', value: 'b\rc' }], 60)).toBe('a\\u009b  b\\rc\n');
  });
});

it('wrap keeps every character that is no space, in lines that fit', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '日', 'é') }),
      fc.integer({ min: 2, max: 20 }),
      (text, width) => {
        const lines = wrap(text, width);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      },
    ),
  );
});
