/** The parts of a workbook out of its archive, each unpacked piece by piece and never further than a workbook needs. */
import type { Readable } from 'node:stream';
import { fromFd, type Entry, type ZipFile } from 'yauzl';
import type { Failure } from '../../runtime/failure.js';

/** More than that no workbook has. */
const PARTS_MAX = 10_000;
const PART_MAX_BYTES = 512 * 1024 * 1024;
/** What repeats itself a lot is packed to a fiftieth. */
const UNPACKED_TIMES_MAX = 200;
const SMALL_BYTES = 1024 * 1024;

/** Why a file can't be read as a workbook. */
export type WorkbookRefusal = (why: string, cause?: unknown) => Failure;

export interface Archive {
  readonly names: readonly string[];
  /** The bytes of a part. @throws Failure `bad_file` where it unpacks to more than a workbook needs, or is encrypted */
  part(name: string): AsyncIterable<Uint8Array>;
}

/**
 * Reads what is in it; the file stays open.
 * @param fd of a file that its owner closes
 * @throws Failure `bad_file` where it is no archive
 */
export async function openArchive(fd: number, refused: WorkbookRefusal): Promise<Archive> {
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    fromFd(fd, { autoClose: false, lazyEntries: true }, (error, file) => {
      if (error === null) resolve(file);
      else reject(refused('is a damaged archive', error));
    });
  });
  const entries = await entriesOf(zip, refused);
  return { names: [...entries.keys()], part: (name) => partOf(zip, entries.get(name), name, refused) };
}

function entriesOf(zip: ZipFile, refused: WorkbookRefusal): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  return new Promise((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      entries.set(entry.fileName, entry);
      if (entries.size > PARTS_MAX) reject(refused('has more parts than any workbook'));
      else zip.readEntry();
    });
    zip.on('end', () => {
      // Spreadsheets make no difference between letter cases.
      const names = new Set([...entries.keys()].map((name) => name.toLowerCase()));
      if (names.size === zip.entryCount) resolve(entries);
      else reject(refused('is a damaged archive: a part of it is there twice'));
    });
    zip.on('error', (error) => reject(refused('is a damaged archive', error)));
    zip.readEntry();
  });
}

async function* partOf(
  zip: ZipFile,
  entry: Entry | undefined,
  name: string,
  refused: WorkbookRefusal,
): AsyncGenerator<Uint8Array, void, void> {
  if (entry === undefined) throw refused(`is a damaged workbook: ${name} is missing`);
  if (entry.isEncrypted()) throw refused('has a password');
  const { compressedSize, uncompressedSize } = entry;
  const isBomb = uncompressedSize > SMALL_BYTES && uncompressedSize > UNPACKED_TIMES_MAX * compressedSize;
  if (isBomb || uncompressedSize > PART_MAX_BYTES) throw refused('unpacks to more than a workbook holds');
  const stream = await new Promise<Readable>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => {
      if (error === null) resolve(opened);
      else reject(refused('is a damaged archive', error));
    });
  });
  try {
    // What unpacks to more than was said ends the stream with an error.
    for await (const piece of stream) yield piece as Uint8Array;
  } catch (error) {
    throw refused('is a damaged archive', error);
  } finally {
    stream.destroy();
  }
}
