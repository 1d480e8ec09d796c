/** In which forms a file may come, and what was said of it. Types. */

export type DecimalMark = 'comma' | 'point';
export type TextEncoding = 'utf8' | 'latin1' | 'utf16';

/** What was said of how a file is written; null for what has to be found out. Values are as they were typed. */
export interface SheetOptions {
  /** `FIELD=COLUMN,...`; a saved name was replaced by what it stands for. */
  readonly map: string | null;
  /** `comma`, `semicolon`, `tab`, `pipe` or the character itself. */
  readonly delimiter: string | null;
  readonly decimal: string | null;
  readonly encoding: string | null;
  /** The name of a sheet of a workbook. */
  readonly sheet: string | null;
}

/** The same, understood. */
export interface SaidOfSheet {
  readonly delimiter: string | null;
  readonly decimal: DecimalMark | null;
  readonly encoding: TextEncoding | null;
  readonly sheet: string | null;
}

export interface SheetColumn<Field extends string = string> {
  readonly field: Field;
  /** As the header has it; empty where it has no name. */
  readonly name: string;
  /** From 0; which value of a row it is. */
  readonly index: number;
}
