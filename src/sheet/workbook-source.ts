/** Whether a file is a workbook, by its first bytes, and one that can be read. */
import { read } from 'node:fs';
import { promisify } from 'node:util';
import { diskFailure } from '../runtime/disk.js';
import { Failure } from '../runtime/failure.js';
import type { FileSource } from './file-source.js';
import type { Workbook } from './workbook/workbook.js';

const ARCHIVE = '504b0304';
const OLD = 'd0cf11e0';
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');
const HEADER_BYTES = 512;
const DIRECTORY_BYTES = 8 * 1024;

/** Null where it is none. @throws Failure `bad_file` for one that can't be read, `usage` where `--sheet` is said and there is none */
export async function workbookOf(source: FileSource, sheet: string | null): Promise<Workbook | null> {
  const { name, undone, fd } = source;
  const head = fd === null ? Buffer.alloc(0) : await bytesAt(source, fd, 0, HEADER_BYTES);
  const mark = head.toString('hex', 0, 4);
  if (fd !== null && mark === ARCHIVE) {
    const { openWorkbook } = await import('./workbook/workbook.js');
    return openWorkbook(source, fd, sheet);
  }
  if (fd !== null && mark === OLD) {
    const what = (await isEncrypted(source, fd, head))
      ? 'is a workbook with a password. Save it without one'
      : 'is a workbook of an old kind (XLS). Save it as XLSX or CSV';
    throw new Failure('bad_file', `${name} ${what}. ${undone}`);
  }
  if (sheet !== null) throw new Failure('usage', `${name} is no workbook. ${undone} Leave --sheet out.`);
  return null;
}

/** Both kinds are the same container: the one with a password holds what it encrypts under a name. */
async function isEncrypted(source: FileSource, fd: number, head: Buffer): Promise<boolean> {
  if (head.length < HEADER_BYTES) return false;
  const sectorBytes = 2 ** Math.min(head.readUInt16LE(30), 16);
  const at = (head.readUInt32LE(48) + 1) * sectorBytes;
  return (await bytesAt(source, fd, at, DIRECTORY_BYTES)).includes(ENCRYPTED);
}

async function bytesAt({ name }: FileSource, fd: number, at: number, length: number): Promise<Buffer> {
  try {
    const { bytesRead, buffer } = await promisify(read)(fd, Buffer.alloc(length), 0, length, at);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw diskFailure('read', name, error);
  }
}
