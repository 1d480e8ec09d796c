/** What the store of batches is as a database: its tables, and their version. */
import type { DatabaseKind } from '../../runtime/database-kind.js';
import { BATCHES, BODIES, BOOK, DECISIONS, ROWS_TABLE } from './tables.js';

export const BATCHES_KIND = {
  name: 'store of batches',
  whenGone:
    'Then run the batch again from its file: the keys of its rows are the same, and what was paid is found in the events.',
  version: 5,
  /** "svcb". */
  applicationId: 0x73766362,
  schema: BATCHES + ROWS_TABLE + BODIES + DECISIONS + BOOK,
} as const satisfies DatabaseKind;
