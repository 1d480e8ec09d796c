/** The text of a ledger or a statement out of its bytes, piece by piece: UTF-8, Latin-1 as Windows means it, UTF-16. */
import { isUtf8 } from 'node:buffer';
import type { FileSource } from './file-source.js';
import type { TextEncoding } from './forms.js';
import { sniff, type Sniffed } from './sniffing.js';

/** The bytes are none of the encoding: what is behind them is not read. The pieces before it are whole. */
export class BrokenText extends Error {
  override readonly name = 'BrokenText';
}

/** What Windows has where Latin-1 has control characters: 0x80 to 0x9f. */
const WINDOWS =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** The text in pieces. @throws BrokenText behind the last whole piece, the failures of `sniff` */
export async function* textOf(
  source: FileSource,
  said: TextEncoding | null,
  onSniffed: (sniffed: Sniffed) => void,
): AsyncGenerator<string, void, void> {
  let rest: Buffer = Buffer.alloc(0);
  let sniffed: Sniffed | null = null;
  let isEnd = false;
  const pieces = source.bytes()[Symbol.asyncIterator]();
  while (!isEnd) {
    const next = await pieces.next();
    isEnd = next.done === true;
    const piece = next.done === true ? rest : joined(rest, next.value);
    if (sniffed === null && piece.length < 4 && !isEnd) {
      rest = Buffer.from(piece);
      continue;
    }
    const isFirst = sniffed === null;
    sniffed ??= sniff(piece, said, source);
    if (isFirst) onSniffed(sniffed);
    const bytes = isFirst ? piece.subarray(sniffed.markBytes) : piece;
    const whole = isEnd ? bytes.length : wholeBytes(bytes, sniffed.encoding);
    rest = Buffer.from(bytes.subarray(whole));
    yield* decoded(bytes.subarray(0, whole), sniffed);
  }
}

/** Both; without a copy where nothing is left of the first. */
function joined(rest: Buffer, piece: Uint8Array): Buffer {
  if (rest.length > 0) return Buffer.concat([rest, piece]);
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}

function* decoded(bytes: Buffer, { encoding, isBigEndian }: Sniffed): Generator<string, void, void> {
  if (encoding === 'latin1') yield windows(bytes.toString('latin1'));
  else if (encoding === 'utf16') {
    if (bytes.length % 2 === 1) throw new BrokenText();
    yield (isBigEndian ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
  } else if (isUtf8(bytes)) yield bytes.toString('utf8');
  else {
    yield bytes.toString('utf8', 0, validBytes(bytes));
    throw new BrokenText();
  }
}

function windows(text: string): string {
  return text.replace(/[\u0080-\u009f]/g, (found) => WINDOWS[found.charCodeAt(0) - 0x80] ?? found);
}

/** How many bytes hold whole characters, as far as their beginning says it. */
function wholeBytes(bytes: Buffer, encoding: TextEncoding): number {
  const { length } = bytes;
  if (encoding === 'latin1') return length;
  if (encoding === 'utf16') return length - (length % 2);
  for (let back = 1; back <= Math.min(3, length); back += 1) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return length;
    if (byte >= 0xc0) return lengthOf(byte) > back ? length - back : length;
  }
  return length;
}

/** How many bytes are UTF-8 from the beginning. */
function validBytes(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const size = lengthOf(bytes[at] ?? 0);
    if (at + size > bytes.length || !isUtf8(bytes.subarray(at, at + size))) return at;
    at += size;
  }
  return at;
}

function lengthOf(lead: number): number {
  if (lead < 0xc0) return 1;
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}
