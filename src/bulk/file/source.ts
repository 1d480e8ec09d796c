/** Reads the file of a batch once, in pieces: its hash, and its text in strict UTF-8. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Problems } from '../../runtime/problems.js';
import { hasUtf8Letters } from '../../sheet/text.js';
import { type FileSource, openFileSource } from '../../sheet/file-source.js';

const LINE_FEED = 0x0a;
/** The byte order mark of UTF-8. */
const MARK = Buffer.from('\ufeff');
/** No line is as long; what is behind that is not even read. */
const LINE_MAX_BYTES = 1024 * 1024;

export interface FileText {
  /** Pieces of the text, without a BOM at its beginning; ends early at a byte that is no UTF-8, which is noted. */
  chunks(problems: Problems): AsyncGenerator<string, void, void>;
  /** SHA-256 in hexadecimal, once all of it was read. */
  hash(): string;
}

export function fileTextOf(source: FileSource): FileText {
  const digest = createHash('sha256');
  return {
    hash: () => digest.copy().digest('hex'),
    chunks: async function* (problems) {
      let line = 1;
      for await (const lines of wholeLines(source, (piece) => digest.update(piece))) {
        const damage = damageIn(lines);
        if (damage !== null) {
          problems.add(line + damage.linesBefore, null, damage.message);
          return;
        }
        const hasMark = line === 1 && lines.subarray(0, MARK.length).equals(MARK);
        yield lines.toString('utf8', hasMark ? MARK.length : 0);
        line += countLines(lines);
      }
    },
  };
}

/** SHA-256 of a file in hexadecimal; null where it can't be opened any more. @throws Failure `local_state` where the disk reports an error */
export async function hashFile(path: string): Promise<string | null> {
  const source = await openFileSource(path, 'Nothing was sent.', 'a regular file').catch(() => null);
  if (source === null) return null;
  const digest = createHash('sha256');
  try {
    for await (const piece of source.bytes()) digest.update(piece);
    return digest.digest('hex');
  } finally {
    await source.close();
  }
}

/** The bytes of a file in pieces that end at a line's end, so that no character is cut; a line without an end comes in pieces too. */
async function* wholeLines(
  source: FileSource,
  seen: (piece: Uint8Array) => void,
): AsyncGenerator<Buffer, void, void> {
  let rest: Uint8Array = Buffer.alloc(0);
  for await (const piece of source.bytes()) {
    seen(piece);
    const end = piece.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) yield Buffer.concat([rest, piece.subarray(0, end)]);
    // A piece is good until the next one is asked for.
    if (end > 0) rest = Buffer.from(piece.subarray(end));
    else if (rest.length < LINE_MAX_BYTES) rest = Buffer.concat([rest, piece]);
  }
  if (rest.length > 0) yield Buffer.from(rest);
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}

/** What is no text, and how many lines are whole before it. */
function damageIn(bytes: Buffer): { linesBefore: number; message: string } | null {
  const nul = bytes.indexOf(0);
  if (nul === -1 && isUtf8(bytes)) return null;
  for (let start = 0, linesBefore = 0; ; linesBefore += 1) {
    const end = bytes.indexOf(LINE_FEED, start);
    const line = bytes.subarray(start, end === -1 ? bytes.length : end);
    if (line.includes(0)) return { linesBefore, message: 'holds a NUL byte; save the file as CSV in UTF-8' };
    const advice = hasUtf8Letters(bytes) ? '' : ', or add --encoding latin1';
    if (!isUtf8(line))
      return { linesBefore, message: `is not UTF-8; save the file as CSV in UTF-8${advice}` };
    start = end + 1;
  }
}
