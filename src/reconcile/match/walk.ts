/** The lines and operations of the work file that share a name, group by group. */
import type { WorkFile } from '../../runtime/work-file.js';
import type { MatchKey } from '../finding.js';
import { type LineDefaults, Gathered, type MemberRow, type Met } from './gathered.js';
import type { MatchStanding } from './standing.js';

/** Operations come first: of lines whose name no operation has nothing is kept. */
function groupsSql(key: MatchKey): string {
  return (
    `SELECT ${key}, 0, row, status, direction, NULL, currency, amount, day FROM there WHERE ${key} IS NOT NULL ` +
    `UNION ALL SELECT ${key}, 1, row, line, direction, sign, currency, amount, day FROM here WHERE ${key} IS NOT NULL ORDER BY 1, 2`
  );
}

/** Every name that both sides have and of which anything is open; null now and then, so that others can have their turn. */
export function* walkGroups(
  file: WorkFile,
  key: MatchKey,
  standing: MatchStanding,
  defaults: LineDefaults,
): Generator<Met | null> {
  const gathered = new Gathered(file, standing, defaults);
  let count = 0;
  let name: string | null = null;
  for (const row of file.query<MemberRow>(groupsSql(key)).iterate()) {
    count += 1;
    if (count % 20_000 === 0) yield null;
    if (row[0] !== name) {
      const met = gathered.take();
      if (met !== null) yield met;
      name = row[0];
    }
    gathered.add(row);
  }
  const met = gathered.take();
  if (met !== null) yield met;
}
