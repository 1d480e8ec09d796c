import { expect, it } from 'vitest';
import { builtInCode, parseFormat } from '../../src/sheet/workbook/number-format.js';
import { showsDigits, signOfAmount } from '../../src/sheet/workbook/number-format.js';

type Id = number;
const code = (one: string | Id): ReturnType<typeof parseFormat> =>
  parseFormat(typeof one === 'string' ? one : builtInCode(one));

const rows = <T>(value: T, texts: readonly string[]) =>
  texts.map((text): [string, string, T] => [...(text.split('|') as [string, string]), value]);

it.each<[string | Id, string, boolean]>([
  ...rows(true, [
    ...['General|17', 'GENERAL|12345678901', 'General|-17', 'General|1.5', '0|123456789012345', '0|0'],
    ...['@|123456789012', '[Red]0|17', '[Color 12]0_)|17', '[$-es-VE]0|17', '[$-10409]0|17'],
    ...['[$-1010409]0|17', '0;-0;0;@|17', '0;(0)|17', 'General;-General|17', '[<100]0;000|17'],
  ]),
  ...rows(false, [
    ...['General|123456789012', '0|1.5', '0;(0)|-17', '0;[Red]0|-17', '-0|17', '[<100]000;0|17'],
    ...['[>=100]0;000|17', '00000|17', '#,##0|17', '0%|17', '"E-"0|17', '\\E0|17', '0"0"|17', '[$V-]0|17'],
    ...['*00|17', '[$-2000401]0|17', '[DBNum1]0|17', '§|17', '"a»"0|17', '"§|17', '0;-0;;@|0', ';;;|17'],
    ...['|17'],
  ]),
  [`0${' '.repeat(300)}`, '17', false],
  [0, '17', true],
  [1, '17', true],
  [49, '17', true],
  ...[2, 3, 4, 5, 9, 10, 11, 12, 13, 37, 41, 48, 23, 59, 163].map((id): [Id, string, boolean] => [
    id,
    '17',
    false,
  ]),
])('%j of %s shows its digits: %s', (format, number, isSeen) => {
  expect(showsDigits(code(format), number)).toBe(isSeen);
});

const LAKH = '[>=10000000]##\\,##\\,##\\,##0.00;[>=100000]##\\,##\\,##0.00;##,##0.00';
const ACCOUNTING = '_-"Bs."\\ * #,##0.00_-;\\-"Bs."\\ * #,##0.00_-;_-"Bs."\\ * "-"??_-;_-@_-';

it.each<[string | Id, string, string | null]>([
  ...rows('', [
    ...['General|1500.5', 'General|12345678.25', '0.00|1500.5', '0.00|-1500.5', '0|1500', '0.000|10.005'],
    ...['#.##|1500.5', '.00|0.5', '#,##0.00|1234567.25', '#,##0.00;[Red]-#,##0.00|-1500.5'],
    ...['#,##0.00_);(#,##0.00)|-1500.5', '[Red][>=1000]#,##0.00;0.00|1500.5', '[>=100]0.00;[>=10]0.00|15'],
    ...['# ##0.00|1500.5', '#\\ ##0.00|1500.5', '#"’"##0.00|1500.5', '[$-es-VE]#,##0.00|1500.5', '@|1500.5'],
    ...['00000.00|1500.5', '**0.00|1500.5'],
  ]),
  ...rows(null, [
    ...['General|123456789.25', '0|1500.5', '0.0|0.25', '#,##0.00;[Red]#,##0.00|-1500.5'],
    ...['[>=1000]0.00;0|0.5', '0.00;"@"0.00|-1', '[<0]0.00;0.00|-1', '0.00;[>=100]0.00|15'],
    ...['[>=100]0.00;0.00;0.00|15', '0.00[>=100];0.00|15', '[>=100]0.00;[>=10]0.00|5', "#'##0.00|1500.5"],
    ...['0"."00|15', '"00"|15', '\\0|-15', '0" mil"|15', '0%|15', '0.00\\%|15', '0,|15000', '0,.00|15000'],
    ...['0.00E+00|1500', '# ?/?|15', '"gratis"|15', ';;;|15', '|15', '[DBNum1]0.00|1500.5'],
  ]),
  ...rows('$', [
    ...['[$$-en-US]#,##0.00|1500.5', '$#,##0.00|1500.5'],
    ...['_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)|-1500.5'],
  ]),
  [LAKH, '1500.5', ''],
  [ACCOUNTING, '1500.5', 'Bs.'],
  [ACCOUNTING, '-1500.5', 'Bs.'],
  [ACCOUNTING, '0', 'Bs.'],
  ['"Bs. "#,##0.00', '1500.5', 'Bs.'],
  ['[$Bs.-200A] #,##0.00', '1500.5', 'Bs.'],
  ['#,##0.00\\ "Bs.S"', '1500.5', 'Bs.S'],
  ['[$VES] 0.00', '1500.5', 'VES'],
  ['[$R$-416] #,##0.00', '1500.5', 'R$'],
  ['#,##0.00 [$€-C0A]', '1500.5', '€'],
  ...[2, 4, 7, 8, 39, 40, 43, 44].map((id): [Id, string, string] => [id, '1500.5', '']),
  ...[1, 3, 5, 6, 37, 38, 41, 42].flatMap((id): [Id, string, string | null][] => [
    [id, '1500.5', null],
    [id, '-1500', ''],
  ]),
  ...[9, 10, 11, 12, 13, 48, 23].map((id): [Id, string, null] => [id, '1500', null]),
])('%j of the amount %s has beside it: %j', (format, number, sign) => {
  expect(signOfAmount(code(format), number)).toBe(sign);
});

it.each<[string | Id, boolean, boolean]>([
  ['General', false, true],
  ['0;-0;0;@', false, true],
  ['_-@_-', false, true],
  ['0;-0;0;"E-"@', false, false],
  ['@" "', false, false],
  [';;;', false, false],
  ['General;General;General;General', false, true],
  ['dd/mm/yyyy', true, true],
  ['[h]:mm', true, true],
  ['[$-F800]dddd', true, true],
  ['[$-1010409]yyyy', true, true],
  ['"dm"0', false, true],
  ['\\d0', false, true],
  ['[Magenta]0.00E+00', false, true],
  ...[14, 22, 27, 36, 45, 47, 50, 58].map((id): [Id, boolean, boolean] => [id, true, true]),
])('%j is a date: %s, and shows a text as it is: %s', (format, isDate, showsText) => {
  expect(code(format)).toMatchObject({ isDate, showsText });
});
