/** Pairs that agree, and whose line names another payment by another of its names: which of them it means is for a person. */
import type { WorkFile } from '../../runtime/work-file.js';
import { FINDING_CLASSES, MATCH_KEYS, type MatchKey } from '../finding.js';
import type { Recording } from './recording.js';

const MATCHED = FINDING_CLASSES.indexOf('matched');
const AMBIGUOUS = FINDING_CLASSES.indexOf('ambiguous');

/** Every pair that agrees, whose line has such a name that is not its operation's. */
function pairsThatDiffer(key: MatchKey): string {
  const by = MATCH_KEYS.indexOf(key);
  return (
    'FROM finding f JOIN here h ON h.row = f.here JOIN there t ON t.row = f.there ' +
    `WHERE f.class = ${MATCHED} AND f.by <> ${by} AND h.${key} IS NOT NULL AND h.${key} IS NOT t.${key}`
  );
}

/** Another operation that is called so. */
function others(key: MatchKey): string {
  const named = `(SELECT ${key} AS name, row, min(id) FROM there WHERE ${key} IS NOT NULL GROUP BY ${key})`;
  const pairs = `(SELECT f.row AS finding, h.${key} AS name ${pairsThatDiffer(key)})`;
  return `SELECT p.finding, n.row FROM ${pairs} p JOIN ${named} n ON n.name = p.name`;
}

/** An id is one operation's alone, and what an id names has one reference: another one is another payment, whether it is known or not. */
const UNKNOWN: Readonly<Record<MatchKey, string | null>> = {
  id: `${pairsThatDiffer('id')} AND h.id GLOB '????????-????-????-????-????????????'`,
  reference: `${pairsThatDiffer('reference')} AND f.by = ${MATCH_KEYS.indexOf('id')} AND t.reference IS NOT NULL`,
  bank_reference: null,
};

const NOTE = 'INSERT INTO contradiction (finding, operation)';
const PLACE = `UPDATE finding SET class = ${AMBIGUOUS}, beside = (SELECT json_array(json('[]'), json_group_array(DISTINCT c.operation))
  FROM contradiction c WHERE c.finding = finding.row AND c.operation IS NOT NULL) WHERE row IN (SELECT finding FROM contradiction)`;

type Row = readonly [
  here: string | null,
  hereAmount: string | null,
  there: string | null,
  thereAmount: string | null,
  tolerances: string | null,
];

/** @param currency of lines that name none */
export function placeContradictions(file: WorkFile, recording: Recording, currency: string | null): void {
  for (const key of MATCH_KEYS) {
    if (file.query(`SELECT 1 ${pairsThatDiffer(key)} LIMIT 1`).get() === undefined) continue;
    file.run(`${NOTE} ${others(key)}`);
    const unknown = UNKNOWN[key];
    if (unknown !== null) file.run(`${NOTE} SELECT f.row, NULL ${unknown}`);
  }
  const sql = `SELECT h.currency, h.amount, t.currency, t.amount, f.tolerances FROM finding f JOIN here h ON h.row = f.here
    JOIN there t ON t.row = f.there WHERE f.row IN (SELECT finding FROM contradiction)`;
  let count = 0;
  for (const [its, amount, other, otherAmount, tolerances] of file.query<Row>(sql).iterate()) {
    count += 1;
    const line = { currency: its ?? currency, amount };
    recording.doubt(line, { currency: other, amount: otherAmount }, tolerances !== null);
  }
  if (count > 0) file.run(PLACE);
}
