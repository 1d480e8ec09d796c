/** What the amounts of a file say about its decimal mark, where nobody said it. */
import { Failure } from '../../runtime/failure.js';
import { recordsAgain, recordsAhead } from '../../sheet/look-ahead.js';
import { DecimalEvidence, doubtText } from '../../sheet/amount.js';
import type { DecimalMark } from '../../sheet/forms.js';
import type { RecordCutter, SheetRecord } from '../../sheet/records.js';
import { KINDS } from '../../sheet/workbook/sheet-records.js';
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
  const add = ({ line, cells, kinds }: SheetRecord): void => {
    // A number of a workbook has a point, whatever the others have.
    if (line > shape.headerLine && kinds?.[amountAt] !== KINDS.number)
      evidence.add(line, cells[amountAt] ?? '');
  };
  for (const record of recordsAhead(ahead, cutterOf())) add(record);
  if (!ahead.isWhole && evidence.verdict().doubt !== null)
    for await (const records of recordsAgain(ahead, cutterOf())) records.forEach(add);
  const { way, doubt } = evidence.verdict();
  if (doubt === null) return way;
  const item = `line ${doubt.line}: amount: ${doubtText(doubt, (mark) => `--decimal ${mark}`)}`;
  const head = `${source.name} can be read in more than one way. ${source.undone} Add --decimal comma or --decimal point.`;
  throw new Failure('bad_file', head, {
    items: [item],
    details: [{ field: `line ${doubt.line} amount`, code: 'invalid' }],
  });
}
