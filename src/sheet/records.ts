/** Cuts text into the records of a CSV file, piece by piece, whatever its line ends; a record that is broken says so and leaves the others whole. */

export interface SheetRecord {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Why nothing in it can be believed; null where it can. */
  readonly fault: string | null;
  /** The text ends in the middle of it, as far as that shows: no line end follows. */
  readonly isUnended?: boolean;
  /** What each cell of a workbook holds, a character a cell (`KINDS`); of a text file nothing says it. */
  readonly kinds?: string;
}

/** What turns text into records. */
export interface RecordCutter {
  /** The records that are whole by now. */
  push(text: string): SheetRecord[];
  end(): SheetRecord[];
  /** The line of the last character that was pushed. */
  line(): number;
}

/** What no line needs; a longer one is an unclosed quote, or no text at all. */
export const RECORD_MAX_CHARACTERS = 128 * 1024;

const ENOUGH_CHARACTERS = 32 * 1024;

export const TOO_LONG = `is longer than ${RECORD_MAX_CHARACTERS} characters`;
const UNCLOSED = 'a quote is opened here and never closed';
const NUL = 'holds a NUL byte';
const INSIDE =
  'a quote stands inside a cell: a cell with quotes is quoted as a whole, and its quotes are doubled';

/** Where a record ended: its cells, and how many line ends are inside it. */
interface Cut {
  readonly cells: string[];
  readonly next: number;
  readonly lines: number;
  readonly fault: string | null;
}

export class CsvCutter implements RecordCutter {
  readonly #delimiter: string;
  readonly #enough: number;
  #waiting = '';
  #text = '';
  #line = 1;
  #isSkipping = false;
  #isOver = false;
  /** Whether what is left ends inside a quoted cell. */
  #isInQuote = false;
  /** The next line feed, carriage return and quote; the length of the text where there is none. */
  #feed = 0;
  #return = 0;
  #quote = 0;

  /** @param enough how much is waited for before anything is cut: what is not whole is looked at again with each piece */
  constructor(delimiter: string, enough = ENOUGH_CHARACTERS) {
    this.#delimiter = delimiter;
    this.#enough = enough;
  }

  push(text: string): SheetRecord[] {
    this.#waiting += text;
    return this.#waiting.length < this.#enough ? [] : this.#cut(false);
  }

  end(): SheetRecord[] {
    return this.#cut(true);
  }

  line(): number {
    return this.#line + lineEnds(this.#text + this.#waiting);
  }

  #cut(isEnd: boolean): SheetRecord[] {
    this.#text += this.#waiting;
    this.#waiting = '';
    if (this.#isOver) this.#text = '';
    this.#feed = this.#return = this.#quote = -1;
    this.#isInQuote = false;
    const hasNul = this.#text.includes('\0');
    const records: SheetRecord[] = [];
    let at = this.#isSkipping ? this.#skip(0, isEnd) : 0;
    while (at < this.#text.length) {
      const cut = this.#record(at, isEnd);
      if (cut === null) break;
      const isSpoiled = hasNul && cut.cells.some((cell) => cell.includes('\0'));
      at = cut.next;
      const isUnended = isEnd && at === this.#text.length && !/[\r\n]$/.test(this.#text);
      const record = { line: this.#line, cells: cut.cells, fault: isSpoiled ? NUL : cut.fault };
      records.push(isUnended ? { ...record, isUnended } : record);
      this.#line += cut.lines;
    }
    this.#text = this.#text.slice(at);
    if (this.#text.length > RECORD_MAX_CHARACTERS) records.push(this.#tooLong());
    return records;
  }

  /** The record at that place; null where it is not whole yet. */
  #record(at: number, isEnd: boolean): Cut | null {
    const end = this.#lineEnd(at);
    if (this.#quote < at) this.#quote = found(this.#text, '"', at);
    if (this.#quote < end) return this.#quoted(at, isEnd);
    const next = this.#behind(end, isEnd);
    if (next === null) return null;
    return { cells: this.#text.slice(at, end).split(this.#delimiter), next, lines: 1, fault: null };
  }

  #quoted(at: number, isEnd: boolean): Cut | null {
    const text = this.#text;
    const cells: string[] = [];
    let lines = 1;
    for (let start = at; ;) {
      const opening = openingOf(text, start);
      if (opening === -1) {
        const stop = Math.min(found(text, this.#delimiter, start), this.#lineEnd(start));
        cells.push(text.slice(start, stop));
        start = stop;
      } else {
        const closing = closingOf(text, opening + 1);
        if (closing === -1 || (closing === text.length - 1 && !isEnd)) {
          this.#isInQuote = closing === -1;
          return isEnd ? { cells, next: text.length, lines, fault: UNCLOSED } : null;
        }
        const cell = text.slice(opening + 1, closing);
        lines += lineEnds(cell);
        cells.push(cell.includes('"') ? cell.replaceAll('""', '"') : cell);
        start = closing + 1;
        while (text[start] === ' ') start += 1;
      }
      if (start < text.length && text.startsWith(this.#delimiter, start)) {
        start += this.#delimiter.length;
        continue;
      }
      const end = this.#lineEnd(start);
      const next = this.#behind(end, isEnd);
      return next === null ? null : { cells, next, lines, fault: start === end ? null : INSIDE };
    }
  }

  /** What is too long is left out up to its end; behind a quote that is never closed there is no end. */
  #tooLong(): SheetRecord {
    this.#isOver = this.#isInQuote;
    this.#isSkipping = true;
    this.#text = '';
    return { line: this.#line, cells: [], fault: this.#isOver ? UNCLOSED : TOO_LONG };
  }

  #skip(at: number, isEnd: boolean): number {
    const end = this.#lineEnd(at);
    const next = this.#behind(end, isEnd);
    if (next === null) return end;
    this.#isSkipping = false;
    this.#line += 1;
    return next;
  }

  #lineEnd(at: number): number {
    if (this.#feed < at) this.#feed = found(this.#text, '\n', at);
    if (this.#return < at) this.#return = found(this.#text, '\r', at);
    return Math.min(this.#feed, this.#return);
  }

  /** Where the next line begins; null where that is not there yet. */
  #behind(end: number, isEnd: boolean): number | null {
    const { length } = this.#text;
    if (end === length) return isEnd ? length : null;
    if (this.#text[end] === '\n') return end + 1;
    if (end + 1 === length && !isEnd) return null;
    return this.#text[end + 1] === '\n' ? end + 2 : end + 1;
  }
}

/** The length of the text where it is not there. */
function found(text: string, part: string, from: number): number {
  const at = text.indexOf(part, from);
  return at === -1 ? text.length : at;
}

/** The quote that opens the cell, behind spaces, or behind the `=` that a spreadsheet writes for a text; -1 where it has none. */
function openingOf(text: string, start: number): number {
  let at = start;
  while (text[at] === ' ') at += 1;
  if (text[at] === '=' && text[at + 1] === '"') at += 1;
  return text[at] === '"' ? at : -1;
}

function closingOf(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/** A line feed, a carriage return, or both of them. */
export function lineEnds(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) count += 1;
  }
  return count;
}
