/** What is wrong with an input file: line by line, or in rows that would pay somebody twice; collected, so that all of it can be mended at once. */
import { Failure } from '../../runtime/failure.js';
import type { BatchStore } from '../store/batch-store.js';
import type { ReferencePair } from '../store/row.js';

export interface Problem {
  /** From 1. */
  readonly line: number;
  /** The column or body path; null where the line as a whole is wrong. */
  readonly field: string | null;
  readonly message: string;
}

const SHOWN = 20;
const KEPT = 200;

export class Problems {
  readonly #kept: Problem[] = [];
  #count = 0;
  #isOpen = false;

  get count(): number {
    return this.#count;
  }

  add(line: number, field: string | null, message: string): void {
    this.#count += 1;
    if (this.#kept.length < KEPT) this.#kept.push({ line, field, message });
  }

  /** There are more than were added: nobody counted them. */
  leaveOpen(): void {
    this.#isOpen = true;
  }

  /** @throws Failure `bad_file` with line numbers, where there is anything wrong */
  throwIfAny(file: string): void {
    if (this.#count === 0) return;
    const problems = this.#kept.toSorted((a, b) => a.line - b.line);
    const lines = problems.slice(0, SHOWN).map(({ line, field, message }) => {
      return `line ${line}: ${field === null ? '' : `${field}: `}${message}`;
    });
    const more = this.#count - lines.length;
    const atLeast = this.#isOpen ? 'more than ' : '';
    if (more > 0) lines.push(`and ${atLeast}${more} more`);
    else if (this.#isOpen) lines.push('and more');
    const count = this.#count === 1 ? 'a problem' : `${atLeast}${this.#count} problems`;
    const head = `${file} has ${count}. Nothing was sent.`;
    throw new Failure('bad_file', head, {
      items: lines,
      details: problems.map(({ line, field }) => ({
        field: field === null ? `line ${line}` : `line ${line} ${field}`,
        code: 'invalid',
      })),
    });
  }
}

const PAIRS_SHOWN = 20;

/** @throws Failure `bad_file` for a reference that is there twice, or an account that gets the same amount twice */
export async function refusePairs(
  id: number,
  file: string,
  allowsDuplicates: boolean,
  store: BatchStore,
): Promise<void> {
  const problems = new Problems();
  const pairsOf = async (mark: 'reference' | 'twin'): Promise<readonly ReferencePair[]> => {
    const pairs = await store.pairs(id, mark, PAIRS_SHOWN + 1);
    if (pairs.length > PAIRS_SHOWN) problems.leaveOpen();
    return pairs.slice(0, PAIRS_SHOWN);
  };
  for (const pair of await pairsOf('reference')) {
    problems.add(
      pair.line,
      'reference',
      `${JSON.stringify(pair.reference)} is the one of line ${pair.otherLine} again`,
    );
  }
  if (!allowsDuplicates) {
    for (const pair of await pairsOf('twin')) {
      const text = `the same account and amount as line ${pair.otherLine}, under another reference (--allow-duplicates where that is meant)`;
      problems.add(pair.line, null, text);
    }
  }
  problems.throwIfAny(file);
}
