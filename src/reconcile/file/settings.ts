import { type SheetSettings, readSheetOptions, wrongValue } from '../../sheet/forms.js';
import { type MapEntry, formatColumns, type MapRule, membersOf, refusedMap } from '../../sheet/column-map.js';
import type { DayOrder } from './day.js';
import { NO_WORDS } from './statuses.js';
import { type LedgerField, LEDGER_FIELDS, type StatementOptions } from './plan.js';
import type { PlannedColumn, StatusWords } from './plan.js';

const UNDONE = 'Nothing was reconciled.';

export interface ReadingSettings extends SheetSettings {
  readonly map: readonly MapEntry<LedgerField>[] | null;
  readonly words: StatusWords;
  readonly order: DayOrder | null;
  readonly isShortYear: boolean;
}

export function settingsOf(options: StatementOptions): ReadingSettings {
  const { map, dateFormat } = options;
  return {
    map: map === null ? null : parseMap(map),
    words: map === null ? NO_WORDS : parseStatusWords(map),
    ...readSheetOptions(options, UNDONE),
    order: dateFormat === null ? null : orderOf(dateFormat),
    isShortYear: dateFormat !== null && !/[YA]{4}/i.test(dateFormat),
  };
}

function orderOf(text: string): DayOrder {
  const withoutTime = text.trim().replace(/[ T]+h.*$/i, '');
  const match = /^([DMYA])\1{0,3}[-/. ]?([DMYA])\2{0,3}[-/. ]?([DMYA])\3{0,3}$/i.exec(withoutTime);
  const order = match?.slice(1).join('').toUpperCase().replace('A', 'Y');
  if (order === 'DMY' || order === 'MDY' || order === 'YMD') return order;
  const allowed = 'DD/MM/YYYY, MM/DD/YYYY or YYYY-MM-DD, or one of them with YY';
  throw wrongValue(UNDONE, '--date-format', text, allowed);
}

const STATUS_MEMBERS = ['paid', 'unpaid'] as const;
const LEDGER_MAP_RULE: MapRule = {
  undone: UNDONE,
  members: [...LEDGER_FIELDS, ...STATUS_MEMBERS],
  freePrefix: null,
  example: 'reference=Ref,amount=Importe,date=3',
};

export function parseMap(text: string): readonly MapEntry<LedgerField>[] {
  const members = membersOf(text, LEDGER_MAP_RULE);
  const entries = members.flatMap(({ field: member, column }) => {
    const field = LEDGER_FIELDS.find((one) => one === member);
    return field === undefined ? [] : [{ field, column }];
  });
  const has = (field: LedgerField): boolean => entries.some((entry) => entry.field === field);
  if (has('amount') && (has('debit') || has('credit')))
    throw refusedMap(LEDGER_MAP_RULE, 'An amount is one column, or debit and credit are: not both.');
  if (entries.length < members.length && !has('status'))
    throw refusedMap(
      LEDGER_MAP_RULE,
      'paid and unpaid say what words of a status column mean: add status=COLUMN.',
    );
  return entries;
}

function parseStatusWords(text: string): StatusWords {
  const members = membersOf(text, LEDGER_MAP_RULE);
  const [paid = [], unpaid = []] = STATUS_MEMBERS.map((meaning) =>
    members
      .filter(({ field }) => field === meaning)
      .flatMap(({ column }) => String(column).split('|'))
      .map((word) => word.trim()),
  );
  const twice = paid.find((word) => unpaid.includes(word));
  if (twice !== undefined)
    throw refusedMap(LEDGER_MAP_RULE, `${JSON.stringify(twice.slice(0, 60))} is paid and unpaid.`);
  return { paid, unpaid };
}

export function formatMap(
  columns: readonly PlannedColumn[],
  header: readonly string[],
  words: StatusWords = NO_WORDS,
): string {
  const meanings = STATUS_MEMBERS.filter((meaning) => words[meaning].length > 0);
  const wordLists = meanings.map((one) => `${one}="${words[one].join('|').replaceAll('"', '""')}"`);
  return [...formatColumns(columns, header), ...wordLists].join(',');
}
