/** A row as a file holds it, before anything is known about its meaning; and text that a spreadsheet or an editor has spoiled. Pure. */
/** A row of CSV by its columns, or a body of NDJSON as its own text. */
export interface FileRow {
  /** From 1: where the row begins. */
  readonly line: number;
  /** The request body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Its JSON text where the file has one; null where the body is to be written. */
  readonly text: string | null;
}

export type FileRows = AsyncGenerator<FileRow, void, void>;

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u;
const CONTROL = /\p{Cc}/u;
const SCIENTIFIC = /^[0-9]+([.,][0-9]+)?[eE]\+[0-9]+$/;
const COMMA_AMOUNT = /^[0-9]{1,3}([.,\s'][0-9]{3})*,[0-9]+$|^[0-9]+,[0-9]+$/;

/** What is wrong with a value whatever the catalog says; null where nothing is. @param field its body path */
export function spoiledText(field: string, text: string): string | null {
  if (CONTROL.test(text)) return 'holds a control character or a line end';
  if (INVISIBLE.test(text)) return 'holds an invisible character';
  if (text.includes('\ufffd'))
    return 'holds a replacement character: it was saved in the wrong encoding once';
  if (!text.isWellFormed()) return 'holds half of a character';
  const isFree = field.endsWith('.name') || field.startsWith('metadata.');
  if (!isFree && SCIENTIFIC.test(text)) {
    return `${text} is a number that a spreadsheet has shortened: its digits are lost`;
  }
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
