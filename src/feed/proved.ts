/** A row of a shared mirror counts only if the service confirms it, because other machines can write to the mirror. */
import { isUuid } from '../contract/notation.js';
import { type Direction, isFinal } from '../contract/operation.js';
import {
  matchesPayment,
  type StoredPayment,
  type KnownOperation,
  type OperationFacts,
} from '../contract/operation-facts.js';
import { foldReference } from '../contract/reference.js';
import type { Mirror } from '../storage/mirror/mirror.js';

export interface ProvedMirror {
  ofReferences(
    direction: Direction,
    foldedReferences: readonly string[],
    storePayments?: ReadonlyMap<string, readonly StoredPayment[]>,
  ): Promise<ReadonlyMap<string, readonly OperationFacts[]>>;
  ofIds(ids: readonly string[]): Promise<ReadonlyMap<string, OperationFacts>>;
  forgetPending(): void;
}

export interface Proving {
  readonly read: (id: string) => Promise<OperationFacts | null>;
  readonly concurrency: number;
  readonly onIgnored: (operation: KnownOperation, why: string) => Promise<void>;
}

interface MirrorRow {
  readonly operation: KnownOperation;
  readonly folded: string | null;
}

const REMEMBERED_MAX = 50_000;

/** An operation whose id is no uuid blocks a create, because svc cannot read it and it may be a payment. */
const UNPROVED_FACTS = { status: 'unproved', amount: null, currency: null, createdAtMs: null } as const;

export function proveMirror(
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
  readonly #answers = new Map<string, OperationFacts | null>();
  readonly #ignoredIds = new Set<string>();

  constructor(
    private readonly mirror: Pick<Mirror, 'ofReferences' | 'ofIds'>,
    private readonly proving: Proving,
    private readonly rememberedMax: number,
  ) {}

  async ofReferences(
    direction: Direction,
    foldedReferences: readonly string[],
    storePayments: ReadonlyMap<string, readonly StoredPayment[]> = new Map(),
  ): Promise<ReadonlyMap<string, readonly OperationFacts[]>> {
    const entries = await this.mirror.ofReferences(direction, foldedReferences);
    for (const [reference, operations] of entries)
      for (const operation of operations)
        if (storePayments.get(reference)?.some((payment) => equalsStored(payment, operation)) === true)
          this.#remember(operation.id, { ...operation, reference });
    const rows = [...entries].flatMap(([reference, operations]) =>
      operations.map((operation) => ({ operation, folded: reference })),
    );
    const provedFacts = await this.#prove(rows);
    return new Map(
      [...entries].map(([reference, operations]) => [
        reference,
        operations.flatMap((operation) => provedFacts.get(operation) ?? []),
      ]),
    );
  }

  async ofIds(ids: readonly string[]): Promise<ReadonlyMap<string, OperationFacts>> {
    const entries = await this.mirror.ofIds(ids);
    const rows = [...entries.values()].map((operation) => ({
      operation,
      folded: operation.reference === null ? null : foldReference(operation.reference),
    }));
    const provedFacts = await this.#prove(rows);
    return new Map(
      [...entries].flatMap(([id, operation]) => {
        const serviceFacts = provedFacts.get(operation);
        return serviceFacts === undefined ? [] : [[id, serviceFacts] as const];
      }),
    );
  }

  forgetPending(): void {
    for (const [id, serviceFacts] of this.#answers)
      if (serviceFacts === null || !isFinal(serviceFacts.status)) this.#answers.delete(id);
  }

  async #prove(rows: readonly MirrorRow[]): Promise<ReadonlyMap<KnownOperation, OperationFacts>> {
    const provedFacts = new Map<KnownOperation, OperationFacts>();
    const queue = [...rows];
    const proveQueue = async (): Promise<void> => {
      for (let row = queue.shift(); row !== undefined; row = queue.shift()) {
        const facts = await this.#proofOf(row);
        if (facts !== null) provedFacts.set(row.operation, facts);
      }
    };
    const readerCount = Math.min(this.proving.concurrency, rows.length);
    const readers = Array.from({ length: readerCount }, () =>
      proveQueue().catch((error: unknown) => {
        queue.length = 0;
        throw error;
      }),
    );
    await Promise.all(readers);
    return provedFacts;
  }

  async #proofOf(row: MirrorRow): Promise<OperationFacts | null> {
    const { operation } = row;
    const { id } = operation;
    if (!isUuid(id)) return { ...operation, ...UNPROVED_FACTS };
    const cachedAnswer = this.#answers.get(id);
    const serviceFacts = cachedAnswer === undefined ? await this.proving.read(id) : cachedAnswer;
    this.#remember(id, serviceFacts);
    const why =
      serviceFacts === null ? 'the service has no operation with that id' : differenceOf(row, serviceFacts);
    // A `failed` answer settles no contradiction, because one event said that somebody was paid.
    const ends = operation.ends === 'both' && serviceFacts?.status !== 'failed' ? undefined : operation.ends;
    if (why === null && serviceFacts !== null) return { ...serviceFacts, id, ends };
    if (!this.#ignoredIds.has(id)) await this.proving.onIgnored(operation, why ?? '');
    this.#ignoredIds.add(id);
    return null;
  }

  #remember(id: string, serviceFacts: OperationFacts | null): void {
    this.#answers.set(id, serviceFacts);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > this.rememberedMax && oldest !== undefined) this.#answers.delete(oldest);
  }
}

function equalsStored(payment: StoredPayment, operation: KnownOperation): boolean {
  const { id, status, direction, createdAtMs } = operation;
  if (payment.operation !== id || payment.status !== status || !isFinal(status)) return false;
  return payment.operationAtMs === createdAtMs && matchesPayment({ ...payment, direction }, operation);
}

function differenceOf(
  { operation, folded }: MirrorRow,
  { reference, direction }: OperationFacts,
): string | null {
  if (direction !== null && direction !== operation.direction) return `the service says it is a ${direction}`;
  const serviceReference = reference === null ? null : foldReference(reference);
  return serviceReference === folded ? null : 'the service says it has another reference';
}
