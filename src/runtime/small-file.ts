/** A small file that somebody named or put beside another: no link, no pipe, no more bytes than it may have, and nothing is waited for. */
import * as fs from 'node:fs';
import { errorCode } from './folders.js';

export type SmallFile =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'absent' }
  /** A clause that follows its name. */
  | { readonly kind: 'refused'; readonly why: string };

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;

/** Nothing is thrown. */
export function readSmallFile(path: string, maxBytes: number): SmallFile {
  try {
    // Without O_NONBLOCK the opening of a named pipe would wait for a writer.
    const file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = fs.fstatSync(file);
      if (!stats.isFile()) return refused('is no regular file');
      if (stats.size > maxBytes) return refused(`is larger than ${String(maxBytes / 1024)} KiB`);
      const bytes = Buffer.alloc(maxBytes + 1);
      let length = 0;
      for (let read = -1; read !== 0 && length <= maxBytes; length += read)
        read = fs.readSync(file, bytes, length, bytes.length - length, null);
      if (length > maxBytes) return refused(`is larger than ${String(maxBytes / 1024)} KiB`);
      return { kind: 'bytes', bytes: bytes.subarray(0, length) };
    } finally {
      fs.closeSync(file);
    }
  } catch (error) {
    const code = errorCode(error) ?? 'unknown';
    if (code === 'ENOENT') return { kind: 'absent' };
    return refused(
      code === 'ELOOP' ? 'is a link' : code === 'ENXIO' ? 'is no regular file' : `can't be read (${code})`,
    );
  }
}

function refused(why: string): SmallFile {
  return { kind: 'refused', why };
}
