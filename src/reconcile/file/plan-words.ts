import { commandLine, flagWords } from '../../runtime/shell.js';
import { formatMap, settingsOf } from './settings.js';
import type { ReadingPlan } from './guess-plan.js';
import type { LedgerField, StatementOptions } from './plan.js';
import { delimiterName, ENCODING_NAMES } from '../../sheet/forms.js';
import { columnText, linesText } from '../../sheet/words.js';
import type { Paths } from '../../runtime/folders.js';
import { saveMap, type MapShelf, sheetOptionsOf } from '../../sheet/saved-maps.js';

export function flagsOf(plan: ReadingPlan): readonly string[] {
  const { delimiter, decimal, encoding, sheets, dateFormat } = plan;
  return [
    ...['--map', mapOf(plan)],
    ...(delimiter === null ? [] : ['--delimiter', delimiterName(delimiter)]),
    ...(decimal === null ? [] : ['--decimal', decimal]),
    ...(sheets === null ? ['--encoding', encoding] : flagWords('--sheet', sheets.sheet)),
    ...(dateFormat === null ? [] : ['--date-format', dateFormat]),
  ];
}

export function mapOf({ format, columns, header, words }: ReadingPlan): string {
  const placedColumns =
    format !== 'ndjson'
      ? columns
      : columns.map((column) => ({ ...column, index: header.indexOf(column.name) }));
  return formatMap(placedColumns, header, words);
}

export function moveField(plan: ReadingPlan, { from, to }: Record<'from' | 'to', LedgerField>): ReadingPlan {
  const columns = plan.columns.map((column) => (column.field === from ? { ...column, field: to } : column));
  return { ...plan, columns };
}

export function planSentences(plan: ReadingPlan, name: string): readonly string[] {
  const { above, decimal, dateFormat, isGuessed, unpaid, columns, header } = plan;
  const ignoredNames = header.filter(
    (name) => name !== '' && !columns.some((column) => column.name === name),
  );
  const fields = columns.map(({ field }) => (field === 'debit' || field === 'credit' ? 'direction' : field));
  const missingFields = (['date', 'currency', 'direction'] as const).filter(
    (field) => !fields.includes(field),
  );
  const marks = [
    ...(decimal === null ? [] : [`decimal mark: ${decimal}`]),
    ...(dateFormat === null ? [] : [`dates as ${dateFormat}`]),
  ];
  return [
    `${name} is read as ${kindOf(plan)}${marks.map((mark) => `, ${mark}`).join('')}.`,
    `Columns: ${plan.columns.map(({ field, name: column, index }) => `${field} is ${columnText(column, index)}`).join(', ')}.`,
    ...(ignoredNames.length === 0 ? [] : [`Ignored columns: ${quotedList(ignoredNames)}.`]),
    ...(missingFields.length === 0 ? [] : [`No column: ${missingFields.join(', ')}.`]),
    ...(unpaid.length === 0 ? [] : [`Ignored as not paid: lines with the status ${quotedList(unpaid)}.`]),
    ...(above.length === 0 ? [] : [`Ignored above the header: ${linesText(above)}.`]),
    ...(isGuessed ? [`To set this yourself: ${commandLine(flagsOf(plan))}`] : []),
  ];
}

function kindOf({ format, encoding, delimiter, headerLine, sheets }: ReadingPlan): string {
  const text = ENCODING_NAMES[encoding];
  if (format === 'ndjson') return `NDJSON in ${text}`;
  const header = headerLine === null ? 'without a header' : `header in line ${headerLine}`;
  if (sheets !== null) {
    const others = quotedList(sheets.others);
    const otherSheets = others === '' ? '' : ` (others: ${others}; --sheet)`;
    return `a workbook, sheet ${JSON.stringify(sheets.sheet)}${otherSheets}, ${header}`;
  }
  return `CSV in ${text}, ${delimiterName(delimiter ?? ',')} between cells, ${header}`;
}

function quotedList(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(', ');
}

export const READING_SHELF: MapShelf<StatementOptions> = {
  folder: 'maps',
  undone: 'Nothing was reconciled.',
  example: 'reference=Ref,amount=Importe',
  optionsOf: (saved) => {
    const options = { ...sheetOptionsOf(saved), dateFormat: saved['date_format'] ?? null };
    settingsOf(options);
    return options;
  },
};

export function saveReading(paths: Paths, name: string, plan: ReadingPlan): string {
  return saveMap(paths, READING_SHELF, name, { ...plan, map: mapOf(plan) });
}
