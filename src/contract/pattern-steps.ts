/** Runs a pattern over a text in steps that are counted: every state at once, so that their number grows as text times pattern and no faster. */
import type { Node } from './pattern.js';

/** What is done at one place; `next` are the places after it. */
interface State {
  readonly matches?: (unit: string) => boolean;
  readonly edge?: '^' | '$' | 'b' | 'B';
  next: number[];
}

/** The last state is the end of the pattern. */
export type PatternProgram = readonly State[];

/** The states of a pattern; null where there were more than `maxStates` of them. */
export function programOf(tree: Node, maxStates: number): PatternProgram | null {
  const states: State[] = [];
  // Repetitions are written out, empty ones too, so this counts what is done and not only what remains of it.
  let left = maxStates;
  const add = (state: State): number => states.push(state) - 1;
  /** Puts the node behind the state `from`, and answers the state behind the node. */
  const append = (node: Node, from: number): number => {
    if ((left -= 1) < 0) return from;
    const join = add({ next: [] });
    const link = (at: number, to: number): void => void states[at]?.next.push(to);
    if (node.kind === 'unit' || node.kind === 'edge') {
      link(
        from,
        add(
          node.kind === 'unit' ? { matches: node.matches, next: [join] } : { edge: node.edge, next: [join] },
        ),
      );
    } else if (node.kind === 'choice') {
      for (const part of node.parts) link(append(part, from), join);
    } else if (node.kind === 'sequence') {
      link(
        node.parts.reduce((at, part) => append(part, at), from),
        join,
      );
    } else {
      let at = from;
      for (let count = 0; count < node.min && left >= 0; count += 1) at = append(node.part, at);
      if (node.max === Infinity) {
        // The loop has a place of its own: what comes before it must not be entered again.
        const loop = add({ next: [] });
        link(at, loop);
        link(append(node.part, loop), loop);
        at = loop;
      } else {
        for (let count = node.min; count < node.max && left >= 0; count += 1) {
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
  return left < 0 ? null : states;
}

/**
 * Whether the pattern is anywhere in the text, and how many steps it took; `found` is null where they ran out.
 * @param maxSteps a step looks at one state at one place of the text
 */
export function search(
  program: PatternProgram,
  text: string,
  maxSteps: number,
): { found: boolean | null; steps: number } {
  const end = program.length - 1;
  const seenAt = new Int32Array(program.length).fill(-1);
  let steps = 0;
  let current: number[] = [];
  for (let at = 0; at <= text.length; at += 1) {
    // A match may begin anywhere.
    const open = [...current, 0];
    const after: number[] = [];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      steps += 1;
      if (steps > maxSteps) return { found: null, steps };
      if (seenAt[state] === at) continue;
      seenAt[state] = at;
      if (state === end) return { found: true, steps };
      const { matches, edge, next } = program[state] ?? { next: [] };
      if (matches !== undefined) {
        if (at < text.length && matches(text.charAt(at))) after.push(...next);
      } else if (edge === undefined || isEdge(edge, text, at)) open.push(...next);
    }
    current = after;
  }
  return { found: false, steps };
}

function isEdge(edge: '^' | '$' | 'b' | 'B', text: string, at: number): boolean {
  if (edge === '^') return at === 0;
  if (edge === '$') return at === text.length;
  const isBoundary = isWord(text.charAt(at - 1)) !== isWord(text.charAt(at));
  return isBoundary === (edge === 'b');
}

function isWord(unit: string): boolean {
  return /^\w$/.test(unit);
}
