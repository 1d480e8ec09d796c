/** What was said of a file, understood: flags as values. Pure. */
import { Failure } from '../../runtime/failure.js';
import { parseMap, parseStatusWords, type MapEntry } from './column-map.js';
import type { DayOrder } from './day.js';
import { NO_WORDS, type StatusWords } from './status-words.js';
import type { DecimalMark, StatementOptions, TextEncoding } from './plan.js';

/** Null for what has to be found out. */
export interface ReadingSettings {
  readonly map: readonly MapEntry[] | null;
  /** What words of a status column mean. */
  readonly words: StatusWords;
  readonly delimiter: string | null;
  readonly decimal: DecimalMark | null;
  readonly encoding: TextEncoding | null;
  readonly order: DayOrder | null;
  /** Whether the format has two digits for the year. */
  readonly isShortYear: boolean;
}

const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  '\\t': '\t',
  pipe: '|',
};
const ENCODINGS: Readonly<Record<string, TextEncoding>> = {
  utf8: 'utf8',
  'utf-8': 'utf8',
  latin1: 'latin1',
  'latin-1': 'latin1',
  'iso-8859-1': 'latin1',
  'windows-1252': 'latin1',
  utf16: 'utf16',
  'utf-16': 'utf16',
};

/** @throws Failure `usage` for a value that means nothing */
export function settingsOf(options: StatementOptions): ReadingSettings {
  const { map, delimiter, decimal, encoding, dateFormat } = options;
  return {
    map: map === null ? null : parseMap(map),
    words: map === null ? NO_WORDS : parseStatusWords(map),
    delimiter: delimiter === null ? null : delimiterOf(delimiter),
    decimal: decimal === null ? null : markOf(decimal),
    encoding: encoding === null ? null : encodingOf(encoding),
    order: dateFormat === null ? null : orderOf(dateFormat),
    isShortYear: dateFormat !== null && !/[YA]{4}/i.test(dateFormat),
  };
}

function delimiterOf(text: string): string {
  const named = Object.hasOwn(DELIMITER_NAMES, text.toLowerCase())
    ? DELIMITER_NAMES[text.toLowerCase()]
    : undefined;
  if (named !== undefined) return named;
  if (/^[^\p{L}\p{N}\p{Cs}"'.=\-+\r\n\0 ]$/u.test(text)) return text;
  throw refused('--delimiter', text, 'comma, semicolon, tab, pipe, or the character itself');
}

/** The delimiter as it is typed. */
export function delimiterName(delimiter: string): string {
  return Object.entries(DELIMITER_NAMES).find(([, character]) => character === delimiter)?.[0] ?? delimiter;
}

function markOf(text: string): DecimalMark {
  if (text === 'comma' || text === 'point') return text;
  throw refused('--decimal', text, 'comma or point');
}

function encodingOf(text: string): TextEncoding {
  const encoding = Object.hasOwn(ENCODINGS, text.toLowerCase()) ? ENCODINGS[text.toLowerCase()] : undefined;
  if (encoding === undefined) throw refused('--encoding', text, 'utf8, latin1 or utf16');
  return encoding;
}

/** `DD/MM/YYYY`, `mm-dd-yy`, `AAAA-MM-DD`: what counts is the order; separators and times are as they come. */
function orderOf(text: string): DayOrder {
  const match = /^([DMYA])\1{0,3}[-/. ]?([DMYA])\2{0,3}[-/. ]?([DMYA])\3{0,3}$/i.exec(
    text.trim().replace(/[ T]+h.*$/i, ''),
  );
  const order = match?.slice(1).join('').toUpperCase().replace('A', 'Y');
  if (order === 'DMY' || order === 'MDY' || order === 'YMD') return order;
  throw refused('--date-format', text, 'DD/MM/YYYY, MM/DD/YYYY or YYYY-MM-DD, or one of them with YY');
}

function refused(flag: string, text: string, allowed: string): Failure {
  const given = JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
  return new Failure('usage', `${flag} is ${given}, and is ${allowed}. Nothing was reconciled.`);
}
