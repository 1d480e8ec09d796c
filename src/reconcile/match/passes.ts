import type { WorkFile } from '../../runtime/work-file.js';
import { MATCH_KEYS, type MatchKey, FINDING_CLASSES } from '../finding.js';
import { FAILED, PENDING } from './entries.js';
import { fitRulesOf, type FitRules, isFree, type Pair } from './compare.js';
import { type LineDefaults, type NameMatch, walkGroups } from './name-groups.js';
import { outcomeOf, clearPairs } from './group.js';
import { suggestByZeros } from './bank-numbers.js';
import type { FindingRecorder, PlacementState, NewFinding, PlacedEntry } from './placement.js';
import type { MatchRules } from '../rules.js';
import type { Side } from './tally.js';

interface MatchContext {
  readonly file: WorkFile;
  readonly placement: PlacementState;
  readonly recorder: FindingRecorder;
  readonly rules: MatchRules;
  readonly defaults: LineDefaults;
}

const INSERT_NOTE = 'INSERT INTO note VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';

export function* compareSides(context: MatchContext): Generator<null> {
  const { placement, rules } = context;
  const fitRules = fitRulesOf(rules);
  const remainingKeys: MatchKey[] = [];
  for (const key of MATCH_KEYS) {
    const isDone = placement.openCount('here') === 0 || placement.openCount('there') === 0;
    if (isDone || (yield* pairClear(context, key, fitRules))) remainingKeys.push(key);
  }
  for (const key of remainingKeys) {
    if (placement.openCount('here') + placement.openCount('there') > 0)
      yield* decideRest(context, key, fitRules);
  }
  yield* placeUnmatched(context);
  placeContradictions(context.file, context.recorder, context.defaults.currency);
  suggestByAmount(context.file, context.defaults, rules.days);
  suggestByZeros(context.file);
}

function* pairClear(context: MatchContext, by: MatchKey, fitRules: FitRules): Generator<null, boolean> {
  const { file, placement, defaults } = context;
  let hasOpen = false;
  for (const match of walkGroups(file, by, placement, defaults)) {
    if (match === null) yield null;
    else if (match.kind === 'many') hasOpen = true;
    else {
      pairAll(context, clearPairs(match.group, by, fitRules), by, fitRules);
      hasOpen ||= [...match.group.lines, ...match.group.operations].some(isFree);
    }
  }
  return hasOpen;
}

function* decideRest(context: MatchContext, by: MatchKey, fitRules: FitRules): Generator<null> {
  const { file, placement, recorder, defaults } = context;
  for (const match of walkGroups(file, by, placement, defaults)) {
    if (match === null) {
      yield null;
    } else if (match.kind === 'many') {
      placeMany(context, match, by);
    } else {
      const outcome = outcomeOf(match.group, by, fitRules);
      pairAll(context, outcome.pairs, by, fitRules);
      for (const { lines, operations } of outcome.ambiguous)
        recorder.place({ class: 'ambiguous', by, lines, operations });
      for (const [line, operation] of outcome.repeatedLines)
        recorder.place({
          ...{ class: 'duplicate_here', by, lines: [line], operations: [] },
          tolerances: fitRules.tolerancesNeeded(line, operation) ?? [],
          beside: [operation.partner, operation.row],
        });
      for (const [line, operation] of outcome.repeatedOperations)
        recorder.place({
          ...{ class: 'duplicate_there', by, lines: [], operations: [operation] },
          tolerances: fitRules.tolerancesNeeded(line, operation) ?? [],
          beside: [line.row, line.partner],
        });
      for (const [line, operation] of outcome.relatedLines)
        file.run(INSERT_NOTE, 1, line.row, operation.partner, operation.row);
      for (const [line, operation] of outcome.relatedOperations)
        file.run(INSERT_NOTE, 0, operation.row, line.row, line.partner);
    }
  }
}

function pairAll({ recorder }: MatchContext, pairs: readonly Pair[], by: MatchKey, { verdict }: FitRules) {
  for (const [line, operation] of pairs)
    recorder.pair({ ...verdict(line, operation), by, lines: [line], operations: [operation] });
}

type UnmatchedRow = readonly [
  row: number,
  status: number,
  currency: string | null,
  amount: string | null,
  day: number | null,
  besideLine: number | null,
  besideOperation: number | null,
];

const ENTRY_COLUMNS: Readonly<Record<Side, string>> = {
  here: 'e.row, 0, e.currency, e.amount, e.day',
  there: 'e.row, e.status, e.currency, e.amount, e.day',
};

function placeMany(context: MatchContext, match: Extract<NameMatch, { kind: 'many' }>, by: MatchKey): void {
  for (const side of ['here', 'there'] as const) {
    for (const number of side === 'here' ? match.lines : match.operations) {
      const sql = `SELECT ${ENTRY_COLUMNS[side]} FROM ${side} e WHERE row = ?`;
      const row = context.file.query<UnmatchedRow>(sql).get(number);
      if (row === undefined) throw new Error('a row of the work file is gone');
      if (row[1] !== FAILED)
        context.recorder.place(newFinding(context, side, row, { class: 'ambiguous', by }));
    }
  }
}

function* placeUnmatched(context: MatchContext): Generator<null> {
  const { file, placement, recorder } = context;
  for (const side of ['here', 'there'] as const) {
    if (placement.openCount(side) === 0) continue;
    const sql = `SELECT ${ENTRY_COLUMNS[side]}, n.here, n.there FROM ${side} e LEFT JOIN note n ON n.side = ? AND n.row = e.row`;
    let count = 0;
    for (const row of file.query<UnmatchedRow>(sql).iterate(side === 'here' ? 1 : 0)) {
      count += 1;
      if (count % 20_000 === 0) yield null;
      if (placement.partner(side, row[0]) !== 0) continue;
      const kind = side === 'here' ? 'only_here' : row[1] === PENDING ? 'pending' : 'only_there';
      if (row[1] === FAILED) recorder.countFailed(placedEntry(context, side, row));
      else recorder.place(newFinding(context, side, row, { class: kind, by: null }));
    }
  }
}

function newFinding(
  context: MatchContext,
  side: Side,
  row: UnmatchedRow,
  about: Pick<NewFinding, 'class' | 'by'>,
): NewFinding {
  const [members, besideLine, besideOperation] = [[placedEntry(context, side, row)], row[5], row[6]];
  const isNoted = typeof besideLine === 'number' && typeof besideOperation === 'number';
  return {
    ...about,
    lines: side === 'here' ? members : [],
    operations: side === 'there' ? members : [],
    beside: isNoted ? [besideLine, besideOperation] : undefined,
  };
}

function placedEntry({ defaults }: MatchContext, side: Side, entry: UnmatchedRow): PlacedEntry {
  const [row, status, currency, amount, day] = entry;
  const fallback = side === 'here' ? defaults.currency : null;
  return { row, currency: currency ?? fallback, amount, day, status };
}

const AMBIGUOUS_CLASS = FINDING_CLASSES.indexOf('ambiguous');

function pairsThatDiffer(key: MatchKey): string {
  const by = MATCH_KEYS.indexOf(key);
  return (
    'FROM finding f JOIN here h ON h.row = f.here JOIN there t ON t.row = f.there ' +
    `WHERE f.class <> ${AMBIGUOUS_CLASS} AND f.by <> ${by} AND h.${key} IS NOT NULL AND h.${key} IS NOT t.${key}`
  );
}

const UNKNOWN_NAMES: Readonly<Record<MatchKey, string | null>> = {
  id: `${pairsThatDiffer('id')} AND h.id GLOB '????????-????-????-????-????????????'`,
  reference: `${pairsThatDiffer('reference')} AND t.reference IS NOT NULL`,
  bank_reference: null,
};

const ADD_DOUBT = 'INSERT INTO contradiction (finding, operation)';
const MAKE_AMBIGUOUS = `UPDATE finding SET class = ${AMBIGUOUS_CLASS}, beside = (SELECT json_array(json('[]'), json_group_array(DISTINCT c.operation))
  FROM contradiction c WHERE c.finding = finding.row AND c.operation IS NOT NULL) WHERE row IN (SELECT finding FROM contradiction)`;

type DoubtedRow = readonly [
  class_: number,
  lineCurrency: string | null,
  lineAmount: string | null,
  operationCurrency: string | null,
  operationAmount: string | null,
  tolerances: string | null,
];

function placeContradictions(file: WorkFile, recorder: FindingRecorder, currency: string | null): void {
  for (const key of MATCH_KEYS) {
    if (file.query(`SELECT 1 ${pairsThatDiffer(key)} LIMIT 1`).get() === undefined) continue;
    const nameOwners = `(SELECT ${key} AS name, row, min(id) FROM there WHERE ${key} IS NOT NULL GROUP BY ${key})`;
    const pairs = `(SELECT f.row AS finding, h.${key} AS name ${pairsThatDiffer(key)})`;
    file.run(`${ADD_DOUBT} SELECT p.finding, n.row FROM ${pairs} p JOIN ${nameOwners} n ON n.name = p.name`);
    const unknownNames = UNKNOWN_NAMES[key];
    if (unknownNames !== null) file.run(`${ADD_DOUBT} SELECT f.row, NULL ${unknownNames}`);
  }
  const sql = `SELECT f.class, h.currency, h.amount, t.currency, t.amount, f.tolerances FROM finding f JOIN here h ON h.row = f.here
    JOIN there t ON t.row = f.there WHERE f.row IN (SELECT finding FROM contradiction)`;
  let count = 0;
  for (const row of file.query<DoubtedRow>(sql).iterate()) {
    const [classIndex, lineCurrency, lineAmount, operationCurrency, operationAmount, tolerances] = row;
    count += 1;
    const line = { currency: lineCurrency ?? currency, amount: lineAmount };
    const operation = { currency: operationCurrency, amount: operationAmount };
    recorder.makeAmbiguous(FINDING_CLASSES[classIndex] ?? 'ambiguous', line, operation, tolerances !== null);
  }
  if (count > 0) file.run(MAKE_AMBIGUOUS);
}

const UNMATCHED_MAX = 10_000;

const unmatchedClass = (side: 'here' | 'there'): number => FINDING_CLASSES.indexOf(`only_${side}`);

const uniqueUnmatched = (side: 'here' | 'there', direction: string, currency: string): string => `
  SELECT f.row AS finding, e.row, ${direction} AS direction, ${currency} AS currency, e.amount, e.day
  FROM finding f JOIN ${side} e ON e.row = f.${side}
  WHERE f.class = ${unmatchedClass(side)} AND e.amount <> '0' GROUP BY 4, 5 HAVING count(*) = 1`;

function suggestByAmount(file: WorkFile, { currency, hasNegatives }: LineDefaults, days: number): void {
  const excessSql = `SELECT 1 FROM finding WHERE class IN (${unmatchedClass('here')}, ${unmatchedClass('there')}) LIMIT 1 OFFSET ${UNMATCHED_MAX}`;
  if (file.query(excessSql).get() !== undefined) return;
  const sql = `WITH line AS (${uniqueUnmatched('here', 'coalesce(e.direction, CASE WHEN ? THEN e.sign END)', 'coalesce(e.currency, ?)')}),
    operation AS (${uniqueUnmatched('there', 'e.direction', 'e.currency')}),
    pair AS MATERIALIZED (SELECT l.finding AS one, o.finding AS other, '[[' || l.row || '],[' || o.row || ']]' AS found
      FROM line l JOIN operation o USING (currency, amount)
      WHERE coalesce(l.direction = o.direction, TRUE) AND coalesce(abs(l.day - o.day) <= ?, TRUE))
    UPDATE finding SET suggestion = p.found FROM (SELECT one AS row, found FROM pair UNION ALL SELECT other, found FROM pair) p
    WHERE finding.row = p.row`;
  file.run(sql, hasNegatives ? 1 : 0, currency, days);
}
