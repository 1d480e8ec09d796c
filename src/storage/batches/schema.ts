import type { DatabaseKind } from '../../runtime/database-file.js';
import { BATCH_TABLES } from './tables.js';
import { fileTable } from '../tables/column-tables.js';

const REFERENCES = `
CREATE TABLE known_references (
  mark BLOB NOT NULL,
  batch INTEGER NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (mark, batch, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE changes (one INTEGER PRIMARY KEY CHECK (one = 1), count INTEGER NOT NULL) STRICT;
INSERT INTO changes (one, count) VALUES (1, 0);
`;

export const ROWS_BY_OPERATION =
  'CREATE INDEX IF NOT EXISTS rows_operation ON rows (operation) WHERE operation IS NOT NULL;\n';

const { batches, rows, bodies, decisions, approvals } = BATCH_TABLES;
const WITHOUT_ROWID = ' STRICT, WITHOUT ROWID';

export const BATCHES_KIND = {
  name: 'store of batches',
  whenGone:
    'Then run the batch again from its file: the keys of its rows are the same, and what was paid is found in the events.',
  version: 7,
  applicationId: 0x73766362,
  get schema(): string {
    return (
      fileTable('batches', batches) +
      'CREATE UNIQUE INDEX batches_name ON batches (name);\n' +
      fileTable('rows', rows, WITHOUT_ROWID) +
      ROWS_BY_OPERATION +
      fileTable('bodies', bodies, WITHOUT_ROWID) +
      fileTable('decisions', decisions) +
      fileTable('approvals', approvals, WITHOUT_ROWID) +
      REFERENCES
    );
  },
} as const satisfies DatabaseKind;
