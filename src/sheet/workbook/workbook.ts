/** A workbook as text: the sheet that is meant, from its beginning as often as it is asked for. */
import type { FileSource } from '../file-source.js';
import { Failure } from '../../runtime/failure.js';
import { openArchive } from './archive.js';
import { readBook } from './book.js';
import { sheetText } from './sheet-text.js';

export interface Workbook {
  /** The sheet that is read. */
  readonly sheet: string;
  /** The others. */
  readonly others: readonly string[];
  text(): AsyncGenerator<string, void, void>;
}

/**
 * Opens the sheet of that name, else the first.
 * @param fd of the source
 * @throws Failure `bad_file` where it can't be read, `usage` where there is no sheet of that name
 */
export async function openWorkbook(
  source: Pick<FileSource, 'name' | 'undone'>,
  fd: number,
  named: string | null,
): Promise<Workbook> {
  const { name, undone } = source;
  const refused = (why: string, cause?: unknown): Failure =>
    new Failure('bad_file', `${name} ${why}. ${undone} Save it as XLSX or CSV, without a password.`, {
      cause,
    });
  const archive = await openArchive(fd, refused);
  const book = await readBook(archive, refused);
  const sheet = named === null ? book.sheets[0] : book.sheets.find((one) => one.name === named);
  const all = book.sheets.map((one) => one.name);
  if (sheet === undefined)
    throw new Failure('usage', `${name} has no sheet ${JSON.stringify(named)}. ${undone}`, {
      advice: [`Its sheets: ${all.map((one) => JSON.stringify(one)).join(', ')}.`],
    });
  return {
    sheet: sheet.name,
    others: all.filter((one) => one !== sheet.name),
    text: () => sheetText(archive, book, sheet, refused),
  };
}
