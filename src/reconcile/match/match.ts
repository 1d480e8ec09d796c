import { afterArrivals } from '../../runtime/clock.js';
import { openWorkFile, type WorkFile } from '../../runtime/work-file.js';
import { FINDING_CLASSES, MATCH_KEYS } from '../finding.js';
import type { Finding, FindingClass, Reconciliation, NamedEntries } from '../finding.js';
import type { ComparedOperation, LedgerLine } from '../line.js';
import type { MatchRules } from '../rules.js';
import { addLine, addOperation, WORK_FILE, PAYIN, PAYOUT, lineAt, operationAt } from './entries.js';
import { findingRecorder, PlacementState, type PlacedEntry } from './placement.js';
import { compareSides } from './passes.js';
import { type Side, Tally } from './tally.js';
import { compareColumnAs, misnamedColumn } from './bank-numbers.js';
import type { Direction } from '../../contract/operation.js';
import type { LineDefaults } from './name-groups.js';

export function openReconciler(path: string, rules: MatchRules) {
  const file = openWorkFile(path, WORK_FILE);
  const tally = new Tally();
  const counts = { here: 0, there: 0 };
  let hasNegatives = false;
  let currency: string | null = null;
  let toCompared = (line: LedgerLine): LedgerLine => line;
  return {
    addLines: (lines: Iterable<LedgerLine>): void => {
      for (const line of lines) {
        counts.here += 1;
        hasNegatives ||= line.isNegative;
        addLine(file, counts.here, line);
        tally.addEntry('here', { currency: line.currency ?? rules.currency, amount: line.amount });
      }
    },
    /** Add operations outside `from` and `to` too, because a line between these days may belong to one. */
    addOperations: (operations: Iterable<ComparedOperation>): void => {
      for (const operation of operations) {
        counts.there += 1;
        addOperation(file, counts.there, operation);
        tally.addEntry('there', operation);
      }
    },
    settle: async (signal?: AbortSignal) => {
      const lineCurrency = currencyOfLines(file, tally, rules);
      if (lineCurrency.kind === 'no_currency') return lineCurrency;
      ({ currency } = lineCurrency);
      if (currency !== null) tally.nameCurrency('here', currency);
      const misnamed = misnamedColumn(file);
      if (misnamed?.isRead === true) toCompared = compareColumnAs(file, misnamed);
      const placement = new PlacementState(counts.here, counts.there);
      const recorder = findingRecorder(file, placement, tally, rules);
      const defaults = { currency, hasNegatives };
      if (rules.direction !== null)
        directLines(file, rules.direction, defaults, (line) => recorder.countOutside(line));
      for (const _ of compareSides({ file, placement, recorder, rules, defaults })) {
        await new Promise<void>(afterArrivals);
        signal?.throwIfAborted();
      }
      tally.prove();
      const reconciliation = reconciliationOf(tally, recorder.tolerated());
      return { kind: 'settled', misnamed, reconciliation } as const;
    },
    findings: function* (classes: readonly FindingClass[] = FINDING_CLASSES): Generator<Finding> {
      for (const finding of findingsIn(file, classes, currency))
        yield { ...finding, here: finding.here.map(toCompared) };
    },
    [Symbol.dispose]: () => file.close(),
  };
}
export type Reconciler = ReturnType<typeof openReconciler>;
export type SettleResult = Awaited<ReturnType<Reconciler['settle']>>;

function currencyOfLines(file: WorkFile, tally: Tally, { currency }: MatchRules) {
  if (currency !== null || !tally.hasUnnamed('here')) return { kind: 'currency', currency } as const;
  const [only, ...others] = tally.currencies('there');
  if (only !== undefined && others.length === 0) return { kind: 'currency', currency: only } as const;
  const [line = 0] = file.query<[number]>('SELECT min(line) FROM here WHERE currency IS NULL').get() ?? [];
  return { kind: 'no_currency', line, currencies: tally.currencies('there') } as const;
}

function reconciliationOf(tally: Tally, tolerated: number): Reconciliation {
  const sums = tally.sums();
  const count = (side: Side): number => sums.reduce((sum, one) => sum + one[side].count, 0);
  return {
    agrees: sums.every(
      ({ class: name, here }) => name === 'matched' || (name === 'pending' && here.count === 0),
    ),
    ...{ lines: count('here'), operations: count('there') },
    outside: { lines: tally.count('here', 'outside'), operations: tally.count('there', 'outside') },
    failed: tally.count('there', 'failed'),
    ...{ tolerated, sums, totals: tally.totals() },
  };
}

/** `exclude` must not write to the table `here`, which is being read. */
function directLines(
  file: WorkFile,
  direction: Direction,
  { currency, hasNegatives }: LineDefaults,
  exclude: (line: PlacedEntry) => void,
): void {
  const [wanted, other] = direction === 'payin' ? [PAYIN, PAYOUT] : [PAYOUT, PAYIN];
  const directionSql = hasNegatives ? 'CASE sign WHEN 1 THEN ? ELSE ? END' : '?';
  file.run(
    `UPDATE here SET direction = ${directionSql} WHERE direction IS NULL`,
    ...(hasNegatives ? [PAYOUT, PAYIN] : [wanted]),
  );
  type LineRow = readonly [row: number, currency: string | null, amount: string | null, day: number | null];
  const sql = 'SELECT row, currency, amount, day FROM here WHERE direction = ?';
  for (const [row, lineCurrency, amount, day] of file.query<LineRow>(sql).iterate(other))
    exclude({ row, currency: lineCurrency ?? currency, amount, day });
}

type FindingRow = readonly [
  class_: number,
  by: number | null,
  here: number | null,
  there: number | null,
  ...json: readonly (string | null)[],
];

const FINDING_ORDER = `f.class, (f.class = ${FINDING_CLASSES.indexOf('matched')} AND f.tolerances IS NULL),
  CASE WHEN h.row IS NULL THEN t.currency ELSE coalesce(h.currency, ?) END,
  instr(coalesce(h.amount, t.amount) || '.', '.') DESC, coalesce(h.amount, t.amount) DESC,
  t.id, h.reference, h.bank_reference, h.id, h.day, h.direction, h.sign, h.line, h.raw`;

function* findingsIn(file: WorkFile, classes: readonly FindingClass[], currency: string | null) {
  const classNumbers = classes.map((name) => FINDING_CLASSES.indexOf(name));
  const sql = `SELECT f.class, f.by, f.here, f.there, f.tolerances, f.more, f.beside, f.suggestion FROM finding f
    LEFT JOIN here h ON h.row = f.here LEFT JOIN there t ON t.row = f.there WHERE f.class IN (${classNumbers.join(', ')}) ORDER BY ${FINDING_ORDER}`;
  for (const row of file.query<FindingRow>(sql).iterate(currency)) {
    const [classNumber, by, here, there, tolerances, more, beside = null, suggestion = null] = row;
    const [moreHere, moreThere] = JSON.parse(more ?? '[[],[]]') as [number[], number[]];
    yield {
      class: FINDING_CLASSES[classNumber] ?? 'ambiguous',
      by: by === null ? null : (MATCH_KEYS[by] ?? null),
      here: [...(here === null ? [] : [here]), ...moreHere].map((at) => lineAt(file, at)),
      there: [...(there === null ? [] : [there]), ...moreThere].map((at) => operationAt(file, at)),
      beside: namedEntries(file, beside),
      tolerances: JSON.parse(tolerances ?? '[]') as string[],
      suggestion: namedEntries(file, suggestion),
    };
  }
}

function namedEntries(file: WorkFile, json: string | null): NamedEntries | null {
  if (json === null) return null;
  const [lines, operations] = JSON.parse(json) as [number[], number[]];
  if (lines.length + operations.length === 0) return null;
  return {
    lines: lines.map((row) => lineAt(file, row).line).sort((a, b) => a - b),
    operations: operations.map((row) => operationAt(file, row).id).sort(),
  };
}
