import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Failure } from '../../runtime/failure.js';
import type { Problems } from '../../runtime/problems.js';
import { hasUtf8Letters } from '../../sheet/text.js';
import { type FileSource, openFileSource } from '../../sheet/file-source.js';
import { byteOrderMarkLength } from '../../contract/json.js';

const LINE_FEED = 0x0a;
const LINE_MAX_BYTES = 1024 * 1024;

export function fileTextOf(source: FileSource) {
  const hasher = createHash('sha256');
  return {
    hash: (): string => hasher.copy().digest('hex'),
    chunks: async function* (problems: Problems): AsyncGenerator<string, void, void> {
      let line = 1;
      for await (const lines of wholeLines(source, (piece) => hasher.update(piece))) {
        const damage = damageIn(lines);
        if (damage !== null) {
          problems.add(line + damage.linesBefore, null, damage.message);
          return;
        }
        yield lines.toString('utf8', line === 1 ? byteOrderMarkLength(lines) : 0);
        for (let at = lines.indexOf(LINE_FEED); at !== -1; at = lines.indexOf(LINE_FEED, at + 1)) line += 1;
      }
    },
  };
}

export async function hashFile(path: string): Promise<string> {
  const source = await openFileSource(path, 'Nothing was sent.', 'a regular file').catch(() => null);
  if (source === null) throw new Failure('bad_file', `${path} cannot be read. Nothing was sent.`);
  const hasher = createHash('sha256');
  try {
    for await (const piece of source.bytes()) hasher.update(piece);
    return hasher.digest('hex');
  } finally {
    await source.close();
  }
}

async function* wholeLines(
  source: FileSource,
  onPiece: (piece: Uint8Array) => void,
): AsyncGenerator<Buffer, void, void> {
  let rest: Uint8Array = Buffer.alloc(0);
  for await (const piece of source.bytes()) {
    onPiece(piece);
    const end = piece.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) yield Buffer.concat([rest, piece.subarray(0, end)]);
    // Copies the bytes, because the source reuses the memory of a piece.
    if (end > 0) rest = Buffer.from(piece.subarray(end));
    else if (rest.length < LINE_MAX_BYTES) rest = Buffer.concat([rest, piece]);
  }
  if (rest.length > 0) yield Buffer.from(rest);
}

function damageIn(bytes: Buffer): { linesBefore: number; message: string } | null {
  const nulAt = bytes.indexOf(0);
  if (nulAt === -1 && isUtf8(bytes)) return null;
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
