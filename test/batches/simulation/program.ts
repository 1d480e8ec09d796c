/** The program that a simulated person types to: the whole one, or one that was built without a rule. */
import { run } from '../../../src/main.js';
import { NotAnswered } from '../../../src/runtime/transport.js';

export interface Program {
  readonly run: typeof run;
  /** What its transport throws where no answer came: a program that was built knows only its own. */
  readonly NotAnswered: typeof NotAnswered;
}

export const WHOLE: Program = { run, NotAnswered };
