/** The open file of a batch: how it is read, its rows before they have a meaning, and text that a spreadsheet or an editor has spoiled. */
import type { Capabilities } from '../../contract/catalog.js';
import { withoutJoiners } from '../../contract/on-screen.js';
import type { Direction } from '../../contract/operation.js';
import type { Problems } from '../../runtime/problems.js';
import type { DecimalMark, SaidOfSheet, SheetOptions, SheetColumn, TextEncoding } from '../../sheet/forms.js';
import type { MapEntry } from '../../sheet/column-map.js';
import type { FileSource } from '../../sheet/file-source.js';
import { errorText, shortenedText } from '../../sheet/words.js';
import type { LookAhead } from '../../sheet/look-ahead.js';

/** What a file that is not of the plain form was taken for. */
export interface RowReading {
  /** The sheets of a workbook: the one that is read, and the others; null for text. */
  readonly sheets: LookAhead['workbook'];
  readonly encoding: TextEncoding;
  readonly delimiter: string;
  /** Null where no amount needs one. */
  readonly decimal: DecimalMark | null;
  readonly headerLine: number;
  readonly header: readonly string[];
  /** The fields are body paths. */
  readonly columns: readonly SheetColumn[];
  /** Columns of the header that are none of these. */
  readonly ignored: readonly string[];
  /** Those of them that bear the name of a field, which the map does not name. */
  readonly named: readonly SheetColumn[];
  /** The lines above the header that hold anything. */
  readonly above: readonly number[];
  /** What nobody had said and the file does not say itself. */
  readonly guessed: readonly (keyof SheetOptions)[];
  /** The line that is not UTF-8, where Latin-1 is a guess because of it. */
  readonly brokenAt: string | null;
  readonly first: readonly FileRow[];
}

export interface RowFile {
  /** Null for the plain form: CSV with commas in UTF-8 under a header of body paths, or NDJSON. */
  readonly reading: RowReading | null;
  /** The rows, once; what is wrong with one is noted, and the row is left out. */
  rows(problems: Problems): FileRows;
  /** SHA-256 in hexadecimal, once all of it was read. */
  hash(): string;
  /** @throws Failure `bad_file` where it changed while it was read */
  requireUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** Null for what has to be found out. */
export interface SaidOfRows extends SaidOfSheet {
  readonly map: readonly MapEntry[] | null;
}

/** The beginning of a file, and how its characters were found out. */
export interface Beginning {
  readonly ahead: LookAhead;
  /** Where it is not UTF-8, as nobody had said; null where that is no guess. */
  readonly brokenAt: string | null;
}

export interface Opening {
  readonly source: FileSource;
  readonly beginning: Beginning;
  readonly said: SaidOfRows;
  readonly direction: Direction;
  readonly catalog: Capabilities;
}

/** A row of CSV by its columns, or a body of NDJSON as its own text. */
export interface FileRow {
  /** From 1: where the row begins. */
  readonly line: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Its JSON text where the file has one; null where the body is to be written. */
  readonly text: string | null;
  /** The currency sign that a workbook shows beside the amount. */
  readonly sign?: string | undefined;
}

export type FileRows = AsyncGenerator<FileRow, void, void>;

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u;
const CONTROL = /\p{Cc}/u;
const COMMA_AMOUNT = /^[0-9]{1,3}([.,\s'][0-9]{3})*,[0-9]+$|^[0-9]+,[0-9]+$/;

/** What is wrong with a value whatever the catalog says; null where nothing is. @param field its body path */
export function spoiledText(field: string, text: string): string | null {
  const isFree = field.endsWith('.name') || field.startsWith('metadata.');
  if (CONTROL.test(text)) return 'holds a control character or a line end';
  if (INVISIBLE.test(isFree ? withoutJoiners(text) : text)) return 'holds an invisible character';
  if (text.includes('\ufffd'))
    return 'holds a replacement character: it was saved in the wrong encoding once';
  if (!text.isWellFormed()) return 'holds half of a character';
  const damage = errorText(text) ?? (isFree ? null : shortenedText(text));
  if (damage !== null) return damage;
  if (field === 'amount' && COMMA_AMOUNT.test(text))
    return `${text} has a comma: amounts have a decimal point`;
  return null;
}

/** The same for every text inside a body. @returns the path of the first one that is spoiled, and what is wrong with it */
export function spoiledBody(value: unknown, path = ''): { field: string; message: string } | null {
  if (typeof value === 'string') {
    const message = spoiledText(path, value);
    return message === null ? null : { field: path, message };
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    const spoiled = spoiledBody(inner, at) ?? spoiledBody(name, at);
    if (spoiled !== null) return spoiled;
  }
  return null;
}
