/** What the amounts of a file say about its decimal mark, where nobody said it. */
import { Failure } from '../../runtime/failure.js';
import { DecimalEvidence } from '../../sheet/decimal-evidence.js';
import type { DecimalMark } from '../../sheet/forms.js';
import type { RecordCutter, SheetRecord } from '../../sheet/records.js';
import { BrokenText } from '../../sheet/text.js';
import { KINDS } from '../../sheet/workbook/cell-value.js';
import type { Opening } from './row-file.js';
import type { RowShape } from './other-rows.js';

/** Null where no amount needs one. @throws Failure `bad_file` where an amount is two, and nothing in the file decides it */
export async function decimalOf(
  { source, beginning: { ahead }, said }: Opening,
  shape: RowShape,
  cutterOf: () => RecordCutter,
): Promise<DecimalMark | null> {
  if (said.decimal !== null) return said.decimal;
  const evidence = new DecimalEvidence();
  const amountAt = shape.columns.find(({ field }) => field === 'amount')?.index ?? -1;
  const add = (records: readonly SheetRecord[]): void => {
    for (const { line, cells, kinds } of records)
      // A number of a workbook has a point, whatever the others have.
      if (line > shape.headerLine && kinds?.[amountAt] !== KINDS.number)
        evidence.add(line, cells[amountAt] ?? '');
  };
  const cutter = cutterOf();
  for (const piece of ahead.pieces) add(cutter.push(piece));
  if (ahead.isWhole) add(cutter.end());
  else if (evidence.verdict().doubt !== null) {
    const again = cutterOf();
    try {
      for await (const piece of ahead.again()) add(again.push(piece));
      add(again.end());
    } catch (error) {
      // What is behind it is not read at all: that is said when the rows are.
      if (!(error instanceof BrokenText)) throw error;
    }
  }
  const { way, doubt } = evidence.verdict();
  if (doubt === null) return way;
  const ways = doubt.ways.map(([mark, value]) => `${value} with --decimal ${mark}`);
  const item = `line ${doubt.line}: amount: ${JSON.stringify(doubt.text.trim())} is ${ways.join(', ')}`;
  const head = `${source.name} can be read in more than one way. ${source.undone} Add --decimal comma or --decimal point.`;
  throw new Failure('bad_file', head, {
    items: [item],
    details: [{ field: `line ${doubt.line} amount`, code: 'invalid' }],
  });
}
