/** Numbers of banks that match nothing as they stand: a column of references that holds another kind of names, and leading zeros. */
import type { WorkFile } from '../../runtime/work-file.js';
import { FINDING_CLASSES, MATCH_KEYS, type MatchKey } from '../finding.js';
import type { LedgerLine } from '../line.js';

/** A column of one kind of names that holds names of another kind. */
export interface MisnamedColumn {
  readonly from: MatchKey;
  readonly to: MatchKey;
  /** How many of its different values the service knows as that kind. */
  readonly known: number;
  readonly of: number;
  /** All of them: then it is read so. */
  readonly isRead: boolean;
}

const isAny = (file: WorkFile, side: 'here' | 'there', where: string): boolean =>
  file.query(`SELECT 1 FROM ${side} WHERE ${where} LIMIT 1`).get() !== undefined;

const namesOf = (key: MatchKey): string => `(SELECT ${key} FROM there WHERE ${key} IS NOT NULL)`;

/** Some of its values are names of another kind, which the ledger has no column for, and not of their own kind. */
export function misnamedColumn(file: WorkFile): MisnamedColumn | null {
  const filled = MATCH_KEYS.filter((key) => isAny(file, 'here', `${key} IS NOT NULL`));
  const found = filled.flatMap((from) =>
    MATCH_KEYS.filter((key) => !filled.includes(key)).flatMap((to) => {
      if (!isAny(file, 'here', `${from} IN ${namesOf(to)} AND ${from} NOT IN ${namesOf(from)}`)) return [];
      const sql = `SELECT count(*), sum(isKnown) FROM
        (SELECT DISTINCT ${from}, ${from} IN ${namesOf(to)} AS isKnown FROM here WHERE ${from} IS NOT NULL)`;
      const [of = 0, known = 0] = file.query<number[]>(sql).get() ?? [];
      return [{ from, to, known, of, isRead: known === of }];
    }),
  );
  return found.sort((one, other) => other.known / other.of - one.known / one.of)[0] ?? null;
}

const MEMBERS = { id: 'id', reference: 'reference', bank_reference: 'bankReference' } as const;

/** Compares all values of the column as names of that kind. @returns the line as it was compared */
export function compareColumnAs(
  file: WorkFile,
  { from, to }: MisnamedColumn,
): (line: LedgerLine) => LedgerLine {
  file.run(`UPDATE here SET ${to} = ${from}, ${from} = NULL`);
  return (line) => ({ ...line, [MEMBERS[to]]: line[MEMBERS[from]], [MEMBERS[from]]: null });
}

const bareNames = (side: 'here' | 'there'): string =>
  ['reference', 'bank_reference']
    .map((key) => `SELECT row, ${key} AS name, ltrim(${key}, '0') AS bare FROM ${side}`)
    .join(' UNION ALL ');

/** Suggests for a line that belongs to nothing the only open operation whose name is another one by its leading zeros alone. */
export function suggestByZeros(file: WorkFile): void {
  const hasZeros = "reference GLOB '0*' OR bank_reference GLOB '0*'";
  if (!isAny(file, 'here', hasZeros) && !isAny(file, 'there', hasZeros)) return;
  file.run(`UPDATE finding SET suggestion = zeros.found FROM (
    SELECT f.row, '[[' || h.row || '],[' || t.row || ']]' AS found
    FROM finding f JOIN (${bareNames('here')}) h ON h.row = f.here
    JOIN (${bareNames('there')}) t ON t.bare = h.bare AND t.name <> h.name LEFT JOIN finding o ON o.there = t.row
    WHERE f.class = ${FINDING_CLASSES.indexOf('only_here')} AND h.bare <> '' AND o.here IS NULL
    GROUP BY f.row HAVING count(DISTINCT t.row) = 1) zeros WHERE finding.row = zeros.row`);
}
