/** A ledger against the service, in a file of its own that nobody keeps: how both sides get in, and what comes out. */
import { afterArrivals } from '../../runtime/clock.js';
import { openWorkFile, type WorkFile } from '../../runtime/work-file.js';
import {
  type ClassSum,
  type Finding,
  FINDING_CLASSES,
  type FindingClass,
  type Reconciliation,
} from '../finding.js';
import type { ComparedOperation, LedgerLine } from '../line.js';
import type { MatchRules } from '../rules.js';
import { directLines } from './directing.js';
import { addLine, addOperation, WORK_FILE } from './entries.js';
import { findingsIn } from './reading.js';
import { recordingOf } from './recording.js';
import { settleAll } from './settling.js';
import { MatchStanding } from './standing.js';
import { type Side, Tally } from './tally.js';

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
  | { readonly kind: 'settled'; readonly reconciliation: Reconciliation }
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
      const standing = new MatchStanding(counts.here, counts.there);
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
      return { kind: 'settled', reconciliation: reconciliationOf(tally, recording.tolerated()) };
    },
    findings: (classes = FINDING_CLASSES) => findingsIn(file, classes, currency),
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
    agrees: sums.every(agrees),
    ...{ lines: count('here'), operations: count('there') },
    outside: { lines: tally.count('here', 'outside'), operations: tally.count('there', 'outside') },
    failed: tally.count('there', 'failed'),
    ...{ tolerated, sums },
  };
}

/** What is pending and stands in no line is no difference: nothing has been paid, and nothing says so. */
function agrees({ class: name, here }: ClassSum): boolean {
  return name === 'matched' || (name === 'pending' && here.count === 0);
}
