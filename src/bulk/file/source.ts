/** Reads a file once, in pieces: its hash, its text in strict UTF-8, and the certainty that it did not change meanwhile. */
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { errorCode } from '../../runtime/disk.js';
import { Failure } from '../../runtime/failure.js';
import type { Problems } from './problem.js';

const CHUNK_BYTES = 32 * 1024;
const LINE_FEED = 0x0a;

export interface FileText {
  /** Pieces of the text, without a BOM at its beginning; ends early at a byte that is no UTF-8, which is noted. */
  chunks(problems: Problems): AsyncGenerator<string, void, void>;
  /** SHA-256 in hexadecimal, once all of it was read. */
  hash(): string;
  /** @throws Failure `bad_file` where it changed while it was read */
  requireUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** @throws Failure `bad_file` where it is no file that can be read */
export async function openText(path: string): Promise<FileText> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw unreadable(path, errorCode(error) ?? 'unreadable', error);
  });
  const before = await handle.stat();
  if (!before.isFile()) {
    await handle.close();
    throw unreadable(path, 'it is no regular file');
  }
  const digest = createHash('sha256');
  let bytes = 0;
  return {
    hash: () => digest.copy().digest('hex'),
    chunks: async function* (problems) {
      const decoder = new TextDecoder('utf-8', { fatal: true });
      let line = 1;
      for await (const chunk of pieces(handle)) {
        bytes += chunk.length;
        digest.update(chunk);
        if (chunk.includes(0)) {
          problems.add(line + countLines(chunk.subarray(0, chunk.indexOf(0))), null, NUL);
          return;
        }
        const text = decode(decoder, chunk);
        if (text === null) {
          problems.add(line + linesBeforeDamage(chunk), null, NO_UTF8);
          return;
        }
        line += countLines(chunk);
        if (text !== '') yield text;
      }
      if (decode(decoder) === null) problems.add(line, null, NO_UTF8);
    },
    close: () => handle.close(),
    requireUnchanged: async () => {
      const after = await handle.stat();
      if (after.size !== before.size || after.mtimeMs !== before.mtimeMs || bytes > after.size)
        throw changed(path);
    },
  };
}

/** SHA-256 of a file in hexadecimal; null where it can't be read any more. */
export async function hashFile(path: string): Promise<string | null> {
  const handle = await open(path, 'r').catch(() => null);
  if (handle === null) return null;
  const digest = createHash('sha256');
  try {
    for await (const chunk of pieces(handle)) digest.update(chunk);
    return digest.digest('hex');
  } finally {
    await handle.close();
  }
}

const NUL = 'holds a NUL byte; save the file as CSV in UTF-8';
const NO_UTF8 = 'is not UTF-8; save the file as CSV in UTF-8';

async function* pieces(handle: FileHandle): AsyncGenerator<Buffer, void, void> {
  for (;;) {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk?: Buffer): string | null {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    return null;
  }
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (const byte of bytes) if (byte === LINE_FEED) lines += 1;
  return lines;
}

/** How many lines of a damaged chunk are whole: each is decoded alone. */
function linesBeforeDamage(chunk: Buffer): number {
  let lines = 0;
  let start = 0;
  for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
    // The first line may begin in the middle of a character that the chunk before began.
    const part =
      lines === 0
        ? chunk
            .subarray(start, end)
            .toString('utf8')
            .replace(/^\ufffd{1,3}/, '')
        : null;
    const isDamaged =
      part === null
        ? decode(new TextDecoder('utf-8', { fatal: true }), chunk.subarray(start, end)) === null
        : part.includes('\ufffd');
    if (isDamaged) return lines;
    lines += 1;
    start = end + 1;
  }
  return lines;
}

function unreadable(path: string, why: string, cause?: unknown): Failure {
  return new Failure('bad_file', `${path} cannot be read (${why}). Nothing was sent.`, { cause });
}

function changed(path: string): Failure {
  return new Failure(
    'bad_file',
    `${path} changed while it was read. Nothing was sent: run this again once it is whole.`,
  );
}
