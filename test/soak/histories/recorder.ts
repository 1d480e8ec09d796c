import type { LedgerWatch, PaidOperation } from '../state/ledger.js';
import { SHARED, type Happening, type History } from './judge.js';

export interface ShownRow {
  readonly reference: string;
  readonly state: string;
  readonly operation: string | null;
}

export class Recorder implements LedgerWatch {
  readonly #history: Happening[] = [];
  readonly #last = new Map<string, Map<string, string>>();
  readonly #paid = new Set<string>();

  get history(): History {
    return this.#history;
  }

  get length(): number {
    return this.#history.length;
  }

  get paidReferences(): number {
    return this.#paid.size;
  }

  isPaid(reference: string): boolean {
    return this.#paid.has(reference);
  }

  sent(reference: string, key: string): void {
    this.#history.push({ kind: 'sent', reference, key });
  }

  paid({ reference, amount, id }: PaidOperation): void {
    this.#paid.add(reference);
    this.#history.push({ kind: 'paid', reference, amount, operation: id });
  }

  rows(store: string, book: string, rows: readonly ShownRow[]): void {
    const last = this.#last.get(store) ?? new Map<string, string>();
    this.#last.set(store, last);
    for (const { reference, state, operation } of rows) {
      const name = `${book}, ${reference}`;
      const said = `${state} ${operation ?? ''}`;
      if (last.get(name) === said) continue;
      last.set(name, said);
      this.#history.push({ kind: 'row', store, book, reference, state, operation });
    }
  }

  summary(store: string, stdout: string, began: number): void {
    const facts = parsed(stdout);
    const { batch, confirmed, earlier } = facts;
    if (typeof batch !== 'string' || typeof confirmed !== 'number' || typeof earlier !== 'number') return;
    this.#history.push({ kind: 'status', store, book: batch, settled: confirmed + earlier, began });
  }

  befell(what: string): void {
    this.#history.push({ kind: 'befell', what });
  }

  forgot(): void {
    this.#last.delete(SHARED);
    this.#history.push({ kind: 'forgot', store: SHARED });
  }

  ended(book: string, said: string | null): void {
    this.#history.push({ kind: 'ended', book, said });
  }
}

export function parsed(stdout: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(stdout);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
