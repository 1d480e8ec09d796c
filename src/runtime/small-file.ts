import * as fs from 'node:fs';
import { errorCode } from './folders.js';

export type SmallFile =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly why: string };

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;

export function readSmallFile(path: string, maxBytes: number): SmallFile {
  try {
    const file = openNoLink(path);
    try {
      const stats = fs.fstatSync(file);
      if (!stats.isFile()) return refusedFile('is not a regular file');
      if (stats.size > maxBytes) return refusedFile(`is larger than ${String(maxBytes / 1024)} KiB`);
      const bytes = readFirstBytes(file, maxBytes + 1);
      if (bytes.length > maxBytes) return refusedFile(`is larger than ${String(maxBytes / 1024)} KiB`);
      return { kind: 'bytes', bytes };
    } finally {
      fs.closeSync(file);
    }
  } catch (error) {
    const code = errorCode(error) ?? 'unknown';
    if (code === 'ENOENT') return { kind: 'absent' };
    return refusedFile(
      code === 'ELOOP' ? 'is a link' : code === 'ENXIO' ? 'is not a regular file' : `can't be read (${code})`,
    );
  }
}

export function openNoLink(path: string): number {
  // No link is followed, because another user may have made it. `O_NONBLOCK` keeps a named pipe
  // from waiting for a writer.
  return fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
}

export function readFirstBytes(file: number, maxBytes: number): Buffer {
  const bytes = Buffer.alloc(maxBytes);
  let length = 0;
  for (let read = -1; read !== 0 && length < maxBytes; length += read)
    read = fs.readSync(file, bytes, length, maxBytes - length, null);
  return bytes.subarray(0, length);
}

function refusedFile(why: string): SmallFile {
  return { kind: 'refused', why };
}
