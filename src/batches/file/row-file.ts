import { withoutJoiners } from '../../contract/on-screen.js';
import type { Problems } from '../../runtime/problems.js';
import type {
  DecimalMark,
  SheetSettings,
  SheetOptions,
  SheetColumn,
  TextEncoding,
} from '../../sheet/forms.js';
import type { MapEntry } from '../../sheet/column-map.js';
import { errorText, lostDigitsText } from '../../sheet/words.js';
import type { LookAhead } from '../../sheet/look-ahead.js';

export interface RowReading {
  readonly sheets: LookAhead['workbook'];
  readonly encoding: TextEncoding;
  readonly delimiter: string;
  readonly decimal: DecimalMark | null;
  readonly headerLine: number;
  readonly header: readonly string[];
  readonly columns: readonly SheetColumn[];
  readonly ignored: readonly string[];
  readonly unmapped: readonly SheetColumn[];
  readonly above: readonly number[];
  readonly guessed: readonly (keyof SheetOptions)[];
  readonly brokenAt: string | null;
  readonly first: readonly FileRow[];
}

export interface RowFile {
  readonly reading: RowReading | null;
  rows(problems: Problems): FileRows;
  hash(): string;
  requireUnchanged(): Promise<void>;
  close(): Promise<void>;
}

export interface RowFlags extends SheetSettings {
  readonly map: readonly MapEntry[] | null;
}

export type FileHead = Readonly<{ ahead: LookAhead; brokenAt: string | null }>;

export interface FileRow {
  readonly line: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string | null;
  readonly sign?: string | undefined;
}

export type FileRows = AsyncGenerator<FileRow, void, void>;

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u;
const CONTROL = /\p{Cc}/u;
const COMMA_AMOUNT = /^[0-9]{1,3}([.,\s'][0-9]{3})*,[0-9]+$|^[0-9]+,[0-9]+$/;

export function damageOfText(field: string, text: string): string | null {
  const isFree = field.endsWith('.name') || field.startsWith('metadata.');
  if (CONTROL.test(text)) return 'holds a control character or a line end';
  if (INVISIBLE.test(isFree ? withoutJoiners(text) : text)) return 'holds an invisible character';
  if (text.includes('\ufffd'))
    return 'holds a replacement character: it was saved in the wrong encoding once';
  if (!text.isWellFormed()) return 'holds half of a character';
  const damage = errorText(text) ?? (isFree ? null : lostDigitsText(text));
  if (damage !== null) return damage;
  if (field === 'amount' && COMMA_AMOUNT.test(text))
    return `${text} has a comma: amounts have a decimal point`;
  return null;
}

export function damageOfBody(value: unknown, path = ''): { field: string; message: string } | null {
  if (typeof value === 'string') {
    const message = damageOfText(path, value);
    return message === null ? null : { field: path, message };
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    const damage = damageOfBody(inner, at) ?? damageOfBody(name, at);
    if (damage !== null) return damage;
  }
  return null;
}
