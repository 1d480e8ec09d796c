/** Decides which rows of a mirror count: all rows of a machine's own mirror, and in a shared one those that the service confirms. */
import { isUuid } from '../contract/notation.js';
import { type Direction, isFinal } from '../contract/operation.js';
import {
  matchesPayment,
  type StoredPayment,
  type KnownOperation,
  type OperationFacts,
} from '../contract/operation-facts.js';
import { foldReference } from '../contract/reference.js';
import type { Mirror } from './mirror.js';

/** Decisions about money read this and not the mirror itself. Its methods reject like those of the mirror, and with errors of `Proving.read`. */
export interface ProvedMirror {
  /** Like `Mirror.ofReferences`. @param storePayments by folded reference: if the mirror says the same as a store, the service is not asked */
  ofReferences(
    direction: Direction,
    folded: readonly string[],
    storePayments?: ReadonlyMap<string, readonly StoredPayment[]>,
  ): Promise<ReadonlyMap<string, readonly OperationFacts[]>>;
  /** Like `Mirror.ofIds`. */
  ofIds(ids: readonly string[]): Promise<ReadonlyMap<string, OperationFacts>>;
  /** From now on reads pending operations again, because they may have ended. */
  forgetPending(): void;
}

/** How to check a mirror that others can write in against the service. */
export interface Proving {
  /** Reads an operation by its id; null if the service says that there is none. @throws if the answer is neither */
  readonly read: (id: string) => Promise<OperationFacts | null>;
  /** The number of parallel reads. */
  readonly concurrency: number;
  /** Called once for each operation of the mirror that does not count. @param why a clause */
  readonly onIgnored: (operation: KnownOperation, why: string) => Promise<void>;
}

/** A row of the mirror. `folded` is its folded reference; null if the row has no reference. */
interface FoundRow {
  readonly operation: KnownOperation;
  readonly folded: string | null;
}

/** The number of reads that one command remembers, in 20 MB at most. Older ones are read again. */
const REMEMBERED_MAX = 50_000;

/** The facts of an operation that can't be read, because its id fits into no path. It may be a payment, so it blocks a create but settles nothing. */
const UNPROVED_FACTS = { status: 'unproved', amount: null, currency: null, createdAtMs: null } as const;

/** Makes the mirror that decisions read. @param proving null for a mirror that only this machine can write in */
export function provedMirror(
  mirror: Pick<Mirror, 'ofReferences' | 'ofIds'>,
  proving: Proving | null,
  rememberedMax = REMEMBERED_MAX,
): ProvedMirror {
  return proving === null
    ? {
        ofReferences: (direction, folded) => mirror.ofReferences(direction, folded),
        ofIds: (ids) => mirror.ofIds(ids),
        forgetPending: () => undefined,
      }
    : new SharedMirror(mirror, proving, rememberedMax);
}

class SharedMirror implements ProvedMirror {
  /** The service's answers by id; null if it has no such operation. */
  readonly #answers = new Map<string, OperationFacts | null>();
  readonly #ignored = new Set<string>();

  constructor(
    private readonly mirror: Pick<Mirror, 'ofReferences' | 'ofIds'>,
    private readonly proving: Proving,
    private readonly rememberedMax: number,
  ) {}

  async ofReferences(
    direction: Direction,
    folded: readonly string[],
    storePayments: ReadonlyMap<string, readonly StoredPayment[]> = new Map(),
  ): Promise<ReadonlyMap<string, readonly OperationFacts[]>> {
    const entries = await this.mirror.ofReferences(direction, folded);
    for (const [reference, operations] of entries)
      for (const operation of operations)
        if (storePayments.get(reference)?.some((one) => saysTheSame(one, operation)) === true)
          this.#remember(operation.id, { ...operation, reference });
    const rows = [...entries].flatMap(([reference, operations]) =>
      operations.map((operation) => ({ operation, folded: reference })),
    );
    const proved = await this.#prove(rows);
    return new Map(
      [...entries].map(([reference, operations]) => [
        reference,
        operations.flatMap((operation) => proved.get(operation) ?? []),
      ]),
    );
  }

  async ofIds(ids: readonly string[]): Promise<ReadonlyMap<string, OperationFacts>> {
    const entries = await this.mirror.ofIds(ids);
    const rows = [...entries.values()].map((operation) => ({
      operation,
      folded: operation.reference === null ? null : foldReference(operation.reference),
    }));
    const proved = await this.#prove(rows);
    return new Map(
      [...entries].flatMap(([id, operation]) => {
        const claims = proved.get(operation);
        return claims === undefined ? [] : [[id, claims] as const];
      }),
    );
  }

  forgetPending(): void {
    for (const [id, claims] of this.#answers)
      if (claims === null || !isFinal(claims.status)) this.#answers.delete(id);
  }

  /** Maps the rows that count to their facts. */
  async #prove(rows: readonly FoundRow[]): Promise<ReadonlyMap<KnownOperation, OperationFacts>> {
    const proved = new Map<KnownOperation, OperationFacts>();
    const queue = [...rows];
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const claims = await this.#proofOf(next);
        if (claims !== null) proved.set(next.operation, claims);
      }
    };
    const atOnce = Math.min(this.proving.concurrency, rows.length);
    const works = Array.from({ length: atOnce }, () =>
      work().catch((error: unknown) => {
        // The other workers stop after their present row.
        queue.length = 0;
        throw error;
      }),
    );
    await Promise.all(works);
    return proved;
  }

  async #proofOf(row: FoundRow): Promise<OperationFacts | null> {
    const { operation } = row;
    const { id } = operation;
    if (!isUuid(id)) return { ...operation, ...UNPROVED_FACTS };
    const known = this.#answers.get(id);
    const claims = known === undefined ? await this.proving.read(id) : known;
    this.#remember(id, claims);
    const why = claims === null ? 'the service has no operation with that id' : differenceOf(row, claims);
    // The service's present status decides between two ends, unless it is `failed`: then the other end said that somebody was paid.
    const ends = operation.ends === 'both' && claims?.status !== 'failed' ? undefined : operation.ends;
    if (why === null && claims !== null) return { ...claims, id, ends };
    if (!this.#ignored.has(id)) await this.proving.onIgnored(operation, why ?? '');
    this.#ignored.add(id);
    return null;
  }

  #remember(id: string, claims: OperationFacts | null): void {
    this.#answers.set(id, claims);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > this.rememberedMax && oldest !== undefined) this.#answers.delete(oldest);
  }
}

function saysTheSame(payment: StoredPayment, operation: KnownOperation): boolean {
  const { id, status, direction, createdAtMs } = operation;
  if (payment.operation !== id || payment.status !== status || !isFinal(status)) return false;
  return payment.operationAtMs === createdAtMs && matchesPayment({ ...payment, direction }, operation);
}

/** Says why the service's operation is another one than the mirror's; null if they may be the same. */
function differenceOf(
  { operation, folded }: FoundRow,
  { reference, direction }: OperationFacts,
): string | null {
  if (direction !== null && direction !== operation.direction) return `the service says it is a ${direction}`;
  const saidReference = reference === null ? null : foldReference(reference);
  return saidReference === folded ? null : 'the service says it has another reference';
}
