/** Reconciles a ledger with the service in a work file: takes both sides in, and hands findings out. */
import { afterArrivals } from '../../runtime/clock.js';
import { openWorkFile, type WorkFile } from '../../runtime/work-file.js';
import {
  type Finding,
  FINDING_CLASSES,
  type FindingClass,
  type Reconciliation,
  MATCH_KEYS,
  type Named,
} from '../finding.js';
import type { ComparedOperation, LedgerLine } from '../line.js';
import type { MatchRules } from '../rules.js';
import { addLine, addOperation, WORK_FILE, PAYIN, PAYOUT, lineAt, operationAt } from './entries.js';
import { recordingOf, PlacementState, type Placed } from './placement.js';
import { settleAll } from './passes.js';
import { type Side, Tally } from './tally.js';
import { compareColumnAs, misnamedColumn, type MisnamedColumn } from './bank-numbers.js';
import type { Direction } from '../../contract/operation.js';
import type { LineDefaults } from './name-groups.js';

export interface Reconciling {
  /** To be called as often as there are lines, in any order, before `settle`. */
  addLines(lines: Iterable<LedgerLine>): void;
  /** Each operation once; all that is known, whatever its day: what is outside `from` and `to` may belong to a line that is not. */
  addOperations(operations: Iterable<ComparedOperation>): void;
  /**
   * Compares them, once. It lets others have their turn now and then.
   * @throws the reason of the signal, where that is given and stops it
   */
  settle(signal?: AbortSignal): Promise<Settled>;
  /**
   * What was found, worst first: within a class by currency, the greatest amount first. The same in whatever order lines and operations
   * came. One iteration at a time.
   * @param classes all of them unless given; of `matched` those come first that needed a tolerance
   */
  findings(classes?: readonly FindingClass[]): Iterable<Finding>;
  /** The file is gone behind this, as it is when the process is killed. */
  close(): void;
}

export type Settled =
  | {
      readonly kind: 'settled';
      readonly reconciliation: Reconciliation;
      /** A column that holds names of another kind than its own. */
      readonly misnamed: MisnamedColumn | null;
    }
  /** A line names no currency, none was stated, and the service's side has none or several: nothing was compared. */
  | {
      readonly kind: 'no_currency';
      /** The first such line. */
      readonly line: number;
      /** Those of the service's side, in their order. */
      readonly currencies: readonly string[];
    };

/** Opens the file, which must not be there yet, in a folder that is private to the caller. */
export function openReconciling(path: string, rules: MatchRules): Reconciling {
  const file = openWorkFile(path, WORK_FILE);
  const tally = new Tally();
  const counts = { here: 0, there: 0 };
  let hasNegatives = false;
  let currency: string | null = null;
  let asRead = (line: LedgerLine): LedgerLine => line;
  return {
    addLines: (lines) => {
      for (const line of lines) {
        counts.here += 1;
        hasNegatives ||= line.isNegative;
        addLine(file, counts.here, line);
        tally.give('here', { currency: line.currency ?? rules.currency, amount: line.amount });
      }
    },
    addOperations: (operations) => {
      for (const operation of operations) {
        counts.there += 1;
        addOperation(file, counts.there, operation);
        tally.give('there', operation);
      }
    },
    settle: async (signal) => {
      const question = currencyOfLines(file, tally, rules);
      if (question.kind === 'no_currency') return question;
      ({ currency } = question);
      if (currency !== null) tally.name('here', currency);
      const misnamed = misnamedColumn(file);
      if (misnamed?.isRead === true) asRead = compareColumnAs(file, misnamed);
      const standing = new PlacementState(counts.here, counts.there);
      const recording = recordingOf(file, standing, tally, rules);
      const defaults = { currency, hasNegatives };
      if (rules.direction !== null)
        directLines(file, rules.direction, defaults, (line) => {
          recording.leaveLineOut(line);
        });
      const settling = { file, standing, recording, rules, defaults };
      for (const _ of settleAll(settling)) {
        await new Promise<void>(afterArrivals);
        signal?.throwIfAborted();
      }
      tally.prove();
      return {
        ...{ kind: 'settled', misnamed },
        reconciliation: reconciliationOf(tally, recording.tolerated()),
      };
    },
    findings: function* (classes = FINDING_CLASSES) {
      for (const finding of findingsIn(file, classes, currency))
        yield { ...finding, here: finding.here.map(asRead) };
    },
    close: () => {
      file.close();
    },
  };
}

/** Of lines that name none: what was stated, else the only one on the other side. */
function currencyOfLines(
  file: WorkFile,
  tally: Tally,
  { currency }: MatchRules,
):
  | { readonly kind: 'currency'; readonly currency: string | null }
  | Extract<Settled, { kind: 'no_currency' }> {
  if (currency !== null || !tally.hasUnnamed('here')) return { kind: 'currency', currency };
  const [only, ...others] = tally.currencies('there');
  if (only !== undefined && others.length === 0) return { kind: 'currency', currency: only };
  const [line = 0] = file.query<[number]>('SELECT min(line) FROM here WHERE currency IS NULL').get() ?? [];
  return { kind: 'no_currency', line, currencies: tally.currencies('there') };
}

function reconciliationOf(tally: Tally, tolerated: number): Reconciliation {
  const sums = tally.sums();
  const count = (side: Side): number => sums.reduce((sum, one) => sum + one[side].count, 0);
  return {
    // What is pending and stands in no line is no difference: nothing has been paid, and nothing says so.
    agrees: sums.every(
      ({ class: name, here }) => name === 'matched' || (name === 'pending' && here.count === 0),
    ),
    ...{ lines: count('here'), operations: count('there') },
    outside: { lines: tally.count('here', 'outside'), operations: tally.count('there', 'outside') },
    failed: tally.count('there', 'failed'),
    ...{ tolerated, sums, totals: tally.totals() },
  };
}

/**
 * Hands over every line of the other direction; lines that say none become of this one.
 * @param leave may not write into the table of lines
 */
function directLines(
  file: WorkFile,
  direction: Direction,
  { currency, hasNegatives }: LineDefaults,
  leave: (line: Placed) => void,
): void {
  const [own, other] = direction === 'payin' ? [PAYIN, PAYOUT] : [PAYOUT, PAYIN];
  // A negative amount is a payout, and where there is one any other is a pay-in.
  const signed = hasNegatives ? 'CASE sign WHEN 1 THEN ? ELSE ? END' : '?';
  file.run(
    `UPDATE here SET direction = ${signed} WHERE direction IS NULL`,
    ...(hasNegatives ? [PAYOUT, PAYIN] : [own]),
  );
  type LineRow = readonly [row: number, currency: string | null, amount: string | null, day: number | null];
  const sql = 'SELECT row, currency, amount, day FROM here WHERE direction = ?';
  for (const [row, its, amount, day] of file.query<LineRow>(sql).iterate(other))
    leave({ row, currency: its ?? currency, amount, day });
}

type FindingRow = readonly [
  class_: number,
  by: number | null,
  here: number | null,
  there: number | null,
  ...json: readonly (string | null)[],
];

/** By currency, the greatest amount first: amounts are canonical, so that longer ones are greater and equally long ones compare as texts. */
const ORDER = `f.class, (f.class = ${FINDING_CLASSES.indexOf('matched')} AND f.tolerances IS NULL),
  CASE WHEN h.row IS NULL THEN t.currency ELSE coalesce(h.currency, ?) END,
  instr(coalesce(h.amount, t.amount) || '.', '.') DESC, coalesce(h.amount, t.amount) DESC,
  t.id, h.reference, h.bank_reference, h.id, h.day, h.direction, h.sign, h.line, h.raw`;

function* findingsIn(
  file: WorkFile,
  classes: readonly FindingClass[],
  currency: string | null,
): Generator<Finding> {
  const numbers = classes.map((name) => FINDING_CLASSES.indexOf(name));
  const sql = `SELECT f.class, f.by, f.here, f.there, f.tolerances, f.more, f.beside, f.suggestion FROM finding f
    LEFT JOIN here h ON h.row = f.here LEFT JOIN there t ON t.row = f.there WHERE f.class IN (${numbers.join(', ')}) ORDER BY ${ORDER}`;
  for (const row of file.query<FindingRow>(sql).iterate(currency)) yield findingOf(file, row);
}

function findingOf(
  file: WorkFile,
  [name, by, here, there, tolerances = null, more = null, beside = null, suggestion = null]: FindingRow,
): Finding {
  const [moreHere, moreThere] = (parsed(more) ?? [[], []]) as [number[], number[]];
  return {
    class: FINDING_CLASSES[name] ?? 'ambiguous',
    by: by === null ? null : (MATCH_KEYS[by] ?? null),
    here: [...(here === null ? [] : [here]), ...moreHere].map((row) => lineAt(file, row)),
    there: [...(there === null ? [] : [there]), ...moreThere].map((row) => operationAt(file, row)),
    beside: namedBy(file, parsed(beside) as FindingRows | null),
    tolerances: (parsed(tolerances) ?? []) as string[],
    suggestion: namedBy(file, parsed(suggestion) as FindingRows | null),
  };
}

type FindingRows = readonly [lines: readonly number[], operations: readonly number[]];

function namedBy(file: WorkFile, rows: FindingRows | null): Named | null {
  if (rows === null) return null;
  const [lines, operations] = rows;
  if (lines.length + operations.length === 0) return null;
  return {
    lines: lines.map((row) => lineAt(file, row).line).sort((a, b) => a - b),
    operations: operations.map((row) => operationAt(file, row).id).sort(),
  };
}

function parsed(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}
