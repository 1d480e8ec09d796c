/** How ledgers and statements of a bank are read, kept under a name. */
import type { Paths } from '../../runtime/folders.js';
import { delimiterName } from '../../sheet/said.js';
import { isMapName, keepMap, type MapShelf, savedMap } from '../../sheet/saved-maps.js';
import { mapOf } from './plan-words.js';
import type { ReadingPlan, StatementOptions } from './plan.js';
import { settingsOf } from './settings.js';

export const READING_SHELF: MapShelf = {
  folder: 'maps',
  undone: 'Nothing was reconciled.',
  example: 'reference=Ref,amount=Importe',
  check: (saved) => void settingsOf(optionsOf(saved)),
};

/** Keeps a plan; one of the name is replaced. @returns where it is @throws as `keepMap` */
export function saveReading(paths: Paths, name: string, plan: ReadingPlan): string {
  const { delimiter, decimal, encoding, dateFormat } = plan;
  return keepMap(paths, READING_SHELF, name, {
    map: mapOf(plan),
    ...(delimiter === null ? {} : { delimiter: delimiterName(delimiter) }),
    ...(decimal === null ? {} : { decimal }),
    ...(plan.sheets === null ? { encoding } : {}),
    ...(dateFormat === null ? {} : { date_format: dateFormat }),
  });
}

/** The options with what was saved, where `--map` is a name. What was said beside it counts. @throws as `savedMap` */
export function withSavedReading(paths: Paths, options: StatementOptions): StatementOptions {
  if (!isMapName(options.map)) return options;
  const saved = optionsOf(savedMap(paths, READING_SHELF, options.map));
  return {
    map: saved.map,
    delimiter: options.delimiter ?? saved.delimiter,
    decimal: options.decimal ?? saved.decimal,
    encoding: options.encoding ?? saved.encoding,
    sheet: options.sheet,
    dateFormat: options.dateFormat ?? saved.dateFormat,
  };
}

function optionsOf(saved: Readonly<Record<string, string>>): StatementOptions {
  const { map = null, delimiter = null, decimal = null, encoding = null } = saved;
  return { map, delimiter, decimal, encoding, sheet: null, dateFormat: saved['date_format'] ?? null };
}
