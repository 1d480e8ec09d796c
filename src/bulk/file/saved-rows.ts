/** How payrolls and lists of collections are read, kept under a name. */
import type { Paths } from '../../runtime/folders.js';
import { delimiterName } from '../../sheet/said.js';
import { isMapName, keepMap, type MapShelf, savedMap } from '../../sheet/saved-maps.js';
import { mapText } from './reading-words.js';
import type { RowFileOptions, RowReading } from './row-file.js';

export const ROW_SHELF: MapShelf = {
  folder: 'batch-maps',
  undone: 'Nothing was sent.',
  example: 'reference=Ref,amount=Importe',
  // What a member means depends on the direction: that is said when the map is used.
  check: () => undefined,
};

/** Keeps how a file is read; one of the name is replaced. @returns where it is @throws as `keepMap` */
export function saveRowReading(paths: Paths, name: string, reading: RowReading): string {
  const { delimiter, decimal, encoding, sheets } = reading;
  return keepMap(paths, ROW_SHELF, name, {
    map: mapText(reading),
    ...(sheets === null ? { delimiter: delimiterName(delimiter), encoding } : {}),
    ...(decimal === null ? {} : { decimal }),
  });
}

/** The options with what was saved, where `--map` is a name. What was said beside it counts. @throws as `savedMap` */
export function withSavedRows(paths: Paths, options: RowFileOptions): RowFileOptions {
  if (!isMapName(options.map)) return options;
  const saved: Readonly<Record<string, string>> = savedMap(paths, ROW_SHELF, options.map);
  return {
    map: saved['map'] ?? null,
    delimiter: options.delimiter ?? saved['delimiter'] ?? null,
    decimal: options.decimal ?? saved['decimal'] ?? null,
    encoding: options.encoding ?? saved['encoding'] ?? null,
    sheet: options.sheet,
  };
}
