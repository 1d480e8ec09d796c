/** What is wrong with an input file, line by line: collected, so that all of it can be mended at once, and shown to a bound. */
import { Failure } from './failure.js';

export interface Problem {
  /** From 1. */
  readonly line: number;
  /** The column or body path; null where the line as a whole is wrong. */
  readonly field: string | null;
  readonly message: string;
  /** What is said of the field, or a sentence that stands without it. */
  readonly form: 'of the field' | 'whole';
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

  /** @param form `whole` for a message that says by itself which field is meant */
  add(line: number, field: string | null, message: string, form: Problem['form'] = 'of the field'): void {
    this.#count += 1;
    if (this.#kept.length < KEPT) this.#kept.push({ line, field, message, form });
  }

  /** There are more than were added: nobody counted them. */
  leaveOpen(): void {
    this.#isOpen = true;
  }

  /**
   * @param undone what this means for what was to be done
   * @throws Failure `bad_file` with line numbers, where there is anything wrong
   */
  throwIfAny(file: string, undone = 'Nothing was sent.'): void {
    if (this.#count === 0) return;
    const problems = this.#kept.toSorted((a, b) => a.line - b.line);
    const lines = problems.slice(0, SHOWN).map(({ line, field, message, form }) => {
      return `line ${line}: ${field === null || form === 'whole' ? '' : `${field}: `}${message}`;
    });
    const more = this.#count - lines.length;
    const atLeast = this.#isOpen ? 'more than ' : '';
    if (more > 0) lines.push(`and ${atLeast}${more} more`);
    else if (this.#isOpen) lines.push('and more');
    const count = this.#count === 1 ? '1 problem' : `${atLeast}${this.#count} problems`;
    const head = `${file} has ${count}. ${undone}`;
    throw new Failure('bad_file', head, {
      items: lines,
      details: problems.map(({ line, field }) => ({
        field: field === null ? `line ${line}` : `line ${line} ${field}`,
        code: 'invalid',
      })),
    });
  }
}
