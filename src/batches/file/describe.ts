/** The sentences quote the file, so they must be escaped before they are printed. */
import { commandLine, flagWords } from '../../runtime/shell.js';
import { formatColumns } from '../../sheet/column-map.js';
import { delimiterName, ENCODING_NAMES } from '../../sheet/forms.js';
import { columnText, linesText } from '../../sheet/words.js';
import type { RowReading } from './row-file.js';
import { type MapShelf, sheetOptionsOf } from '../../sheet/saved-maps.js';

export function readingSentences(reading: RowReading, name: string): readonly string[] {
  const { named, ...read } = reading;
  const map = mapText({ ...read, columns: [...reading.columns, ...named] });
  const { sheets, encoding, delimiter, decimal, headerLine, columns, ignored, above, brokenAt } = reading;
  const form =
    sheets === null
      ? `CSV in ${ENCODING_NAMES[encoding]}, ${delimiterName(delimiter)} between cells`
      : `a workbook, sheet ${JSON.stringify(sheets.sheet)}`;
  const mark = decimal === null ? '' : `, decimal mark: ${decimal}`;
  const fields = columns.map(({ field, name: column, index }) =>
    field === column ? field : `${field} is ${columnText(column, index)}`,
  );
  const quote = (names: readonly string[]): string => names.map((one) => JSON.stringify(one)).join(', ');
  const unreadNames = quote(named.map((one) => one.name));
  const others = sheets?.others ?? [];
  return [
    `${name} is read as ${form}${mark}, header in line ${headerLine}.`,
    ...(others.length === 0 ? [] : [`Sheets that are not read (--sheet): ${quote(others)}.`]),
    ...(brokenAt === null ? [] : [`${brokenAt.replace('line', 'Line')} is not UTF-8.`]),
    `Columns: ${fields.join(', ')}.`,
    ...(ignored.length === 0 ? [] : [`Ignored columns: ${quote(ignored)}.`]),
    ...(named.length === 0
      ? []
      : [
          `Not in --map, with the name of a field: ${unreadNames}. To read them: ${commandLine(['--map', map])}`,
        ]),
    ...(above.length === 0 ? [] : [`Ignored above the header: ${linesText(above)}.`]),
  ];
}

export function settlingFlags(reading: RowReading): readonly string[] {
  const { guessed, delimiter, decimal, encoding } = reading;
  const values = {
    map: mapText(reading),
    delimiter: delimiterName(delimiter),
    decimal,
    encoding,
    sheet: null,
  };
  return guessed.flatMap((name) => flagWords(`--${name}`, values[name] ?? ''));
}

export function mapText({ columns, header }: Pick<RowReading, 'columns' | 'header'>): string {
  return formatColumns(columns, header).join(',');
}

export const ROW_SHELF: MapShelf = {
  folder: 'batch-maps',
  undone: 'Nothing was sent.',
  example: 'reference=Ref,amount=Importe',
  // Which members exist depends on the direction, so a map is checked only when it is used.
  optionsOf: sheetOptionsOf,
};
