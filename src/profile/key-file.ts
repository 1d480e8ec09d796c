/** A key file that somebody else provides: an orchestrator's secret is often a link, and readable by all. svc's own files are stricter. */
import * as fs from 'node:fs';
import { diskFailure, errorCode } from '../runtime/disk.js';

const READABLE_BY_OTHERS = 0o044;
/** Longer than any key; what is longer is refused as no key, and need not be read to its end. */
const MAX_BYTES = 4096;

export interface KeyFile {
  readonly text: string;
  /** True for a file that group or others may read. */
  readonly isShared: boolean;
}

/**
 * The text of a key file, whatever its owner and mode, links and pipes included; null where there is none.
 * @throws Failure `local_state` where it cannot be read
 */
export function readKeyFile(path: string): KeyFile | null {
  try {
    const file = fs.openSync(path, 'r');
    try {
      const stats = fs.fstatSync(file);
      return { text: readStart(file), isShared: stats.isFile() && (stats.mode & READABLE_BY_OTHERS) !== 0 };
    } finally {
      fs.closeSync(file);
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw diskFailure('read', path, error);
  }
}

function readStart(file: number): string {
  const bytes = Buffer.alloc(MAX_BYTES);
  let length = 0;
  for (let read = -1; read !== 0 && length < MAX_BYTES; length += read) {
    read = fs.readSync(file, bytes, length, MAX_BYTES - length, null);
  }
  return bytes.toString('utf8', 0, length);
}
