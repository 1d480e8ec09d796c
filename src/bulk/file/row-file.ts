/** The file of a batch, opened: how it is read, and its rows. Types. */
import type { Capabilities } from '../../contract/catalog.js';
import type { Direction } from '../../contract/operation.js';
import type { Problems } from '../../runtime/problems.js';
import type { DecimalMark, SaidOfSheet, SheetOptions, SheetColumn, TextEncoding } from '../../sheet/forms.js';
import type { MapEntry } from '../../sheet/column-map.js';
import type { FileSource } from '../../sheet/file-source.js';
import type { LookAhead } from '../../sheet/look-ahead.js';
import type { FileRow, FileRows } from './file-row.js';

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
  /** The lines above the header that hold anything. */
  readonly above: readonly number[];
  /** What nobody had said and the file does not say itself. */
  readonly guessed: readonly (keyof SheetOptions)[];
  /** The line that is not UTF-8, where Latin-1 is a guess because of it. */
  readonly brokenAt: string | null;
  /** The first rows, as far as they can be read. */
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
