/** What cuts the text of a file into records, by what stands between its cells. */
import { CsvCutter, type RecordCutter } from './records.js';
import { UNIT } from './workbook/separators.js';
import { type CellUse, SheetCutter } from './workbook/sheet-records.js';

const LOOKED_AT: CellUse = { mark: 'point', places: [], amounts: [] };

/** @param use what of a workbook is used; nothing of it where a header is looked for */
export function cutterFor(delimiter: string, use: CellUse = LOOKED_AT): RecordCutter {
  return delimiter === UNIT ? new SheetCutter(use) : new CsvCutter(delimiter);
}
