/** What cuts the text of a file into records, by what stands between its cells; and the records of what was looked ahead, and of all. */
import type { LookAhead } from './look-ahead.js';
import { CsvCutter, type RecordCutter, type SheetRecord } from './records.js';
import { BrokenText } from './text.js';
import { UNIT } from './workbook/separators.js';
import { type CellUse, SheetCutter } from './workbook/sheet-records.js';

const LOOKED_AT: CellUse = { mark: 'point', places: [], amounts: [] };

/** @param use what of a workbook is used; nothing of it where a header is looked for */
export function cutterFor(delimiter: string, use: CellUse = LOOKED_AT): RecordCutter {
  return delimiter === UNIT ? new SheetCutter(use) : new CsvCutter(delimiter);
}

/** The records of what was looked ahead, as far as they are whole. */
export function* recordsAhead({ pieces, isWhole }: LookAhead, cutter: RecordCutter): Generator<SheetRecord> {
  for (const piece of pieces) yield* cutter.push(piece);
  if (isWhole) yield* cutter.end();
}

/** All records, piece by piece. @throws BrokenText */
export async function* recordsOf(
  text: AsyncIterable<string>,
  cutter: RecordCutter,
): AsyncGenerator<readonly SheetRecord[], void, void> {
  for await (const piece of text) yield cutter.push(piece);
  yield cutter.end();
}

/** All records from the beginning, to find something out. What is behind broken text is not read at all: that is said when the rows are. */
export async function* recordsAgain(
  ahead: LookAhead,
  cutter: RecordCutter,
): AsyncGenerator<readonly SheetRecord[], void, void> {
  try {
    yield* recordsOf(ahead.again(), cutter);
  } catch (error) {
    if (!(error instanceof BrokenText)) throw error;
  }
}
