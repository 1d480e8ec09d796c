/** Which member of NDJSON is what: said by a map in dotted paths, or guessed from the names; the least deep counts. */
import { Failure } from '../../runtime/failure.js';
import { meaningOf } from './column-words.js';
import { candidateOf } from '../../sheet/header.js';
import { JsonCutter, pathsIn } from './json-records.js';
import { isBelieved, unusableLedger, type Layout } from './layout.js';
import type { ReadingSettings } from './settings.js';
import { LEDGER_VOCABULARY } from './vocabulary.js';

const DEPTH_RANK = 1000;

/** The columns are the members of the map, in its order. @throws Failure `usage`, `bad_file` where the beginning is no NDJSON */
export function jsonLayoutOf(sample: string, { map, delimiter }: ReadingSettings, name: string): Layout {
  if (delimiter !== null) throw refused('usage', `${name} is NDJSON: it has no --delimiter.`);
  if (sample.trimStart().startsWith('['))
    throw refused('bad_file', `${name} is one JSON array: make NDJSON of it, for example by jq -c '.[]'.`);
  const numbered = map?.find(({ column }) => typeof column === 'number');
  if (numbered !== undefined)
    throw refused(
      'usage',
      `${name} is NDJSON: --map names its members, as in ${numbered.field}=data.${numbered.field}.`,
    );
  const header = pathsIn(sample);
  const found = candidateOf({ line: 1, cells: header, fault: null }, '', map, {
    ...LEDGER_VOCABULARY,
    meaningOf: (path) => {
      const parts = path.split('.');
      const meaning = meaningOf((parts.at(-1) ?? '').replace(/([a-z])([A-Z])/g, '$1 $2'));
      return meaning === null ? null : { ...meaning, rank: meaning.rank + DEPTH_RANK * parts.length };
    },
  });
  if (!found.isUsable) throw unusableLedger(found, map, name);
  const named = found.columns.map((column, index) => ({ ...column, index }));
  const first = new JsonCutter(
    named.map((column) => column.name),
    'point',
  ).push(sample);
  const columns = (map === null ? named.filter((column) => isBelieved(column, first)) : named).map(
    (column, index) => ({ ...column, index }),
  );
  return { delimiter: '', headerLine: null, bodyFrom: 1, header, columns, titles: [], above: [] };
}

function refused(kind: 'usage' | 'bad_file', why: string): Failure {
  return new Failure(kind, `${why} Nothing was reconciled.`);
}
