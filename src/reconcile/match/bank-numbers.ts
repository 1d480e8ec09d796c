import type { WorkFile } from '../../runtime/work-file.js';
import { FINDING_CLASSES, MATCH_KEYS, type MatchKey } from '../finding.js';
import type { LedgerLine } from '../line.js';

/** A column that was read as the key `from`, although it holds values of the key `to`. */
export type MisnamedColumn = Readonly<NonNullable<ReturnType<typeof misnamedColumn>>>;

const hasRow = (file: WorkFile, side: 'here' | 'there', where: string): boolean =>
  file.query(`SELECT 1 FROM ${side} WHERE ${where} LIMIT 1`).get() !== undefined;

const namesOf = (key: MatchKey): string => `(SELECT ${key} FROM there WHERE ${key} IS NOT NULL)`;

export function misnamedColumn(file: WorkFile) {
  const filledKeys = MATCH_KEYS.filter((key) => hasRow(file, 'here', `${key} IS NOT NULL`));
  const candidates = filledKeys.flatMap((from) =>
    MATCH_KEYS.filter((key) => !filledKeys.includes(key)).flatMap((to) => {
      if (!hasRow(file, 'here', `${from} IN ${namesOf(to)} AND ${from} NOT IN ${namesOf(from)}`)) return [];
      const sql = `SELECT count(*), sum(isKnown) FROM
        (SELECT DISTINCT ${from}, ${from} IN ${namesOf(to)} AS isKnown FROM here WHERE ${from} IS NOT NULL)`;
      const [valueCount = 0, knownCount = 0] = file.query<number[]>(sql).get() ?? [];
      return [{ from, to, knownCount, valueCount, isRead: knownCount === valueCount }];
    }),
  );
  const shareOf = ({ knownCount, valueCount }: (typeof candidates)[number]) => knownCount / valueCount;
  return candidates.sort((one, other) => shareOf(other) - shareOf(one))[0] ?? null;
}

const LINE_MEMBERS = { id: 'id', reference: 'reference', bank_reference: 'bankReference' } as const;

export function compareColumnAs(file: WorkFile, { from, to }: MisnamedColumn) {
  file.run(`UPDATE here SET ${to} = ${from}, ${from} = NULL`);
  return (line: LedgerLine): LedgerLine => ({
    ...line,
    [LINE_MEMBERS[to]]: line[LINE_MEMBERS[from]],
    [LINE_MEMBERS[from]]: null,
  });
}

const namesWithoutZeros = (side: 'here' | 'there'): string =>
  ['reference', 'bank_reference']
    .map((key) => `SELECT row, ${key} AS name, ltrim(${key}, '0') AS bare FROM ${side}`)
    .join(' UNION ALL ');

export function suggestByZeros(file: WorkFile): void {
  const hasZeros = "reference GLOB '0*' OR bank_reference GLOB '0*'";
  if (!hasRow(file, 'here', hasZeros) && !hasRow(file, 'there', hasZeros)) return;
  file.run(`UPDATE finding SET suggestion = zeros.found FROM (
    SELECT f.row, '[[' || h.row || '],[' || t.row || ']]' AS found
    FROM finding f JOIN (${namesWithoutZeros('here')}) h ON h.row = f.here
    JOIN (${namesWithoutZeros('there')}) t ON t.bare = h.bare AND t.name <> h.name LEFT JOIN finding o ON o.there = t.row
    WHERE f.class = ${FINDING_CLASSES.indexOf('only_here')} AND h.bare <> '' AND o.here IS NULL
    GROUP BY f.row HAVING count(DISTINCT t.row) = 1) zeros WHERE finding.row = zeros.row`);
}
