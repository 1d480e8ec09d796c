import { run } from '../../../src/main.js';
import { NotAnswered } from '../../../src/runtime/transport.js';

export interface Program {
  readonly run: typeof run;
  readonly NotAnswered: typeof NotAnswered;
}

export const WHOLE: Program = { run, NotAnswered };
