import { Failure } from './failure.js';

export interface Problem {
  readonly line: number;
  readonly field: string | null;
  readonly message: string;
  readonly form: 'of the field' | 'whole';
}

const SHOWN_MAX = 20;
const KEPT_MAX = 200;

export class Problems {
  readonly #keptProblems: Problem[] = [];
  #count = 0;
  #hasMore = false;

  get count(): number {
    return this.#count;
  }

  add(line: number, field: string | null, message: string, form: Problem['form'] = 'of the field'): void {
    this.#count += 1;
    if (this.#keptProblems.length < KEPT_MAX) this.#keptProblems.push({ line, field, message, form });
  }

  noteMore(): void {
    this.#hasMore = true;
  }

  throwIfAny(file: string, consequence = 'Nothing was sent.'): void {
    if (this.#count === 0) return;
    const problems = this.#keptProblems.toSorted((a, b) => a.line - b.line);
    const items = problems.slice(0, SHOWN_MAX).map(({ line, field, message, form }) => {
      return `line ${line}: ${field === null || form === 'whole' ? '' : `${field}: `}${message}`;
    });
    const hiddenCount = this.#count - items.length;
    const atLeast = this.#hasMore ? 'more than ' : '';
    if (hiddenCount > 0) items.push(`and ${atLeast}${hiddenCount} more`);
    else if (this.#hasMore) items.push('and more');
    const countText = this.#count === 1 ? '1 problem' : `${atLeast}${this.#count} problems`;
    const head = `${file} has ${countText}. ${consequence}`;
    throw new Failure('bad_file', head, {
      items,
      details: problems.map(({ line, field }) => ({
        field: field === null ? `line ${line}` : `line ${line} ${field}`,
        code: 'invalid',
      })),
    });
  }
}
