/** The patterns of a catalog: they come from the service, so a hostile one may cost no more than a bounded number of steps. */
import { parsePattern } from './pattern-syntax.js';
import { programOf, search } from './pattern-steps.js';

/** Longer ones are nobody's rule for a field. */
const SOURCE_MAX = 1000;
const STATES_MAX = 4000;
/** A few milliseconds. A value of 100 characters under a pattern of 100 takes a tenth of it. */
const STEPS_MAX = 100_000;

export interface Pattern {
  /** True where the text matches, and where that would take too many steps to find out: the service checks it in any case. */
  test(text: string): boolean;
}

/** The pattern; null where it is no regular expression, looks around or back, or is too large: it then allows everything. */
export function readPattern(source: string): Pattern | null {
  if (source.length > SOURCE_MAX || !isExpression(source)) return null;
  const tree = parsePattern(source);
  const program = tree === null ? null : programOf(tree, STATES_MAX);
  return program && { test: (text) => search(program, text, STEPS_MAX).found ?? true };
}

function isExpression(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
}
