/** Writes a plan: each body is held to what a reader permits, and the first line says what was counted. Pure. */
import { PlanCount } from './reading.js';
import { readPlanRow } from './row.js';
import { bodyLine, type PlanHead } from './spelling.js';

/** What is said of a plan beside what its rows say. */
export type PlanFacts = Omit<PlanHead, 'svc_plan' | 'rows' | 'totals'>;

/** Bodies in their order, each seen before the first line can be written. */
export class PlanDraft {
  readonly #counting = new PlanCount();

  get rows(): number {
    return this.#counting.rows;
  }

  /** The line of a body, without its end. @throws PlanDamaged for what no plan may hold */
  add(body: Uint8Array): string {
    const line = bodyLine(body);
    this.#counting.add(readPlanRow(line, this.#counting.rows));
    return line;
  }

  /** What the first line says. */
  head(facts: PlanFacts): PlanHead {
    return { svc_plan: 1, ...facts, rows: this.#counting.rows, totals: this.#counting.totals() };
  }
}
