/** Who reads a view, and when: plain data, so that a view is a pure function of an answer and its reader. */
import type { Zone } from '../runtime/clock.js';
import type { Style } from './style.js';

export interface Reader {
  /** Columns of the terminal. */
  readonly width: number;
  readonly style: Style;
  readonly zone: Zone;
  /** What time it was for the service when it answered, in ms; null where it did not say: then nothing is counted down. */
  readonly nowMs: number | null;
}
