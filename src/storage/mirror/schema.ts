import type { DatabaseKind } from '../../runtime/database-file.js';
import { MIRROR_TABLES, MIRROR_COLUMNS } from './tables.js';
import { fileTable, fixed } from '../tables/column-tables.js';

const WITHOUT_ROWID = ' STRICT, WITHOUT ROWID';

const INDEXES = `
CREATE UNIQUE INDEX companies_id ON companies (id);
CREATE TABLE ids (mark INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (mark, row))${WITHOUT_ROWID};
CREATE TABLE refs (mark INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (mark, row))${WITHOUT_ROWID};
CREATE TABLE tail (one INTEGER PRIMARY KEY, indexed INTEGER NOT NULL, searchable INTEGER NOT NULL) STRICT;
INSERT INTO tail (one, indexed, searchable) VALUES (1, 0, 0);
CREATE TABLE beginnings (company INTEGER NOT NULL, beginning TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (company, beginning, row))${WITHOUT_ROWID};
CREATE TABLE banks (company INTEGER NOT NULL, bank TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (company, bank, row))${WITHOUT_ROWID};
CREATE TABLE times (company INTEGER NOT NULL, occurred_at INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (company, occurred_at, row))${WITHOUT_ROWID};
`;

export const FILE_COLUMNS = {
  row: fixed('bigint', { file: ' PRIMARY KEY' }),
  company: fixed('bigint'),
  ...MIRROR_COLUMNS,
};

export const MIRRORS_KIND = {
  name: 'copy of the events',
  whenGone: 'svc then reads the events again from the start.',
  version: 4,
  applicationId: 0x73766366,
  tuning: { pageBytes: 4096, logPages: 4000 },
  get schema(): string {
    const { companies, places } = MIRROR_TABLES;
    return (
      fileTable('companies', companies) +
      fileTable('places', places, WITHOUT_ROWID) +
      fileTable('operations', { columns: FILE_COLUMNS, rows: [] }) +
      INDEXES
    );
  },
} as const satisfies DatabaseKind;
