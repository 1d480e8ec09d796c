/** The flags that say how a file is written, for every command that reads one as people have it. */
import * as Flags from '@oclif/core/flags';
import type { SheetOptions } from '../../sheet/forms.js';

/** @param map what a map says there */
export const formFlags = (map: string) => ({
  map: Flags.string({ summary: map, helpValue: 'FIELD=COLUMN,...' }),
  'save-map': Flags.string({
    summary: 'Keep how the file is read under this name, for --map.',
    helpValue: 'NAME',
  }),
  delimiter: Flags.string({
    summary: 'What stands between columns: comma, semicolon, tab, pipe.',
    helpValue: 'D',
  }),
  decimal: Flags.string({ summary: 'The decimal mark of amounts.', options: ['comma', 'point'] }),
  encoding: Flags.string({ summary: 'How the file is encoded.', options: ['utf8', 'latin1', 'utf16'] }),
});

/** What of it was said. */
export function formOptions(
  flags: Readonly<Partial<Record<keyof SheetOptions, string | undefined>>>,
): SheetOptions {
  const { map = null, delimiter = null, decimal = null, encoding = null } = flags;
  return { map, delimiter, decimal, encoding };
}
