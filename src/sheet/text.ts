import { isUtf8 } from 'node:buffer';
import type { FileSource, SourceName } from './file-source.js';
import type { TextEncoding } from './forms.js';
import { Failure } from '../runtime/failure.js';

export class BrokenText extends Error {
  override readonly name = 'BrokenText';

  constructor(readonly isUtf8Elsewhere = false) {
    super();
  }
}

/** True if the bytes have sequences of UTF-8 that nobody would write in Latin-1. */
export function hasUtf8Letters(bytes: Buffer): boolean {
  return /[\xc2-\xdf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}/.test(bytes.toString('latin1'));
}

/** Windows-1252 has these characters from 0x80 to 0x9f, where Latin-1 has control characters. */
const WINDOWS_LETTERS =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

export async function* textOf(
  source: FileSource,
  wanted: TextEncoding | null,
  onSniffed: (sniffed: SniffedEncoding) => void,
): AsyncGenerator<string, void, void> {
  let rest: Buffer = Buffer.alloc(0);
  let sniffed: SniffedEncoding | null = null;
  let isEnd = false;
  const pieces = source.bytes()[Symbol.asyncIterator]();
  while (!isEnd) {
    const next = await pieces.next();
    isEnd = next.done === true;
    const piece =
      next.done === true
        ? rest
        : rest.length > 0
          ? Buffer.concat([rest, next.value])
          : Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    if (sniffed === null && piece.length < 4 && !isEnd) {
      rest = Buffer.from(piece);
      continue;
    }
    const isFirst = sniffed === null;
    sniffed ??= sniff(piece, wanted, source);
    if (isFirst) onSniffed(sniffed);
    const bytes = isFirst ? piece.subarray(sniffed.markBytes) : piece;
    const completeBytes = isEnd ? bytes.length : wholeBytes(bytes, sniffed.encoding);
    rest = Buffer.from(bytes.subarray(completeBytes));
    yield* decode(bytes.subarray(0, completeBytes), sniffed);
  }
}

function* decode(bytes: Buffer, { encoding, isBigEndian }: SniffedEncoding): Generator<string, void, void> {
  if (encoding === 'latin1') {
    const text = bytes.toString('latin1');
    yield text.replace(/[\u0080-\u009f]/g, (code) => WINDOWS_LETTERS[code.charCodeAt(0) - 0x80] ?? code);
  } else if (encoding === 'utf16') {
    if (bytes.length % 2 === 1) throw new BrokenText();
    yield (isBigEndian ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
  } else if (isUtf8(bytes)) yield bytes.toString('utf8');
  else {
    yield bytes.toString('utf8', 0, validBytes(bytes));
    throw new BrokenText(hasUtf8Letters(bytes));
  }
}

function wholeBytes(bytes: Buffer, encoding: TextEncoding): number {
  const { length } = bytes;
  if (encoding === 'latin1') return length;
  if (encoding === 'utf16') return length - (length % 2);
  for (let back = 1; back <= Math.min(3, length); back += 1) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return length;
    if (byte >= 0xc0) return sequenceBytes(byte) > back ? length - back : length;
  }
  return length;
}

function validBytes(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const size = sequenceBytes(bytes[at] ?? 0);
    if (at + size > bytes.length || !isUtf8(bytes.subarray(at, at + size))) return at;
    at += size;
  }
  return at;
}

function sequenceBytes(lead: number): number {
  if (lead < 0xc0) return 1;
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}

export type SniffedEncoding = ReturnType<typeof sniff>;

const BOMS: readonly (readonly [hex: string, encoding: TextEncoding, isBigEndian: boolean])[] = [
  ['efbbbf', 'utf8', false],
  ['fffe', 'utf16', false],
  ['feff', 'utf16', true],
];
const NO_TEXT_FORMATS: readonly (readonly [hex: string, what: string, remedy?: string])[] = [
  [
    '504b0304',
    'a workbook (XLSX) or another archive',
    'Save it as CSV, or give it as a file: a workbook is not read from a stream.',
  ],
  ['d0cf11e0', 'a workbook of an old kind (XLS)'],
  ['25504446', 'a PDF'],
  ['1f8b', 'a compressed file'],
];
function sniff(first: Uint8Array, wanted: TextEncoding | null, source: SourceName) {
  const hex = Buffer.from(first.subarray(0, 8)).toString('hex');
  const format = NO_TEXT_FORMATS.find(([start]) => hex.startsWith(start));
  if (format !== undefined) throw noText(source, `is ${format[1]}, not text`, format[2]);
  const byteOrderMark = BOMS.find(([start]) => hex.startsWith(start));
  if (byteOrderMark === undefined) {
    // In UTF-16 without a byte order mark, every second byte of plain letters is zero.
    const isBigEndian = /^(?:00(?!00)..)+$/.test(hex);
    const encoding = wanted ?? (isBigEndian || /^(?:(?!00)..00)+$/.test(hex) ? 'utf16' : 'utf8');
    const bytes = first.subarray(0, 512);
    const isMostlyZero = bytes.filter((byte) => byte === 0).length > bytes.length / 8;
    if (encoding !== 'utf16' && isMostlyZero) throw noText(source, 'is not text');
    return { encoding, isBigEndian: encoding === 'utf16' && isBigEndian, markBytes: 0 };
  }
  const [markHex, encoding, isBigEndian] = byteOrderMark;
  if (wanted !== null && wanted !== encoding) {
    const head = `The first bytes of ${source.name} say that it is ${encoding}, and --encoding says ${wanted}. ${source.undone} Leave --encoding out.`;
    throw new Failure('usage', head);
  }
  return { encoding, isBigEndian, markBytes: markHex.length / 2 };
}

function noText({ name, undone }: SourceName, what: string, remedy = 'Save it as CSV.'): Failure {
  return new Failure('bad_file', `${name} ${what}. ${undone} ${remedy}`);
}
