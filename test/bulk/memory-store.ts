/** A store of batches in memory: what another database has to do, in the fewest words. Each call is one commit. */
import type {
  Batch,
  BatchFacts,
  BatchStore,
  BatchTotals,
  Claim,
  ClaimedRow,
  Decided,
  Holder,
  Pair,
  PlannedRow,
  RowResult,
  ShownRow,
} from '../../src/bulk/store/batch-store.js';
import type { DroppedBodies } from '../../src/bulk/store/body-store.js';
import type { RowState } from '../../src/bulk/row-state.js';

interface Kept extends PlannedRow, RowResult {
  readonly number: number;
  readonly generation: number;
  readonly hasBody: boolean;
}

interface KeptBatch {
  readonly facts: BatchFacts;
  totals: BatchTotals | null;
  confirmedAtMs: number | null;
  sweptAtMs: number | null;
  readonly rows: Kept[];
  readonly decisions: Decided[];
}

export class MemoryStore implements BatchStore {
  readonly batches = new Map<number, KeptBatch>();
  #last = 0;

  #rows(batch: number): Kept[] {
    const kept = this.batches.get(batch);
    if (kept === undefined) throw new Error(`no batch ${batch}`);
    return kept.rows;
  }

  begin(facts: BatchFacts): Promise<number> {
    for (const [id, kept] of this.batches)
      if (kept.totals === null && kept.facts.name === facts.name) this.batches.delete(id);
    this.#last += 1;
    this.batches.set(this.#last, {
      facts,
      totals: null,
      confirmedAtMs: null,
      sweptAtMs: null,
      rows: [],
      decisions: [],
    });
    return Promise.resolve(this.#last);
  }

  add(batch: number, rows: readonly PlannedRow[]): Promise<void> {
    const fresh = {
      state: 'planned',
      sentAtMs: null,
      operation: null,
      code: null,
      detail: null,
      generation: 0,
      hasBody: true,
    } as const;
    for (const row of rows) this.#rows(batch).push({ ...row, ...fresh });
    return Promise.resolve();
  }

  pairs(batch: number, mark: 'reference' | 'twin', limit: number): Promise<Pair[]> {
    const name = mark === 'reference' ? 'referenceMark' : 'twinMark';
    const rows = this.#rows(batch);
    const pairs = rows.flatMap((row): Pair[] => {
      const first = rows.find((other) => Buffer.compare(other[name], row[name]) === 0);
      const isSame = first === undefined || first === row;
      if (isSame || (mark === 'twin' && Buffer.compare(first.referenceMark, row.referenceMark) === 0))
        return [];
      return [pairOf(row, first, '')];
    });
    return Promise.resolve(pairs.slice(0, limit));
  }

  repeats(batch: number, limit: number): Promise<Pair[]> {
    const mine = this.batches.get(batch);
    const pairs = [...this.batches].flatMap(([id, other]) => {
      const isSame = (['environment', 'address', 'direction'] as const).every(
        (name) => other.facts[name] === mine?.facts[name],
      );
      if (id === batch || other.totals === null || !isSame) return [];
      const open = other.rows.filter(({ state }) => !['failed', 'rejected', 'conflict'].includes(state));
      return this.#rows(batch).flatMap((row) =>
        open.filter((row2) => isTwin(row, row2)).map((row2) => pairOf(row, row2, other.facts.name)),
      );
    });
    return Promise.resolve(pairs.slice(0, limit));
  }

  finish(batch: number, totals: BatchTotals): Promise<void> {
    const kept = this.batches.get(batch);
    if (kept !== undefined) kept.totals = totals;
    return Promise.resolve();
  }

  discard(batch: number): Promise<void> {
    this.batches.delete(batch);
    return Promise.resolve();
  }

  confirm(batch: number, nowMs: number): Promise<void> {
    const kept = this.batches.get(batch);
    if (kept !== undefined) kept.confirmedAtMs = nowMs;
    return Promise.resolve();
  }

  async find(name: string): Promise<Batch | null> {
    return (await this.list()).find((batch) => batch.name === name) ?? null;
  }

  list(): Promise<Batch[]> {
    const ready = [...this.batches].flatMap(([id, { facts, totals, confirmedAtMs }]) =>
      totals === null ? [] : [{ ...facts, ...totals, id, confirmedAtMs }],
    );
    return Promise.resolve(ready);
  }

  exchange(batch: number, results: readonly RowResult[], claim: Claim | null): Promise<ClaimedRow[]> {
    const rows = this.#rows(batch);
    for (const result of results) rows[result.number] = { ...rows[result.number]!, ...result };
    if (claim === null) return Promise.resolve([]);
    const taken = this.#select(batch, claim, claim.nowMs);
    for (const { number, sentAtMs } of taken)
      rows[number] = { ...rows[number]!, state: this.claimedState, sentAtMs };
    return Promise.resolve(taken);
  }

  /** What a row stands at once it is taken; a broken variant marks it otherwise. */
  protected readonly claimedState: RowState = 'intent';

  #select(batch: number, { after, count, states }: Omit<Claim, 'nowMs'>, nowMs: number): ClaimedRow[] {
    return this.#rows(batch)
      .filter(({ number, state }) => number > after && states.includes(state))
      .slice(0, count)
      .map((row) => ({
        ...row,
        body: Buffer.from(row.body),
        before: row.state,
        sentAtMs: row.sentAtMs ?? nowMs,
      }));
  }

  rows(batch: number, after: number, count: number, states?: readonly RowState[]): Promise<ShownRow[]> {
    const rows = this.#rows(batch).filter(
      ({ number, state }) => number > after && (states?.includes(state) ?? true),
    );
    return Promise.resolve(rows.slice(0, count));
  }

  peek(batch: number, claim: Omit<Claim, 'nowMs'>): Promise<ClaimedRow[]> {
    return Promise.resolve(this.#select(batch, claim, 0));
  }

  renew(batch: number, renewed: Parameters<BatchStore['renew']>[1]): Promise<void> {
    const fresh = { state: 'planned', sentAtMs: null, operation: null, code: null, detail: null } as const;
    const rows = this.#rows(batch);
    for (const row of renewed) rows[row.number] = { ...rows[row.number]!, ...row, ...fresh };
    return Promise.resolve();
  }

  decide(batch: number, result: RowResult, decided: Omit<Decided, 'generation'>): Promise<void> {
    const row = this.#rows(batch)[result.number];
    if (row?.state !== 'needs_review') return Promise.reject(new Error('the row waits for nobody'));
    this.#rows(batch)[result.number] = { ...row, ...result };
    this.batches.get(batch)?.decisions.push({ ...decided, generation: row.generation });
    return Promise.resolve();
  }

  decisions(batch: number): Promise<Decided[]> {
    return Promise.resolve([...(this.batches.get(batch)?.decisions ?? [])]);
  }

  holders(operation: string): Promise<Holder[]> {
    const holders = [...this.batches.values()].flatMap(({ facts, rows }) =>
      rows
        .filter((row) => row.operation === operation && row.state !== 'needs_review')
        .map(({ line }) => ({ batch: facts.name, line })),
    );
    return Promise.resolve(holders);
  }

  dropBodies(
    batch: number,
    states: readonly RowState[],
    after: number,
    count: number,
  ): Promise<DroppedBodies> {
    const rows = this.#rows(batch);
    const range = rows.filter(({ number, hasBody }) => hasBody && number > after).slice(0, count);
    const mine = range.filter(({ state }) => states.includes(state));
    for (const { number } of mine) rows[number] = { ...rows[number]!, hasBody: false };
    return Promise.resolve({ dropped: mine.length, last: range.at(-1)?.number ?? null });
  }

  unswept(plannedBeforeMs: number, sweptUntilMs: number): Promise<number[]> {
    const isDue = ({ facts, totals, sweptAtMs }: KeptBatch): boolean =>
      totals !== null && facts.createdAtMs < plannedBeforeMs && (sweptAtMs ?? -Infinity) <= sweptUntilMs;
    return Promise.resolve([...this.batches].filter(([, kept]) => isDue(kept)).map(([id]) => id));
  }

  swept(batch: number, nowMs: number): Promise<void> {
    const kept = this.batches.get(batch);
    if (kept !== undefined) kept.sweptAtMs = nowMs;
    return Promise.resolve();
  }

  dropPlans(beforeMs: number): Promise<void> {
    for (const [id, { facts, totals }] of this.batches)
      if (totals === null && facts.createdAtMs < beforeMs) this.batches.delete(id);
    return Promise.resolve();
  }

  lacksBodies(batch: number, states: readonly RowState[]): Promise<boolean> {
    return Promise.resolve(
      this.#rows(batch).some(({ state, hasBody }) => !hasBody && states.includes(state)),
    );
  }

  tally(batch: number): ReturnType<BatchStore['tally']> {
    const entries = this.#rows(batch).map(({ currency, state, minor }) => ({
      currency,
      state,
      rows: 1,
      minor,
    }));
    return Promise.resolve(entries);
  }

  largest(batch: number, count: number): Promise<ShownRow[]> {
    const rows = this.#rows(batch).toSorted((a, b) =>
      b.minor > a.minor ? 1 : b.minor < a.minor ? -1 : a.number - b.number,
    );
    return Promise.resolve(rows.slice(0, count));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function isTwin(a: PlannedRow, b: PlannedRow): boolean {
  return (
    Buffer.compare(a.referenceMark, b.referenceMark) === 0 && Buffer.compare(a.twinMark, b.twinMark) === 0
  );
}

function pairOf(row: PlannedRow, other: PlannedRow, otherBatch: string): Pair {
  const { line, reference } = row;
  return { line, reference, otherLine: other.line, otherReference: other.reference, otherBatch };
}
