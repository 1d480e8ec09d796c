export interface SheetRecord {
  readonly line: number;
  readonly cells: readonly string[];
  readonly fault: string | null;
  /** True if no line end follows the record, so that the file may have been cut off here. */
  readonly isUnended?: boolean;
  readonly kinds?: string;
}

export interface RecordCutter {
  push(text: string): SheetRecord[];
  end(): SheetRecord[];
  line(): number;
}

/** A longer record means an unclosed quote, or a file that is no text. */
export const RECORD_MAX_CHARACTERS = 128 * 1024;

const CUT_MIN_CHARACTERS = 32 * 1024;

export const TOO_LONG = `is longer than ${RECORD_MAX_CHARACTERS} characters`;
const UNCLOSED_QUOTE = 'a quote is opened here and never closed';
const NUL_BYTE = 'holds a NUL byte';
const QUOTE_INSIDE =
  'a quote stands inside a cell: a cell with quotes is quoted as a whole, and its quotes are doubled';

export class CsvCutter implements RecordCutter {
  #waiting = '';
  #text = '';
  #line = 1;
  #isSkipping = false;
  #isOver = false;
  #isInQuote = false;
  #nextFeed = 0;
  #nextReturn = 0;
  #nextQuote = 0;

  constructor(
    private readonly delimiter: string,
    private readonly minCharacters = CUT_MIN_CHARACTERS,
  ) {}

  push(text: string): SheetRecord[] {
    this.#waiting += text;
    return this.#waiting.length < this.minCharacters ? [] : this.#cut(false);
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
    this.#nextFeed = this.#nextReturn = this.#nextQuote = -1;
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
      const record = { line: this.#line, cells: cut.cells, fault: isSpoiled ? NUL_BYTE : cut.fault };
      records.push(isUnended ? { ...record, isUnended } : record);
      this.#line += cut.lines;
    }
    this.#text = this.#text.slice(at);
    if (this.#text.length > RECORD_MAX_CHARACTERS) records.push(this.#tooLongRecord());
    return records;
  }

  #record(at: number, isEnd: boolean) {
    const end = this.#lineEnd(at);
    if (this.#nextQuote < at) this.#nextQuote = indexOrEnd(this.#text, '"', at);
    if (this.#nextQuote < end) return this.#quotedRecord(at, isEnd);
    const next = this.#nextLine(end, isEnd);
    if (next === null) return null;
    return { cells: this.#text.slice(at, end).split(this.delimiter), next, lines: 1, fault: null };
  }

  #quotedRecord(at: number, isEnd: boolean) {
    const text = this.#text;
    const cells: string[] = [];
    let lines = 1;
    for (let start = at; ;) {
      let opening = start;
      while (text[opening] === ' ') opening += 1;
      if (text[opening] === '=' && text[opening + 1] === '"') opening += 1;
      if (text[opening] !== '"') {
        const stop = Math.min(indexOrEnd(text, this.delimiter, start), this.#lineEnd(start));
        cells.push(text.slice(start, stop));
        start = stop;
      } else {
        let closing = text.indexOf('"', opening + 1);
        while (closing !== -1 && text[closing + 1] === '"') closing = text.indexOf('"', closing + 2);
        if (closing === -1 || (closing === text.length - 1 && !isEnd)) {
          this.#isInQuote = closing === -1;
          return isEnd ? { cells, next: text.length, lines, fault: UNCLOSED_QUOTE } : null;
        }
        const cell = text.slice(opening + 1, closing);
        lines += lineEnds(cell);
        cells.push(cell.includes('"') ? cell.replaceAll('""', '"') : cell);
        start = closing + 1;
        while (text[start] === ' ') start += 1;
      }
      if (start < text.length && text.startsWith(this.delimiter, start)) {
        start += this.delimiter.length;
        continue;
      }
      const end = this.#lineEnd(start);
      const next = this.#nextLine(end, isEnd);
      return next === null ? null : { cells, next, lines, fault: start === end ? null : QUOTE_INSIDE };
    }
  }

  #tooLongRecord(): SheetRecord {
    this.#isOver = this.#isInQuote;
    this.#isSkipping = true;
    this.#text = '';
    return { line: this.#line, cells: [], fault: this.#isOver ? UNCLOSED_QUOTE : TOO_LONG };
  }

  #skip(at: number, isEnd: boolean): number {
    const end = this.#lineEnd(at);
    const next = this.#nextLine(end, isEnd);
    if (next === null) return end;
    this.#isSkipping = false;
    this.#line += 1;
    return next;
  }

  #lineEnd(at: number): number {
    if (this.#nextFeed < at) this.#nextFeed = indexOrEnd(this.#text, '\n', at);
    if (this.#nextReturn < at) this.#nextReturn = indexOrEnd(this.#text, '\r', at);
    return Math.min(this.#nextFeed, this.#nextReturn);
  }

  #nextLine(end: number, isEnd: boolean): number | null {
    const { length } = this.#text;
    if (end === length) return isEnd ? length : null;
    if (this.#text[end] === '\n') return end + 1;
    if (end + 1 === length && !isEnd) return null;
    return this.#text[end + 1] === '\n' ? end + 2 : end + 1;
  }
}

function indexOrEnd(text: string, part: string, from: number): number {
  const at = text.indexOf(part, from);
  return at === -1 ? text.length : at;
}

export function lineEnds(text: string): number {
  return text.match(/\r\n?|\n/g)?.length ?? 0;
}
