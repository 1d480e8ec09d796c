/** A row as a file holds it, before anything is known about its meaning. */

/** A row of CSV by its columns, or a body of NDJSON as its own text. */
export interface FileRow {
  /** From 1: where the row begins. */
  readonly line: number;
  /** The request body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Its JSON text where the file has one; null where the body is to be written. */
  readonly text: string | null;
}

export type FileRows = AsyncGenerator<FileRow, void, void>;
