/** A ledger against the service, in a file of its own that nobody keeps: how both sides get in, and what comes out. */
import type { Finding, FindingClass, Reconciliation } from '../finding.js';
import type { ComparedOperation, LedgerLine } from '../line.js';

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
