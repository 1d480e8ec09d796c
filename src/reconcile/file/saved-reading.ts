/** How ledgers and statements of a bank are read, kept under a name. */
import type { Paths } from '../../runtime/folders.js';
import { keepMap, type MapShelf, sheetOptionsOf } from '../../sheet/saved-maps.js';
import { mapOf } from './plan-words.js';
import type { ReadingPlan, StatementOptions } from './plan.js';
import { settingsOf } from './settings.js';

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

/** Keeps a plan; one of the name is replaced. @returns where it is @throws as `keepMap` */
export function saveReading(paths: Paths, name: string, plan: ReadingPlan): string {
  const { dateFormat } = plan;
  const more: Record<string, string> = dateFormat === null ? {} : { date_format: dateFormat };
  return keepMap(paths, READING_SHELF, name, { map: mapOf(plan), ...plan }, more);
}
