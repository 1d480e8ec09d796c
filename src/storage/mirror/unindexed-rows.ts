/** The tail consists of the rows that were appended and are not indexed yet. A lookup indexes the tail first. */
import { mergeOperations } from '../../contract/operation-facts.js';
import type { Database } from '../../runtime/database.js';
import { columnList } from '../tables/column-tables.js';
import { fileFormatOf, type MirrorRecord, MIRROR_NAMES, operationOf } from './records.js';
import { forgetSearch, tailState, reindexRow } from './search.js';

export const TAIL_ROWS = 50_000;

const COLUMNS = ['company', ...MIRROR_NAMES];

const SELECT_SUSPECTS =
  'WITH n AS MATERIALIZED (SELECT id_mark AS mark, row FROM operations WHERE row > ? ORDER BY id_mark) ' +
  'SELECT n.row AS row FROM n CROSS JOIN ids i ON i.mark = n.mark ' +
  'UNION SELECT row FROM operations WHERE row > ? AND id_mark IN ' +
  '(SELECT id_mark FROM operations WHERE row > ? GROUP BY id_mark HAVING count(*) > 1) ORDER BY row';
const SELECT_EQUAL_ROWS =
  'SELECT n.row FROM operations n CROSS JOIN ids i ON i.mark = n.id_mark CROSS JOIN operations o ON o.row = i.row ' +
  `WHERE n.row > ? AND (${columnList(COLUMNS, 'o')}) IS (${columnList(COLUMNS, 'n')})`;

export function indexTail(db: Database, rowsMin = 1): void {
  const { indexed } = tailState(db);
  const tailRows = lastRow(db) - indexed;
  if (tailRows === 0 || (tailRows > 0 && tailRows < rowsMin)) return;
  dropRepeats(db, indexed);
  db.run(
    'UPDATE companies SET operations = operations + n FROM ' +
      '(SELECT company AS of, count(*) AS n FROM operations WHERE row > ? GROUP BY company) WHERE company = of',
    indexed,
  );
  db.run('INSERT INTO ids SELECT id_mark, row FROM operations WHERE row > ? ORDER BY id_mark', indexed);
  db.run(
    'INSERT INTO refs SELECT reference_mark, row FROM operations WHERE row > ? AND reference_mark IS NOT NULL ORDER BY reference_mark',
    indexed,
  );
  markIndexed(db);
}

export function deleteRows(db: Database, company: number): number {
  indexTail(db);
  for (const table of ['ids', 'refs'])
    db.run(`DELETE FROM ${table} WHERE row IN (SELECT row FROM operations WHERE company = ?)`, company);
  forgetSearch(db, company);
  const deletedCount = db.run('DELETE FROM operations WHERE company = ?', company);
  markIndexed(db);
  return deletedCount;
}

function dropRepeats(db: Database, indexed: number): void {
  const query = db.query<{ row: number }>(SELECT_SUSPECTS);
  if (query.get(indexed, indexed, indexed) === undefined) return;
  db.run(`DELETE FROM operations WHERE row IN (${SELECT_EQUAL_ROWS})`, indexed);
  const firstRows = new Map<string, number>();
  for (const { row } of query.all(indexed, indexed, indexed)) {
    const record = recordAt(db, row);
    const name = `${record.company}\0${record.id}`;
    const knownRow = firstRows.get(name) ?? indexedRowOf(db, record);
    if (knownRow === undefined) firstRows.set(name, row);
    else merge(db, recordAt(db, knownRow), record);
  }
}

function merge(db: Database, known: MirrorRecord, seen: MirrorRecord): void {
  const format = fileFormatOf(seen.company);
  const { replaces, ends = null } = mergeOperations(operationOf(known, format), operationOf(seen, format));
  if (replaces) {
    db.run('DELETE FROM refs WHERE mark = ? AND row = ?', known.reference_mark, known.row);
    db.run(
      `UPDATE operations SET (${columnList(COLUMNS)}) = (SELECT ${columnList(COLUMNS)} FROM operations s WHERE s.row = ?) WHERE row = ?`,
      ...[seen.row, known.row],
    );
    if (seen.reference_mark !== null && known.row <= tailState(db).indexed)
      db.run('INSERT INTO refs (mark, row) VALUES (?, ?)', seen.reference_mark, known.row);
    reindexRow(db, known, seen);
  }
  db.run('UPDATE operations SET ends = ? WHERE row = ?', ends, known.row);
  db.run('DELETE FROM operations WHERE row = ?', seen.row);
}

function indexedRowOf(db: Database, { company, id, id_mark: mark }: MirrorRecord): number | undefined {
  const sql =
    'SELECT o.row AS row FROM ids i CROSS JOIN operations o ON o.row = i.row WHERE i.mark = ? AND o.company = ? AND o.id = ?';
  return db.query<{ row: number }>(sql).get(mark, company, id)?.row;
}

function recordAt(db: Database, row: number): MirrorRecord {
  const sql = `SELECT row, ${columnList(COLUMNS)} FROM operations WHERE row = ?`;
  const record = db.query<MirrorRecord>(sql).get(row);
  if (record === undefined) throw new RangeError('a row that was found is gone');
  return record;
}

function markIndexed(db: Database): void {
  const last = lastRow(db);
  db.run('UPDATE tail SET indexed = ?, searchable = min(searchable, ?)', last, last);
}

function lastRow(db: Database): number {
  return db.query<{ last: number }>('SELECT coalesce(max(row), 0) AS last FROM operations').get()?.last ?? 0;
}
