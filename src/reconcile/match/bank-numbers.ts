/** Numbers of banks that match nothing as they stand: a column of references that holds another kind of names, and leading zeros. */
import type { WorkFile } from '../../runtime/work-file.js';
import { FINDING_CLASSES, MATCH_KEYS, type MatchKey } from '../finding.js';
import { LINE_PLACES } from './entries.js';

/** A column of one kind of names that holds names of another kind. */
export interface MisnamedColumn {
  readonly from: MatchKey;
  readonly to: MatchKey;
  /** How many of its different values the service knows as that kind, and how many there are. */
  readonly known: number;
  readonly of: number;
  /** All of them: then it is read so. */
  readonly isRead: boolean;
}

/** The service knows some of its values as another kind of names, which the ledger has no column for, and not as their own kind. */
export function misnamedColumn(file: WorkFile): MisnamedColumn | null {
  const filled = MATCH_KEYS.filter(
    (key) => file.query(`SELECT 1 FROM here WHERE ${key} IS NOT NULL LIMIT 1`).get() !== undefined,
  );
  const found: MisnamedColumn[] = [];
  for (const from of filled) {
    const unknown = `${from} NOT IN ${namesOf(from)}`;
    if (file.query(`SELECT 1 FROM here WHERE ${unknown} LIMIT 1`).get() === undefined) continue;
    for (const to of MATCH_KEYS.filter((key) => !filled.includes(key))) {
      const [of = 0, known = 0, other = 0] =
        file
          .query<number[]>(
            `SELECT count(*), sum(isKnown), sum(isKnown AND ${unknown}) FROM (SELECT ${from}, ${from} IN ${namesOf(to)} AS isKnown
             FROM here WHERE ${from} IS NOT NULL GROUP BY ${from})`,
          )
          .get() ?? [];
      if (other > 0) found.push({ from, to, known, of, isRead: known === of });
    }
  }
  return found.sort((one, other) => other.known / other.of - one.known / one.of)[0] ?? null;
}

function namesOf(key: MatchKey): string {
  return `(SELECT ${key} FROM there WHERE ${key} IS NOT NULL)`;
}

/** Takes all values of the column for names of that kind. */
export function readColumnAs(file: WorkFile, { from, to }: MisnamedColumn): void {
  const [its, other] = [`'$[${LINE_PLACES[from]}]'`, `'$[${LINE_PLACES[to]}]'`];
  file.run(
    `UPDATE here SET ${to} = ${from}, ${from} = NULL, raw = json_set(raw, ${other}, json_extract(raw, ${its}), ${its}, NULL)`,
  );
}

const BARE = ['reference', 'bank_reference'] as const;
/** The names of a side without their leading zeros. */
const bareNames = (side: 'here' | 'there'): string =>
  BARE.map((key) => `SELECT row, ${key} AS name, ltrim(${key}, '0') AS bare FROM ${side}`).join(
    ' UNION ALL ',
  );

/** Of each line that belongs to nothing the only open operation whose name is another one by its leading zeros alone. */
const BY_ZEROS = `SELECT f.row AS line, min(o.row) AS operation, json_array(json_array(h.row), json_array(t.row), 'zeros') AS text
  FROM finding f JOIN (${bareNames('here')}) h ON h.row = f.here
  JOIN (${bareNames('there')}) t ON t.bare = h.bare AND t.name <> h.name LEFT JOIN finding o ON o.there = t.row
  WHERE f.class = ${FINDING_CLASSES.indexOf('only_here')} AND h.bare <> '' AND o.here IS NULL
  GROUP BY f.row HAVING count(DISTINCT t.row) = 1`;

/** Writes a suggestion beside what it is of. */
export function suggestByZeros(file: WorkFile): void {
  file.run(`CREATE TABLE zeros AS ${BY_ZEROS}`);
  for (const side of ['line', 'operation'])
    file.run(
      `UPDATE finding SET suggestion = z.text FROM (SELECT ${side} AS row, min(text) AS text FROM zeros GROUP BY 1) z WHERE finding.row = z.row`,
    );
}
