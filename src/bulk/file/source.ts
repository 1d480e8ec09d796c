/** Reads a file once, in pieces: its hash, its text in strict UTF-8, and the certainty that it did not change meanwhile. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { cannotRead, diskFailure, namedFileFailure } from '../../runtime/disk.js';
import { Failure } from '../../runtime/failure.js';
import type { Problems } from '../../runtime/problems.js';

/** A named pipe, which is refused, is not waited for. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;
const CHUNK_BYTES = 32 * 1024;
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
  /** @throws Failure `bad_file` where it changed while it was read */
  requireUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** @throws Failure `bad_file` where it is no file that can be read, `local_state` where the disk reports an error, then and later */
export async function openText(path: string): Promise<FileText> {
  const handle = await open(path, READ).catch((error: unknown) => {
    throw namedFileFailure(path, error, (why) => unreadable(path, why, error));
  });
  const before = await onFile(path, handle.stat());
  if (!before.isFile()) {
    await handle.close();
    throw unreadable(path, 'it is no regular file');
  }
  const digest = createHash('sha256');
  let bytes = 0;
  return {
    hash: () => digest.copy().digest('hex'),
    chunks: async function* (problems) {
      let line = 1;
      for await (const lines of wholeLines(path, handle, (piece) => {
        bytes += piece.length;
        digest.update(piece);
      })) {
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
    close: () => handle.close(),
    requireUnchanged: async () => {
      const after = await onFile(path, handle.stat());
      if (after.size !== before.size || after.mtimeMs !== before.mtimeMs || bytes > after.size)
        throw changed(path);
    },
  };
}

/** SHA-256 of a file in hexadecimal; null where it can't be opened any more. @throws Failure `local_state` where the disk reports an error */
export async function hashFile(path: string): Promise<string | null> {
  const handle = await open(path, READ).catch(() => null);
  if (handle === null) return null;
  const digest = createHash('sha256');
  try {
    for await (const chunk of pieces(path, handle)) digest.update(chunk);
    return digest.digest('hex');
  } finally {
    await handle.close();
  }
}

function onFile<T>(path: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw diskFailure('read', path, error);
  });
}

const NUL = 'holds a NUL byte; save the file as CSV in UTF-8';
const NO_UTF8 = 'is not UTF-8; save the file as CSV in UTF-8, or add --encoding latin1';

async function* pieces(path: string, handle: FileHandle): AsyncGenerator<Buffer, void, void> {
  for (;;) {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await onFile(path, handle.read(buffer, 0, CHUNK_BYTES, null));
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The bytes of a file in pieces that end at a line's end, so that no character is cut; a line without an end comes in pieces too. */
async function* wholeLines(
  path: string,
  handle: FileHandle,
  seen: (piece: Buffer) => void,
): AsyncGenerator<Buffer, void, void> {
  let rest: Buffer[] = [];
  for await (const piece of pieces(path, handle)) {
    seen(piece);
    const end = piece.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) yield Buffer.concat([...rest, piece.subarray(0, end)]);
    rest = end > 0 ? [piece.subarray(end)] : [...rest, piece];
    if (rest.length * CHUNK_BYTES > LINE_MAX_BYTES) rest = [Buffer.concat(rest).subarray(0, LINE_MAX_BYTES)];
  }
  const last = Buffer.concat(rest);
  if (last.length > 0) yield last;
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
    if (line.includes(0)) return { linesBefore, message: NUL };
    if (!isUtf8(line)) return { linesBefore, message: NO_UTF8 };
    start = end + 1;
  }
}

function unreadable(path: string, why: string, cause?: unknown): Failure {
  return new Failure('bad_file', `${cannotRead(path, why)}. Nothing was sent.`, { cause });
}

function changed(path: string): Failure {
  return new Failure(
    'bad_file',
    `${path} changed while it was read. Nothing was sent: run this again once it is whole.`,
  );
}
