/** Whether a database is what its program makes: sound to the last page, with exactly the tables of its kind. */
import { DatabaseSync } from 'node:sqlite';
import { MEMORY } from './database-file.js';
import type { DatabaseKind } from './database-kind.js';
import { MADE_BY } from './database-maker.js';

/** Not the words that made them, which a migration leaves in another form. */
const OURS = `m.name <> '${MADE_BY}' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'`;
const TABLES = `SELECT m.name, x.name AS "column", x.type, x."notnull", x.dflt_value, x.pk
  FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS x WHERE m.type = 'table' AND ${OURS} ORDER BY m.name, x.cid`;
const INDEXES = `SELECT m.name, m.tbl_name, x.name AS "column", x."desc", x.coll
  FROM sqlite_schema AS m, pragma_index_xinfo(m.name) AS x WHERE m.type = 'index' AND ${OURS} ORDER BY m.name, x.seqno`;

/** Reads the whole file: for one that may be damaged, and is small or seldom looked at. */
export function isSound(file: string, kind: Pick<DatabaseKind, 'schema'>): boolean {
  const [found, wanted] = [new DatabaseSync(file), new DatabaseSync(MEMORY)];
  try {
    wanted.exec(kind.schema);
    return (
      found.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'] === 'ok' &&
      [TABLES, INDEXES].every(
        (shape) => JSON.stringify(found.prepare(shape).all()) === JSON.stringify(wanted.prepare(shape).all()),
      )
    );
  } finally {
    found.close();
    wanted.close();
  }
}
