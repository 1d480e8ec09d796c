import { Failure } from '../runtime/failure.js';
import type { Undone } from './file-source.js';
import { excerpt } from './words.js';

export type DecimalMark = 'comma' | 'point';
export type TextEncoding = 'utf8' | 'latin1' | 'utf16';

export type SheetOptions = Readonly<
  Record<'map' | 'delimiter' | 'decimal' | 'encoding' | 'sheet', string | null>
>;

export interface SheetColumn<Field extends string = string> {
  readonly field: Field;
  readonly name: string;
  readonly index: number;
}

const DELIMITER_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({ comma: ',', semicolon: ';', tab: '\t', '\\t': '\t', pipe: '|' }),
);
const DELIMITER = /^[^\p{L}\p{N}\p{Cs}"'.=\-+\r\n\0 ]$/u;
const ENCODINGS: ReadonlyMap<string, TextEncoding> = new Map([
  ...['utf8', 'utf-8'].map((name) => [name, 'utf8'] as const),
  ...['latin1', 'latin-1', 'iso-8859-1', 'windows-1252'].map((name) => [name, 'latin1'] as const),
  ...['utf16', 'utf-16'].map((name) => [name, 'utf16'] as const),
]);

export const ENCODING_NAMES = { utf8: 'UTF-8', latin1: 'Latin-1', utf16: 'UTF-16' } as const;

export function readSheetOptions({ delimiter, decimal, encoding, sheet }: SheetOptions, undone: Undone) {
  const character = delimiter === null ? null : (DELIMITER_NAMES.get(delimiter.toLowerCase()) ?? delimiter);
  const delimiters = 'comma, semicolon, tab, pipe, or the character itself';
  if (delimiter !== null && character !== null && !DELIMITER.test(character))
    throw wrongValue(undone, '--delimiter', delimiter, delimiters);
  if (decimal !== null && decimal !== 'comma' && decimal !== 'point')
    throw wrongValue(undone, '--decimal', decimal, 'comma or point');
  const textEncoding = encoding === null ? null : ENCODINGS.get(encoding.toLowerCase());
  if (encoding !== null && textEncoding === undefined)
    throw wrongValue(undone, '--encoding', encoding, 'utf8, latin1 or utf16');
  return { delimiter: character, decimal, encoding: textEncoding ?? null, sheet } as const;
}
export type SheetSettings = ReturnType<typeof readSheetOptions>;

export function delimiterName(delimiter: string): string {
  return [...DELIMITER_NAMES].find(([, character]) => character === delimiter)?.[0] ?? delimiter;
}

export function wrongValue(undone: Undone, flag: string, text: string, allowed: string): Failure {
  return new Failure('usage', `${flag} is ${excerpt(text)}, and is ${allowed}. ${undone}`);
}
