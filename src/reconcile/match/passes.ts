/** The comparison: plain pairs by each name in its order, then the rest by each name, then entries without a partner, then contradictions, and suggestions. */
import type { WorkFile } from '../../runtime/work-file.js';
import { MATCH_KEYS, type MatchKey, FINDING_CLASSES } from '../finding.js';
import { FAILED, PENDING } from './entries.js';
import { fittingOf, type Fitting, isFree, type Pair } from './comparing.js';
import { type LineDefaults, type Met, walkGroups } from './name-groups.js';
import { outcomeOf, plainPairs } from './group.js';
import { suggestByZeros } from './bank-numbers.js';
import type { Recording, PlacementState, Made, Placed } from './placement.js';
import type { MatchRules } from '../rules.js';
import type { Side } from './tally.js';

interface Settling {
  readonly file: WorkFile;
  readonly standing: PlacementState;
  readonly recording: Recording;
  readonly rules: MatchRules;
  readonly defaults: LineDefaults;
}

/** What the first name says is what counts. */
const NOTE = 'INSERT INTO note VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';

/** Places every line and every operation; what it yields is nothing, so that others can have their turn. */
export function* settleAll(settling: Settling): Generator<null> {
  const { standing, rules } = settling;
  const fitting = fittingOf(rules);
  const left: MatchKey[] = [];
  for (const key of MATCH_KEYS) {
    if (standing.open('here') === 0 || standing.open('there') === 0) left.push(key);
    else if (yield* settlePlain(settling, key, fitting)) left.push(key);
  }
  for (const key of left) {
    if (standing.open('here') + standing.open('there') > 0) yield* settleRest(settling, key, fitting);
  }
  yield* settleAlone(settling);
  placeContradictions(settling.file, settling.recording, settling.defaults.currency);
  suggestByAmount(settling.file, settling.defaults, rules.days);
  suggestByZeros(settling.file);
}

/** Answers whether anything that shares a name is left. */
function* settlePlain(settling: Settling, by: MatchKey, fitting: Fitting): Generator<null, boolean> {
  let isLeft = false;
  for (const met of groupsOf(settling, by)) {
    if (met === null) yield null;
    else if (met.kind === 'many') isLeft = true;
    else {
      pairAll(settling, plainPairs(met.group, by, fitting), by, fitting);
      isLeft ||= [...met.group.lines, ...met.group.operations].some(isFree);
    }
  }
  return isLeft;
}

function* settleRest(settling: Settling, by: MatchKey, fitting: Fitting): Generator<null> {
  const { recording } = settling;
  for (const met of groupsOf(settling, by)) {
    if (met === null) {
      yield null;
    } else if (met.kind === 'many') {
      placeMany(settling, met, by);
    } else {
      const outcome = outcomeOf(met.group, by, fitting);
      pairAll(settling, outcome.pairs, by, fitting);
      for (const { lines, operations } of outcome.ambiguous)
        recording.place({ class: 'ambiguous', by, lines, operations });
      for (const [line, operation] of outcome.repeatedLines)
        recording.place({
          ...{ class: 'duplicate_here', by, lines: [line], operations: [] },
          ...{ tolerances: fitting.fit(line, operation) ?? [], beside: [operation.partner, operation.row] },
        });
      for (const [line, operation] of outcome.repeatedOperations)
        recording.place({
          ...{ class: 'duplicate_there', by, lines: [], operations: [operation] },
          ...{ tolerances: fitting.fit(line, operation) ?? [], beside: [line.row, line.partner] },
        });
      for (const [line, operation] of outcome.besideLines)
        settling.file.run(NOTE, 1, line.row, operation.partner, operation.row);
      for (const [line, operation] of outcome.besideOperations)
        settling.file.run(NOTE, 0, operation.row, line.row, line.partner);
    }
  }
}

function pairAll({ recording }: Settling, pairs: readonly Pair[], by: MatchKey, { verdict }: Fitting): void {
  for (const [line, operation] of pairs)
    recording.pair({ ...verdict(line, operation), by, lines: [line], operations: [operation] });
}

function groupsOf({ file, standing, defaults }: Settling, by: MatchKey): Iterable<Met | null> {
  return walkGroups(file, by, standing, defaults);
}

type Alone = Omit<Settling, 'rules'>;

type AloneRow = readonly [
  row: number,
  status: number,
  currency: string | null,
  amount: string | null,
  day: number | null,
  besideLine: number | null,
  besideOperation: number | null,
];

const COLUMNS: Readonly<Record<Side, string>> = {
  here: 'e.row, 0, e.currency, e.amount, e.day',
  there: 'e.row, e.status, e.currency, e.amount, e.day',
};

/** Each is a finding of its own: all that share the name might be meant, and together they might be the whole file. */
function placeMany(alone: Alone, { lines, operations }: Extract<Met, { kind: 'many' }>, by: MatchKey): void {
  for (const [side, rows] of [
    ['here', lines],
    ['there', operations],
  ] as const) {
    for (const number of rows) {
      const row = alone.file
        .query<AloneRow>(`SELECT ${COLUMNS[side]} FROM ${side} e WHERE row = ?`)
        .get(number);
      if (row === undefined) throw new Error('a row of the work file is gone');
      // A failed operation that nobody means alone is in no class.
      if (row[1] !== FAILED) alone.recording.place(made(alone, side, row, { class: 'ambiguous', by }));
    }
  }
}

/** All that is still open. */
function* settleAlone(alone: Alone): Generator<null> {
  const { file, standing, recording } = alone;
  for (const side of ['here', 'there'] as const) {
    if (standing.open(side) === 0) continue;
    const sql = `SELECT ${COLUMNS[side]}, n.here, n.there FROM ${side} e LEFT JOIN note n ON n.side = ? AND n.row = e.row`;
    let count = 0;
    for (const row of file.query<AloneRow>(sql).iterate(side === 'here' ? 1 : 0)) {
      count += 1;
      if (count % 20_000 === 0) yield null;
      if (standing.partner(side, row[0]) !== 0) continue;
      if (row[1] === FAILED) recording.leaveOut(placed(alone, side, row));
      else recording.place(made(alone, side, row, { class: classOf(side, row[1]), by: null }));
    }
  }
}

/** No money has moved of what is pending: that it is in no ledger yet is no difference. */
function classOf(side: Side, status: number): Made['class'] {
  if (side === 'here') return 'only_here';
  return status === PENDING ? 'pending' : 'only_there';
}

function made(alone: Alone, side: Side, row: AloneRow, about: Pick<Made, 'class' | 'by'>): Made {
  const [members, besideLine, besideOperation] = [[placed(alone, side, row)], row[5], row[6]];
  const isNoted = typeof besideLine === 'number' && typeof besideOperation === 'number';
  return {
    ...about,
    lines: side === 'here' ? members : [],
    operations: side === 'there' ? members : [],
    beside: isNoted ? [besideLine, besideOperation] : undefined,
  };
}

function placed({ defaults }: Alone, side: Side, [row, status, currency, amount, day]: AloneRow): Placed {
  const known = side === 'here' ? (currency ?? defaults.currency) : currency;
  return { row, currency: known, amount, day, status };
}

const AMBIGUOUS = FINDING_CLASSES.indexOf('ambiguous');

/** Every pair whose line has such a name that is not its operation's. */
function pairsThatDiffer(key: MatchKey): string {
  const by = MATCH_KEYS.indexOf(key);
  return (
    'FROM finding f JOIN here h ON h.row = f.here JOIN there t ON t.row = f.there ' +
    `WHERE f.class <> ${AMBIGUOUS} AND f.by <> ${by} AND h.${key} IS NOT NULL AND h.${key} IS NOT t.${key}`
  );
}

/** An id is one operation's alone, and an operation has one reference: another one is another payment, whether it is known or not. */
const UNKNOWN: Readonly<Record<MatchKey, string | null>> = {
  id: `${pairsThatDiffer('id')} AND h.id GLOB '????????-????-????-????-????????????'`,
  reference: `${pairsThatDiffer('reference')} AND t.reference IS NOT NULL`,
  bank_reference: null,
};

const CONTRADICT = 'INSERT INTO contradiction (finding, operation)';
const DOUBT = `UPDATE finding SET class = ${AMBIGUOUS}, beside = (SELECT json_array(json('[]'), json_group_array(DISTINCT c.operation))
  FROM contradiction c WHERE c.finding = finding.row AND c.operation IS NOT NULL) WHERE row IN (SELECT finding FROM contradiction)`;

type DoubtedRow = readonly [
  class_: number,
  here: string | null,
  hereAmount: string | null,
  there: string | null,
  thereAmount: string | null,
  tolerances: string | null,
];

/** @param currency of lines that name none */
function placeContradictions(file: WorkFile, recording: Recording, currency: string | null): void {
  for (const key of MATCH_KEYS) {
    if (file.query(`SELECT 1 ${pairsThatDiffer(key)} LIMIT 1`).get() === undefined) continue;
    // Another operation that is called so.
    const named = `(SELECT ${key} AS name, row, min(id) FROM there WHERE ${key} IS NOT NULL GROUP BY ${key})`;
    const pairs = `(SELECT f.row AS finding, h.${key} AS name ${pairsThatDiffer(key)})`;
    file.run(`${CONTRADICT} SELECT p.finding, n.row FROM ${pairs} p JOIN ${named} n ON n.name = p.name`);
    const unknown = UNKNOWN[key];
    if (unknown !== null) file.run(`${CONTRADICT} SELECT f.row, NULL ${unknown}`);
  }
  const sql = `SELECT f.class, h.currency, h.amount, t.currency, t.amount, f.tolerances FROM finding f JOIN here h ON h.row = f.here
    JOIN there t ON t.row = f.there WHERE f.row IN (SELECT finding FROM contradiction)`;
  let count = 0;
  for (const [name, its, amount, other, otherAmount, tolerances] of file.query<DoubtedRow>(sql).iterate()) {
    count += 1;
    const line = { currency: its ?? currency, amount };
    const operation = { currency: other, amount: otherAmount };
    recording.doubt(FINDING_CLASSES[name] ?? 'ambiguous', line, operation, tolerances !== null);
  }
  if (count > 0) file.run(DOUBT);
}

/** Among more than so many a person looks for a fault of the file, and not for one payment. */
const LOOKED_AT_MAX = 10_000;

const numberOf = (side: 'here' | 'there'): number => FINDING_CLASSES.indexOf(`only_${side}`);

const aloneIn = (side: 'here' | 'there', direction: string, currency: string): string => `
  SELECT f.row AS finding, e.row, ${direction} AS direction, ${currency} AS currency, e.amount, e.day
  FROM finding f JOIN ${side} e ON e.row = f.${side}
  WHERE f.class = ${numberOf(side)} AND e.amount <> '0' GROUP BY 4, 5 HAVING count(*) = 1`;

/** Only where both are the only ones of their amount in their currency. @param days how far apart they may be */
function suggestByAmount(file: WorkFile, { currency, hasNegatives }: LineDefaults, days: number): void {
  const alone = `SELECT 1 FROM finding WHERE class IN (${numberOf('here')}, ${numberOf('there')}) LIMIT 1 OFFSET ${LOOKED_AT_MAX}`;
  if (file.query(alone).get() !== undefined) return;
  const sql = `WITH line AS (${aloneIn('here', 'coalesce(e.direction, CASE WHEN ? THEN e.sign END)', 'coalesce(e.currency, ?)')}),
    operation AS (${aloneIn('there', 'e.direction', 'e.currency')}),
    pair AS MATERIALIZED (SELECT l.finding AS one, o.finding AS other, '[[' || l.row || '],[' || o.row || ']]' AS found
      FROM line l JOIN operation o USING (currency, amount)
      WHERE coalesce(l.direction = o.direction, TRUE) AND coalesce(abs(l.day - o.day) <= ?, TRUE))
    UPDATE finding SET suggestion = p.found FROM (SELECT one AS row, found FROM pair UNION ALL SELECT other, found FROM pair) p
    WHERE finding.row = p.row`;
  file.run(sql, hasNegatives ? 1 : 0, currency, days);
}
