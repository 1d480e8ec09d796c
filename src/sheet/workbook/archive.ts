import type { Readable } from 'node:stream';
import { fromFd, type Entry, type ZipFile } from 'yauzl';
import type { Failure } from '../../runtime/failure.js';

const PARTS_MAX = 10_000;
const PART_MAX_BYTES = 512 * 1024 * 1024;
const UNPACKED_TIMES_MAX = 200;
const SMALL_BYTES = 1024 * 1024;

export type WorkbookRefusal = (why: string, cause?: unknown) => Failure;

export type Archive = Awaited<ReturnType<typeof openArchive>>;

/** The caller closes `fd`. */
export async function openArchive(fd: number, refusal: WorkbookRefusal) {
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    fromFd(fd, { autoClose: false, lazyEntries: true }, (error, file) => {
      if (error === null) resolve(file);
      else reject(refusal('is a damaged archive', error));
    });
  });
  const entries = new Map<string, Entry>();
  await new Promise<void>((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      entries.set(entry.fileName, entry);
      if (entries.size > PARTS_MAX) reject(refusal('has more parts than any workbook'));
      else zip.readEntry();
    });
    zip.on('end', () => {
      const names = new Set([...entries.keys()].map((name) => name.toLowerCase()));
      if (names.size === zip.entryCount) resolve();
      else reject(refusal('is a damaged archive: a part of it is there twice'));
    });
    zip.on('error', (error) => reject(refusal('is a damaged archive', error)));
    zip.readEntry();
  });
  const part = (name: string): AsyncIterable<Uint8Array> => {
    const entry = entries.get(name);
    if (entry === undefined) throw refusal(`is a damaged workbook: ${name} is missing`);
    return bytesOf(zip, entry, refusal);
  };
  return { refusal, names: [...entries.keys()], part };
}

async function* bytesOf(zip: ZipFile, entry: Entry, refusal: WorkbookRefusal) {
  if (entry.isEncrypted()) throw refusal('has a password');
  const { compressedSize, uncompressedSize } = entry;
  const isBomb = uncompressedSize > SMALL_BYTES && uncompressedSize > UNPACKED_TIMES_MAX * compressedSize;
  if (isBomb || uncompressedSize > PART_MAX_BYTES) throw refusal('unpacks to more than a workbook holds');
  const stream = await new Promise<Readable>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => {
      if (error === null) resolve(opened);
      else reject(refusal('is a damaged archive', error));
    });
  });
  try {
    // yauzl ends the stream with an error if a part unpacks to more than its declared size.
    for await (const piece of stream) yield piece as Uint8Array;
  } catch (error) {
    throw refusal('is a damaged archive', error);
  } finally {
    stream.destroy();
  }
}
