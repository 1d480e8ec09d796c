import type { Database } from '../../runtime/database.js';
import { columnList } from '../tables/column-tables.js';
import { type MirrorRecord, MIRROR_NAMES } from './records.js';

export const BEGINNING_CHARACTERS = 36;
const BANK_CHARACTERS = 64;
export const LAST_CHARACTER = '\u{10ffff}';

const INDEXES = [
  `INSERT INTO beginnings SELECT company, substr(id, 1, ${BEGINNING_CHARACTERS}), row FROM operations WHERE row > ? ORDER BY 1, 2`,
  `INSERT INTO banks SELECT company, substr(lower(bank_reference), 1, ${BANK_CHARACTERS}), row FROM operations ` +
    'WHERE row > ? AND bank_reference IS NOT NULL ORDER BY 1, 2',
  'INSERT INTO times SELECT company, occurred_at, row FROM operations WHERE row > ? ORDER BY 1, 2',
];

export function indexSearch(db: Database): void {
  const { indexed, searchable } = tailState(db);
  if (searchable === indexed) return;
  for (const sql of INDEXES) db.run(sql, searchable);
  db.run('UPDATE tail SET searchable = indexed');
}

export function reindexRow(db: Database, oldRecord: MirrorRecord, newRecord: MirrorRecord): void {
  const { row, company } = oldRecord;
  if (row > tailState(db).searchable) return;
  const deleteTimeSql = 'DELETE FROM times WHERE company = ? AND occurred_at = ? AND row = ?';
  db.run(deleteTimeSql, company, oldRecord.occurred_at, row);
  db.run(
    'INSERT INTO times (company, occurred_at, row) VALUES (?, ?, ?)',
    company,
    newRecord.occurred_at,
    row,
  );
  const bankSql = `substr(lower(?), 1, ${BANK_CHARACTERS})`;
  const deleteBankSql = `DELETE FROM banks WHERE company = ? AND bank = ${bankSql} AND row = ?`;
  if (oldRecord.bank_reference !== null) db.run(deleteBankSql, company, oldRecord.bank_reference, row);
  if (newRecord.bank_reference !== null)
    db.run(
      `INSERT INTO banks (company, bank, row) VALUES (?, ${bankSql}, ?)`,
      company,
      newRecord.bank_reference,
      row,
    );
}

export function forgetSearch(db: Database, company: number): void {
  for (const table of ['beginnings', 'banks', 'times'])
    db.run(`DELETE FROM ${table} WHERE company = ?`, company);
}

export function tailState(db: Database): { readonly indexed: number; readonly searchable: number } {
  const sql = 'SELECT indexed, searchable FROM tail';
  const tail = db.query<{ indexed: number; searchable: number }>(sql).get();
  if (tail === undefined) throw new RangeError('the mirror does not know what is indexed');
  return tail;
}

const selectVia = (table: string): string =>
  `SELECT i.row AS row, ${columnList(MIRROR_NAMES, 'o')} FROM ${table} i CROSS JOIN operations o ON o.row = i.row WHERE i.company = ?`;
export const BY_BEGINNING = `${selectVia('beginnings')} AND i.beginning >= ? AND i.beginning < ? AND substr(o.id, 1, ?) = ? ORDER BY i.beginning, i.row LIMIT ?`;
export const BY_BANK = `${selectVia('banks')} AND i.bank = substr(?, 1, ${BANK_CHARACTERS}) AND lower(o.bank_reference) = ? ORDER BY i.row DESC LIMIT ?`;
export const LATEST =
  `${selectVia('times')} AND i.occurred_at >= ? AND i.occurred_at <= ? AND o.direction = coalesce(?, o.direction) AND ` +
  'o.status = coalesce(?, o.status) AND o.method IS coalesce(?, o.method) ORDER BY i.occurred_at DESC, i.row DESC LIMIT ?';

/** Changes only ASCII letters, because `lower` in SQLite does the same. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
