/** The flags that say how a file is written, for every command that reads one as people have it. */
import * as Flags from '@oclif/core/flags';
import { grouped } from './flags.js';
import type { SheetOptions } from '../../sheet/forms.js';

/** Under what help shows them. */
export const FORM = 'HOW THE FILE IS READ';

/** @param map what a map says there */
export const formFlags = (map: string) =>
  grouped(FORM, {
    map: Flags.string({ summary: map, helpValue: 'FIELD=COLUMN,...' }),
    'save-map': Flags.string({ summary: 'Save how the file is read, for --map', helpValue: 'NAME' }),
    delimiter: Flags.string({ summary: 'comma, semicolon, tab or pipe', helpValue: 'D' }),
    decimal: Flags.string({ summary: 'Decimal mark of amounts', options: ['comma', 'point'] }),
    encoding: Flags.string({ summary: 'Encoding of the file', options: ['utf8', 'latin1', 'utf16'] }),
    sheet: Flags.string({ summary: 'Sheet of a workbook [default: the first]', helpValue: 'NAME' }),
  });

/** What of it was said. */
export function formOptions(
  flags: Readonly<Partial<Record<keyof SheetOptions, string | undefined>>>,
): SheetOptions {
  const { map = null, delimiter = null, decimal = null, encoding = null, sheet = null } = flags;
  return { map, delimiter, decimal, encoding, sheet };
}
