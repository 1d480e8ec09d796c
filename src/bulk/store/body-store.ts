/** The part of the store that forgets: the bodies of rows, which hold personal data. */
import type { RowState } from '../row-state.js';

export interface DroppedBodies {
  readonly dropped: number;
  /** The last row that was looked at; null where there was none. */
  readonly last: number | null;
}

/** Every method rejects as those of the whole store do. */
export interface BodyStore {
  /** Looks at so many bodies behind that row, and removes those of rows in these states, their bytes too. */
  dropBodies(
    batch: number,
    states: readonly RowState[],
    after: number,
    count: number,
  ): Promise<DroppedBodies>;
  /** Batches planned before one moment and not swept after the other. */
  unswept(plannedBeforeMs: number, sweptUntilMs: number): Promise<number[]>;
  /** Notes that a batch was swept: no body is left in it that nothing needed then. */
  swept(batch: number, nowMs: number): Promise<void>;
  /** Drops plans that were begun before that moment and never became batches. */
  dropPlans(beforeMs: number): Promise<void>;
  /** True where a row in one of these states has no body any more. */
  lacksBodies(batch: number, states: readonly RowState[]): Promise<boolean>;
}
