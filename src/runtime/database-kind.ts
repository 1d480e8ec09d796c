/** What a SQLite file is for: its tables, and the number of their version. */
import type { NamedDatabase } from './database-unusable.js';

export interface DatabaseKind extends NamedDatabase {
  /** The tables of a new file. */
  readonly schema: string;
  /** Kept by `PRAGMA user_version`. Raised with every change of the tables: a file of another version is refused. */
  readonly version: number;
  /** Marks the file as ours (`PRAGMA application_id`). */
  readonly applicationId: number;
  /** Where many small commits all over the file matter more than large reads; SQLite's own sizes unless given. */
  readonly tuning?: Tuning;
}

interface Tuning {
  /** A commit writes whole pages. It is the size of new files; others keep theirs. */
  readonly pageBytes: number;
  /** How many pages the write-ahead log holds before they go into the file itself. */
  readonly logPages: number;
}
