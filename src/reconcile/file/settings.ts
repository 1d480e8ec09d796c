/** What was said of a file, understood: flags as values. Pure. */
import type { SaidOfSheet } from '../../sheet/forms.js';
import { saidOfSheet, wrongValue } from '../../sheet/said.js';
import type { MapEntry } from '../../sheet/column-map.js';
import { parseMap, parseStatusWords } from './column-map.js';
import type { DayOrder } from './day.js';
import { NO_WORDS, type StatusWords } from './status-words.js';
import type { LedgerField, StatementOptions } from './plan.js';

const UNDONE = 'Nothing was reconciled.';

/** Null for what has to be found out. */
export interface ReadingSettings extends SaidOfSheet {
  readonly map: readonly MapEntry<LedgerField>[] | null;
  /** What words of a status column mean. */
  readonly words: StatusWords;
  readonly order: DayOrder | null;
  /** Whether the format has two digits for the year. */
  readonly isShortYear: boolean;
}

/** @throws Failure `usage` for a value that means nothing */
export function settingsOf(options: StatementOptions): ReadingSettings {
  const { map, dateFormat } = options;
  return {
    map: map === null ? null : parseMap(map),
    words: map === null ? NO_WORDS : parseStatusWords(map),
    ...saidOfSheet(options, UNDONE),
    order: dateFormat === null ? null : orderOf(dateFormat),
    isShortYear: dateFormat !== null && !/[YA]{4}/i.test(dateFormat),
  };
}

/** `DD/MM/YYYY`, `mm-dd-yy`, `AAAA-MM-DD`: what counts is the order; separators and times are as they come. */
function orderOf(text: string): DayOrder {
  const match = /^([DMYA])\1{0,3}[-/. ]?([DMYA])\2{0,3}[-/. ]?([DMYA])\3{0,3}$/i.exec(
    text.trim().replace(/[ T]+h.*$/i, ''),
  );
  const order = match?.slice(1).join('').toUpperCase().replace('A', 'Y');
  if (order === 'DMY' || order === 'MDY' || order === 'YMD') return order;
  throw wrongValue(
    UNDONE,
    '--date-format',
    text,
    'DD/MM/YYYY, MM/DD/YYYY or YYYY-MM-DD, or one of them with YY',
  );
}
