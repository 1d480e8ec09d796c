/** The companies of the store and the places where they were seen. To be called in a transaction. */
import { type Environment, ENVIRONMENTS } from '../../contract/access.js';
import type { Database } from '../../runtime/database.js';
import type { COMPANY_COLUMNS } from '../../state/mirror-tables.js';
import type { FileRecord } from '../../state/table.js';
import type { Company, Place } from '../mirror.js';
import { deleteRows, indexTail } from './tail.js';

export type CompanyRecord = FileRecord<typeof COMPANY_COLUMNS>;

const CANDIDATES =
  'SELECT id, environment FROM companies c WHERE environment = ? AND same_as IS NULL AND newest_id IS NOT NULL ORDER BY EXISTS ' +
  '(SELECT 1 FROM places p WHERE p.company = c.company AND (p.key_print = ? OR p.origin = ?)) DESC, company DESC LIMIT ?';

/** By an id that it has or had; undefined for one that is not known. */
export function selectCompany(db: Database, id: string): CompanyRecord | undefined {
  const sql =
    'SELECT c.* FROM companies named CROSS JOIN companies c ON c.company = coalesce(named.same_as, named.company) WHERE named.id = ?';
  return db.query<CompanyRecord>(sql).get(id);
}

export function selectByPlace(
  db: Database,
  { environment, origin, keyPrint }: Place,
): CompanyRecord | undefined {
  const sql =
    'SELECT c.* FROM places p CROSS JOIN companies c ON c.company = p.company WHERE p.environment = ? AND p.origin = ? AND p.key_print = ?';
  return db.query<CompanyRecord>(sql).get(environment, origin, keyPrint);
}

export function selectCandidates(
  db: Database,
  { environment, origin, keyPrint }: Place,
  limit: number,
): Company[] {
  const sql = db.query<{ id: string; environment: string }>(CANDIDATES);
  return sql.all(environment, keyPrint, origin, limit).map(companyOf);
}

/** @throws RangeError for a row that nobody wrote */
export function companyOf({ id, environment }: Pick<CompanyRecord, 'id' | 'environment'>): Company {
  const known = ENVIRONMENTS.find((one) => one === environment);
  if (known === undefined) throw new RangeError('a company of the mirror belongs to no environment');
  return { id, environment: known };
}

/** The company of that id, made where it is not known: the store may have been lost since. */
export function ensureCompany(db: Database, { id, environment }: Company): CompanyRecord {
  const sql =
    'INSERT INTO companies (id, environment, epoch, operations) VALUES (?, ?, 0, 0) ON CONFLICT DO NOTHING';
  db.run(sql, id, environment);
  const company = selectCompany(db, id);
  if (company === undefined) throw new RangeError('a company of the mirror is gone');
  return company;
}

/** Notes where the company was seen; one that was seen there before turns out to be the same. The one that knows more is kept. */
export function learnPlace(db: Database, company: Company, place: Place): void {
  indexTail(db);
  const meant = ensureCompany(db, company);
  const seen = selectByPlace(db, place) ?? meant;
  const [kept, other] = seen.operations > meant.operations ? [seen, meant] : [meant, seen];
  if (other.company !== kept.company) {
    dropOperations(db, other.company);
    db.run(
      'UPDATE companies SET same_as = ? WHERE company = ? OR same_as = ?',
      ...[kept.company, other.company, other.company],
    );
    db.run('UPDATE places SET company = ? WHERE company = ?', kept.company, other.company);
  }
  addPlace(db, kept.company, place);
}

export function addPlace(db: Database, company: number, { environment, origin, keyPrint }: Place): void {
  const sql =
    'INSERT INTO places (environment, origin, key_print, company) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
  db.run(sql, environment, origin, keyPrint, company);
}

/** Empties the companies that were seen at an origin and forgets it; answers how many operations that were. */
export function forgetOrigin(db: Database, environment: Environment, origin: string): number {
  const sql = 'SELECT DISTINCT company FROM places WHERE environment = ? AND origin = ?';
  const seen = db.query<{ company: number }>(sql).all(environment, origin);
  db.run('DELETE FROM places WHERE environment = ? AND origin = ?', environment, origin);
  return seen.reduce((sum, { company }) => sum + dropOperations(db, company), 0);
}

/** Drops all that is known of a company's feed; answers how many operations that were. A reading of it in progress must start again. */
export function dropOperations(db: Database, company: number): number {
  const dropped = deleteRows(db, company);
  db.run(
    'UPDATE companies SET epoch = epoch + 1, reading = NULL, reading_sum = NULL, operations = 0, newest_id = NULL, newest_at = NULL WHERE company = ?',
    company,
  );
  return dropped;
}
