import { Failure } from '../runtime/failure.js';
import { Problems } from '../runtime/problems.js';
import type { FileSource, SourceName } from './file-source.js';
import type { SheetSettings, TextEncoding } from './forms.js';
import { lineEnds, CsvCutter, type RecordCutter, type SheetRecord } from './records.js';
import { type SniffedEncoding, BrokenText, textOf } from './text.js';
import type { Workbook } from './workbook/workbook.js';
import { read } from 'node:fs';
import { promisify } from 'node:util';
import { diskFailure } from '../runtime/folders.js';
import { CELL_SEPARATOR, type CellUse, SheetCutter } from './workbook/sheet-records.js';

const AHEAD_CHARACTERS = 1024 * 1024;

const SAMPLE_CHARACTERS = 256 * 1024;

const NOT_UTF8 =
  'is not UTF-8; where it was written by an older program, or by a bank that writes Latin-1, add --encoding latin1';

export type LookAhead = Readonly<Awaited<ReturnType<typeof lookAhead>>>;

export async function lookAhead(
  source: FileSource,
  { encoding: wanted, sheet }: Pick<SheetSettings, 'encoding' | 'sheet'>,
) {
  let sniffed: SniffedEncoding = { encoding: 'utf8', isBigEndian: false, markBytes: 0 };
  const workbook = await workbookOf(source, sheet);
  const again = (): AsyncGenerator<string, void, void> =>
    workbook === null ? textOf(source, wanted, (result) => (sniffed = result)) : workbook.text();
  const text = again();
  const pieces: string[] = [];
  let isWhole = false;
  try {
    for (let length = 0; length < AHEAD_CHARACTERS; length += pieces.at(-1)?.length ?? 0) {
      const { value, done } = await text.next();
      isWhole = done === true;
      if (isWhole) break;
      pieces.push(value as string);
    }
  } catch (error) {
    if (!(error instanceof BrokenText)) throw error;
    const line = pieces.reduce((count, piece) => count + lineEnds(piece), 1);
    const isAlone = !error.isUtf8Elsewhere && !pieces.some((piece) => /[^\0-\x7f]/.test(piece));
    throw new Failure('bad_file', `${source.name} has 1 problem. ${source.undone}`, {
      items: [`line ${line}: ${encodingProblem(sniffed.encoding, isAlone)}`],
      details: [{ field: `line ${line}`, code: 'invalid' }],
      // The caller reads the file again as Latin-1 only if the failure has a `cause`.
      cause: isAlone ? error : undefined,
    });
  }
  let length = 0;
  const end = pieces.findIndex((piece) => (length += piece.length) >= SAMPLE_CHARACTERS);
  const sample = pieces.slice(0, end === -1 ? undefined : end + 1).join('');
  if (workbook === null) requireTable(sample, source);
  return {
    ...{ source, sample, pieces, isWhole, workbook, again },
    encoding: sniffed.encoding,
    hasByteOrderMark: sniffed.markBytes > 0,
    all: async function* (): AsyncGenerator<string, void, void> {
      yield* pieces.splice(0);
      yield* text;
    },
  };
}

function encodingProblem(encoding: TextEncoding, isAlone: boolean): string {
  if (encoding !== 'utf8') return `is not ${encoding}: a character is cut off`;
  return isAlone ? NOT_UTF8 : 'is not UTF-8, and the text around it is: correct the line';
}

const FORMS: readonly (readonly [beginning: RegExp, name: string])[] = [
  [/^\s*(?:OFXHEADER|(?:<\?[^>]*>\s*)*<\??OFX)/i, 'OFX'],
  [/^\s*<[^]{0,2000}camt\.05/, 'camt (ISO 20022)'],
  [/^\s*</, 'HTML or XML'],
  [/^\s*!\p{L}+(?::|\s*\n)/u, 'QIF'],
  [/^\s*(?:\{1:[^]{0,400}?)?:20:/, 'MT940'],
  [/^\s*(?:00.*\r?\n)?11,?[0-9]{4},?[0-9]{4}.*\r?\n(?:22|33),?[0-9 ]{4}/, 'Cuaderno 43'],
];

export function requireTable(sample: string, { name, undone }: SourceName, isUnusable = false): void {
  const lines = sample.split(/\r?\n/, 50).filter((line) => line.trim() !== '');
  const { length } = lines[0] ?? '';
  const isSolid = length >= 60 && lines.every((line) => line.length === length && /^[0-9]{8}/.test(line));
  const isSpaced = lines.filter((line) => /\S {2,}\S.*\S {2,}\S/.test(line)).length * 5 > lines.length * 4;
  const isWide = isUnusable && (isSolid || isSpaced) && !/[;\t|]/.test(lines.join(''));
  const form = FORMS.find(([beginning]) => beginning.test(sample.slice(0, 4000)))?.[1];
  const what = form ?? (isWide ? 'text of fixed width' : undefined);
  if (what !== undefined)
    throw new Failure('bad_file', `${name} is ${what}. ${undone} Export it as CSV or XLSX.`);
}

const ARCHIVE_SIGNATURE = '504b0304';
const OLD_WORKBOOK_SIGNATURE = 'd0cf11e0';
const ENCRYPTED_ENTRY = Buffer.from('EncryptedPackage', 'utf16le');
const HEADER_BYTES = 512;
const DIRECTORY_BYTES = 8 * 1024;

async function workbookOf(source: FileSource, sheet: string | null): Promise<Workbook | null> {
  const { name, undone, fd } = source;
  const head = fd === null ? Buffer.alloc(0) : await bytesAt(source, fd, 0, HEADER_BYTES);
  const signature = head.toString('hex', 0, 4);
  if (fd !== null && signature === ARCHIVE_SIGNATURE) {
    const { openWorkbook } = await import('./workbook/workbook.js');
    return openWorkbook(source, fd, sheet);
  }
  if (fd !== null && signature === OLD_WORKBOOK_SIGNATURE) {
    const what = (await isEncrypted(source, fd, head))
      ? 'is a workbook with a password. Save it without one'
      : 'is a workbook of an old kind (XLS). Save it as XLSX or CSV';
    throw new Failure('bad_file', `${name} ${what}. ${undone}`);
  }
  if (sheet !== null) throw new Failure('usage', `${name} is not a workbook. ${undone} Leave --sheet out.`);
  return null;
}

/** An encrypted workbook has an entry `EncryptedPackage`, which an old XLS workbook lacks. */
async function isEncrypted(source: FileSource, fd: number, head: Buffer): Promise<boolean> {
  if (head.length < HEADER_BYTES) return false;
  const sectorBytes = 2 ** Math.min(head.readUInt16LE(30), 16);
  const at = (head.readUInt32LE(48) + 1) * sectorBytes;
  return (await bytesAt(source, fd, at, DIRECTORY_BYTES)).includes(ENCRYPTED_ENTRY);
}

async function bytesAt({ name }: FileSource, fd: number, at: number, length: number): Promise<Buffer> {
  try {
    const { bytesRead, buffer } = await promisify(read)(fd, Buffer.alloc(length), 0, length, at);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw diskFailure('read', name, error);
  }
}

const NO_CELLS: CellUse = { mark: 'point', places: [], amounts: [], texts: [] };

export function cutterFor(delimiter: string, use: CellUse = NO_CELLS): RecordCutter {
  return delimiter === CELL_SEPARATOR ? new SheetCutter(use) : new CsvCutter(delimiter);
}

export function* recordsAhead({ pieces, isWhole }: LookAhead, cutter: RecordCutter): Generator<SheetRecord> {
  for (const piece of pieces) yield* cutter.push(piece);
  if (isWhole) yield* cutter.end();
}

export async function* recordsOf(ahead: LookAhead, cutter: RecordCutter, problems: Problems) {
  try {
    for await (const piece of ahead.all()) yield cutter.push(piece);
    yield cutter.end();
  } catch (error) {
    if (!(error instanceof BrokenText)) throw error;
    problems.add(cutter.line(), null, encodingProblem(ahead.encoding, !error.isUtf8Elsewhere));
    problems.noteMore();
  }
}

export function recordsAgain(ahead: LookAhead, cutter: RecordCutter) {
  return recordsOf({ ...ahead, all: () => ahead.again() }, cutter, new Problems());
}
