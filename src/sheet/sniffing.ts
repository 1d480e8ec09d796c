/** What the first bytes of a file say: its encoding, or that it is no text. Pure. */
import { Failure } from '../runtime/failure.js';
import type { FileSource } from './file-source.js';
import type { TextEncoding } from './forms.js';

type Named = Pick<FileSource, 'name' | 'undone'>;

/** What the first bytes say. */
export interface Sniffed {
  readonly encoding: TextEncoding;
  readonly isBigEndian: boolean;
  /** How many bytes the mark has that says it. */
  readonly markBytes: number;
}

const MARKS: readonly (readonly [bytes: string, encoding: TextEncoding, isBigEndian: boolean])[] = [
  ['efbbbf', 'utf8', false],
  ['fffe', 'utf16', false],
  ['feff', 'utf16', true],
];
/** What is no text, by its first bytes. */
const OTHERS: readonly (readonly [bytes: string, what: string, remedy?: string])[] = [
  [
    '504b0304',
    'a workbook (XLSX) or another archive',
    'Save it as CSV, or give it as a file: a workbook is not read from a stream.',
  ],
  ['d0cf11e0', 'a workbook of an old kind (XLS)'],
  ['25504446', 'a PDF'],
  ['1f8b', 'a compressed file'],
];
/**
 * What the text is written in: what its first bytes say, else what was said, else UTF-8.
 * @throws Failure `bad_file` where it is no text; `usage` where the bytes say something else than what was said
 */
export function sniff(first: Uint8Array, said: TextEncoding | null, source: Named): Sniffed {
  const hex = Buffer.from(first.subarray(0, 8)).toString('hex');
  const other = OTHERS.find(([bytes]) => hex.startsWith(bytes));
  if (other !== undefined) throw noText(source, `is ${other[1]} and no text`, other[2]);
  const mark = MARKS.find(([bytes]) => hex.startsWith(bytes));
  if (mark === undefined) {
    const sniffed = unmarked(hex, said);
    if (sniffed.encoding !== 'utf16' && isMostlyZero(first.subarray(0, 512)))
      throw noText(source, 'is no text');
    return sniffed;
  }
  const [bytes, encoding, isBigEndian] = mark;
  if (said !== null && said !== encoding) {
    const head = `The first bytes of ${source.name} say that it is ${encoding}, and --encoding says ${said}. ${source.undone} Leave --encoding out.`;
    throw new Failure('usage', head);
  }
  return { encoding, isBigEndian, markBytes: bytes.length / 2 };
}

/** In UTF-16 every other byte of what is mostly plain letters is zero. */
function unmarked(hex: string, said: TextEncoding | null): Sniffed {
  const isBigEndian = /^(?:00(?!00)..)+$/.test(hex);
  const isLittleEndian = /^(?:(?!00)..00)+$/.test(hex);
  const encoding = said ?? (isBigEndian || isLittleEndian ? 'utf16' : 'utf8');
  return { encoding, isBigEndian: encoding === 'utf16' && isBigEndian, markBytes: 0 };
}

/** A zero here and there is damage, which is told line by line. */
function isMostlyZero(bytes: Uint8Array): boolean {
  return bytes.filter((byte) => byte === 0).length > bytes.length / 8;
}

function noText({ name, undone }: Named, what: string, remedy = 'Save it as CSV.'): Failure {
  return new Failure('bad_file', `${name} ${what}. ${undone} ${remedy}`);
}
