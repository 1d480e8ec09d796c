/** The catalog's patterns run in a limited number of steps, because they may be hostile. */

const SOURCE_MAX_CHARACTERS = 1000;
const STATES_MAX = 4000;
const STEPS_MAX = 100_000;
const WAYS_MAX = 100;

export interface Pattern {
  /** Also true if the steps run out, because the service checks the text in any case. */
  test(text: string): boolean;
}

export function readPattern(source: string): Pattern | null {
  if (source.length > SOURCE_MAX_CHARACTERS || !isExpression(source)) return null;
  const tree = parsePattern(source);
  const program = tree === null ? null : programOf(tree, STATES_MAX);
  if (tree === null || program === null) return null;
  if (isAtStart(tree) && waysThrough(tree) <= WAYS_MAX) return new RegExp(source);
  return { test: (text) => search(program, text, STEPS_MAX).isFound ?? true };
}

function isAtStart(tree: Node): boolean {
  const first = tree.kind === 'sequence' ? tree.parts[0] : undefined;
  return first?.kind === 'edge' && first.edge === '^';
}

/** JavaScript's own engine may try each way through a pattern, so it is safe, and faster, where these are few. */
function waysThrough(node: Node): number {
  if (node.kind === 'unit' || node.kind === 'edge') return 1;
  if (node.kind === 'sequence') return node.parts.reduce((ways, part) => ways * waysThrough(part), 1);
  if (node.kind === 'choice') return node.parts.reduce((ways, part) => ways + waysThrough(part), 0);
  const partWays = waysThrough(node.part);
  let ways = 0;
  for (let count = node.min; count <= node.max && ways <= WAYS_MAX; count += 1) ways += partWays ** count;
  return ways;
}

function isExpression(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
}

export type Node =
  | { readonly kind: 'unit'; readonly matches: (unit: string) => boolean }
  | { readonly kind: 'edge'; readonly edge: '^' | '$' | 'b' | 'B' }
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly min: number; readonly max: number };

const GROUP_START = /\((?:\?(?::|<[A-Za-z_$][\w$]*>))?/y;
const ATOM =
  /\[(?:[^\]\\]|\\[^])*\]|\\(?:[dDwWsStnvfr]|0(?![0-9])|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|c[A-Za-z]|[^A-Za-z0-9])|[^\\()[\]{}|*+?^$]/y;
const QUANTIFIER = /(?:[*+?]|\{([0-9]{1,4})(?:(,)([0-9]{1,4})?)?\})\??/y;

export function parsePattern(source: string): Node | null {
  const reader = { source, at: 0 };
  const tree = parseChoice(reader);
  return reader.at === source.length ? tree : null;
}

interface Reader {
  readonly source: string;
  at: number;
}

function takeToken(reader: Reader, token: RegExp): RegExpExecArray | null {
  token.lastIndex = reader.at;
  const match = token.exec(reader.source);
  if (match !== null) reader.at += match[0].length;
  return match;
}

function parseChoice(reader: Reader): Node | null {
  const parts: Node[] = [];
  for (;;) {
    const part = parseSequence(reader);
    if (part === null) return null;
    parts.push(part);
    if (reader.source[reader.at] !== '|') return parts.length === 1 ? part : { kind: 'choice', parts };
    reader.at += 1;
  }
}

function parseSequence(reader: Reader): Node | null {
  const parts: Node[] = [];
  while (reader.at < reader.source.length && !'|)'.includes(reader.source.charAt(reader.at))) {
    const edge = takeToken(reader, /[$^]|\\[bB]/y)?.[0].at(-1) as '^' | '$' | 'b' | 'B' | undefined;
    const part: Node | null = edge === undefined ? parseAtom(reader) : { kind: 'edge', edge };
    const node = part === null ? null : parseRepetition(reader, part);
    if (node === null) return null;
    parts.push(node);
  }
  return { kind: 'sequence', parts };
}

function parseAtom(reader: Reader): Node | null {
  if (reader.source[reader.at] === '(') {
    if (takeToken(reader, GROUP_START) === null || reader.source[reader.at] === '?') return null;
    const inner = parseChoice(reader);
    return takeToken(reader, /\)/y) === null ? null : inner;
  }
  const source = takeToken(reader, ATOM)?.[0];
  if (source === undefined) return null;
  // JavaScript's own engine is safe here, because a pattern for one character cannot backtrack.
  const unit = new RegExp(`^${source}$`);
  return { kind: 'unit', matches: (text) => unit.test(text) };
}

function parseRepetition(reader: Reader, part: Node): Node | null {
  const quantifier = takeToken(reader, QUANTIFIER);
  if (quantifier === null) return part;
  if (part.kind === 'edge') return null;
  const [text, least = '', comma, most] = quantifier;
  if (least === '') {
    const [min, max] = [text.startsWith('+') ? 1 : 0, text.startsWith('?') ? 1 : Infinity];
    return { kind: 'repeat', part, min, max };
  }
  const min = Number(least);
  const max = comma === undefined ? min : Number(most ?? Infinity);
  return { kind: 'repeat', part, min, max };
}

interface State {
  readonly matches?: (unit: string) => boolean;
  readonly edge?: '^' | '$' | 'b' | 'B';
  next: number[];
}

export function programOf(tree: Node, maxStates: number): readonly State[] | null {
  const states: State[] = [];
  let budget = maxStates;
  const add = (state: State): number => states.push(state) - 1;
  const append = (node: Node, from: number): number => {
    if ((budget -= 1) < 0) return from;
    const join = add({ next: [] });
    const link = (at: number, to: number): void => void states[at]?.next.push(to);
    if (node.kind === 'unit') {
      link(from, add({ matches: node.matches, next: [join] }));
    } else if (node.kind === 'edge') {
      link(from, add({ edge: node.edge, next: [join] }));
    } else if (node.kind === 'choice') {
      for (const part of node.parts) link(append(part, from), join);
    } else if (node.kind === 'sequence') {
      const last = node.parts.reduce((at, part) => append(part, at), from);
      link(last, join);
    } else {
      let at = from;
      for (let count = 0; count < node.min && budget >= 0; count += 1) at = append(node.part, at);
      if (node.max === Infinity) {
        const loop = add({ next: [] });
        link(at, loop);
        link(append(node.part, loop), loop);
        at = loop;
      } else {
        for (let count = node.min; count < node.max && budget >= 0; count += 1) {
          link(at, join);
          at = append(node.part, at);
        }
      }
      link(at, join);
    }
    return join;
  };
  const start = add({ next: [] });
  const end = append(tree, start);
  states[end]?.next.push(add({ next: [] }));
  return budget < 0 ? null : states;
}

export function search(
  program: readonly State[],
  text: string,
  maxSteps: number,
): { isFound: boolean | null; steps: number } {
  const end = program.length - 1;
  const seenAt = new Int32Array(program.length).fill(-1);
  let steps = 0;
  let states: number[] = [];
  for (let at = 0; at <= text.length; at += 1) {
    const stack = [...states, 0];
    const nextStates: number[] = [];
    for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
      steps += 1;
      if (steps > maxSteps) return { isFound: null, steps };
      if (seenAt[state] === at) continue;
      seenAt[state] = at;
      if (state === end) return { isFound: true, steps };
      const { matches, edge, next } = program[state] ?? { next: [] };
      if (matches !== undefined) {
        if (at < text.length && matches(text.charAt(at))) nextStates.push(...next);
      } else if (edge === undefined || isEdge(edge, text, at)) stack.push(...next);
    }
    states = nextStates;
  }
  return { isFound: false, steps };
}

function isEdge(edge: '^' | '$' | 'b' | 'B', text: string, at: number): boolean {
  if (edge === '^') return at === 0;
  if (edge === '$') return at === text.length;
  const isWord = (unit: string): boolean => /^\w$/.test(unit);
  const isBoundary = isWord(text.charAt(at - 1)) !== isWord(text.charAt(at));
  return isBoundary === (edge === 'b');
}
