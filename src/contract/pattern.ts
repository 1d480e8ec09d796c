/**
 * The patterns of a catalog, read into a tree: they come from the service, so a hostile one may cost no more than a bounded number of
 * steps.
 */
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

export type Node =
  /** One UTF-16 unit that the expression, which is one atom, matches. */
  | { readonly kind: 'unit'; readonly matches: (unit: string) => boolean }
  | { readonly kind: 'edge'; readonly edge: '^' | '$' | 'b' | 'B' }
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly parts: readonly Node[] }
  /** `max` is Infinity where there is no end. */
  | { readonly kind: 'repeat'; readonly part: Node; readonly min: number; readonly max: number };

const GROUP = /\((?:\?(?::|<[A-Za-z_$][\w$]*>))?/y;
/** A class, an escape of one unit, any unit, or a unit that stands for itself. Not \1 (back), \k, \p, and what only looks like them. */
const ATOM =
  /\[(?:[^\]\\]|\\[^])*\]|\\(?:[dDwWsStnvfr]|0(?![0-9])|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|c[A-Za-z]|[^A-Za-z0-9])|[^\\()[\]{}|*+?^$]/y;
const QUANTIFIER = /(?:[*+?]|\{([0-9]{1,4})(?:(,)([0-9]{1,4})?)?\})\??/y;

/** Of what stands there; null where it is no regular expression, or one that looks around or back. */
export function parsePattern(source: string): Node | null {
  const reader = { source, at: 0 };
  const tree = choice(reader);
  return reader.at === source.length ? tree : null;
}

interface Reader {
  readonly source: string;
  at: number;
}

function take(reader: Reader, what: RegExp): RegExpExecArray | null {
  what.lastIndex = reader.at;
  const found = what.exec(reader.source);
  if (found !== null) reader.at += found[0].length;
  return found;
}

function choice(reader: Reader): Node | null {
  const parts: Node[] = [];
  for (;;) {
    const part = sequence(reader);
    if (part === null) return null;
    parts.push(part);
    if (reader.source[reader.at] !== '|') return parts.length === 1 ? part : { kind: 'choice', parts };
    reader.at += 1;
  }
}

function sequence(reader: Reader): Node | null {
  const parts: Node[] = [];
  while (reader.at < reader.source.length && !'|)'.includes(reader.source.charAt(reader.at))) {
    const edge = take(reader, /[$^]|\\[bB]/y)?.[0].at(-1) as '^' | '$' | 'b' | 'B' | undefined;
    const part: Node | null = edge === undefined ? atom(reader) : { kind: 'edge', edge };
    const repeated = part === null ? null : repetition(reader, part);
    if (repeated === null) return null;
    parts.push(repeated);
  }
  return { kind: 'sequence', parts };
}

function atom(reader: Reader): Node | null {
  if (reader.source[reader.at] === '(') {
    if (take(reader, GROUP) === null || reader.source[reader.at] === '?') return null;
    const inner = choice(reader);
    return take(reader, /\)/y) === null ? null : inner;
  }
  const found = take(reader, ATOM)?.[0];
  if (found === undefined) return null;
  // One atom and one unit: nothing to go back over.
  const unit = new RegExp(`^${found}$`);
  return { kind: 'unit', matches: (text) => unit.test(text) };
}

function repetition(reader: Reader, part: Node): Node | null {
  const found = take(reader, QUANTIFIER);
  if (found === null) return part;
  if (part.kind === 'edge') return null;
  const [text, least = '', comma, most] = found;
  if (least === '')
    return {
      kind: 'repeat',
      part,
      min: text.startsWith('+') ? 1 : 0,
      max: text.startsWith('?') ? 1 : Infinity,
    };
  const min = Number(least);
  const max = comma === undefined ? min : Number(most ?? Infinity);
  return { kind: 'repeat', part, min, max };
}
