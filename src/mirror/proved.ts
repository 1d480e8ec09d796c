/** Which rows of a mirror count. A machine's own mirror counts as it is. In a shared one, a row counts when the service confirms it. */
import { isUuid } from '../contract/notation.js';
import { type Direction, isFinal } from '../contract/operation.js';
import {
  agrees,
  type StoredPayment,
  type KnownOperation,
  type OperationFacts,
} from '../contract/operation-facts.js';
import { foldReference } from '../contract/reference.js';
import type { Mirror } from './mirror.js';

/** What decides about money asks this, and not the mirror itself. Rejects as the mirror does, and with what a read throws. */
export interface ProvedMirror {
  /** As of the mirror. @param held by folded reference, what the stores hold: where the mirror says the same, the service is not asked */
  ofReferences(
    direction: Direction,
    folded: readonly string[],
    held?: ReadonlyMap<string, readonly StoredPayment[]>,
  ): Promise<ReadonlyMap<string, readonly OperationFacts[]>>;
  /** As of the mirror. */
  ofIds(ids: readonly string[]): Promise<ReadonlyMap<string, OperationFacts>>;
  /** What is not final may have ended since: it is read again from now on. */
  forgetPending(): void;
}

/** How a mirror that others can write in is held against the service. */
export interface Proving {
  /** An operation by its id; null where the service says that there is none. Throws where nothing says either. */
  readonly read: (id: string) => Promise<OperationFacts | null>;
  /** Reads under way at a time. */
  readonly concurrency: number;
  /** Called once for each operation of the mirror that does not count. @param why as a clause */
  readonly onIgnored: (operation: KnownOperation, why: string) => Promise<void>;
}

/** A row of the mirror, and the folded reference that it was found by; null where it has none. */
interface FoundRow {
  readonly operation: KnownOperation;
  readonly folded: string | null;
}

/** How many reads one command remembers, in 20 MB at the most; older ones are read again. */
const REMEMBERED_MAX = 50_000;

/** An id that stands in no path can't be read: it may be a payment, so it stands in the way, and settles nothing. */
const UNPROVED = { status: 'unproved', amount: null, currency: null, createdAtMs: null } as const;

/** @param proving null for a mirror that only this machine can write in */
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
  /** What the service said, by id; null where it has none. */
  readonly #said = new Map<string, OperationFacts | null>();
  readonly #ignored = new Set<string>();

  constructor(
    private readonly mirror: Pick<Mirror, 'ofReferences' | 'ofIds'>,
    private readonly proving: Proving,
    private readonly rememberedMax: number,
  ) {}

  async ofReferences(
    direction: Direction,
    folded: readonly string[],
    held: ReadonlyMap<string, readonly StoredPayment[]> = new Map(),
  ): Promise<ReadonlyMap<string, readonly OperationFacts[]>> {
    const found = await this.mirror.ofReferences(direction, folded);
    for (const [reference, operations] of found)
      for (const operation of operations)
        if (held.get(reference)?.some((one) => saysTheSame(one, operation)) === true)
          this.#remember(operation.id, { ...operation, reference });
    const rows = [...found].flatMap(([reference, operations]) =>
      operations.map((operation) => ({ operation, folded: reference })),
    );
    const proved = await this.#prove(rows);
    return new Map(
      [...found].map(([reference, operations]) => [
        reference,
        operations.flatMap((operation) => proved.get(operation) ?? []),
      ]),
    );
  }

  async ofIds(ids: readonly string[]): Promise<ReadonlyMap<string, OperationFacts>> {
    const found = await this.mirror.ofIds(ids);
    const rows = [...found.values()].map((operation) => ({
      operation,
      folded: operation.reference === null ? null : foldReference(operation.reference),
    }));
    const proved = await this.#prove(rows);
    return new Map(
      [...found].flatMap(([id, operation]) => {
        const claims = proved.get(operation);
        return claims === undefined ? [] : [[id, claims] as const];
      }),
    );
  }

  forgetPending(): void {
    for (const [id, claims] of this.#said)
      if (claims === null || !isFinal(claims.status)) this.#said.delete(id);
  }

  /** Without what does not count. */
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
        // The others end with what they have in hand.
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
    if (!isUuid(id)) return { ...operation, ...UNPROVED };
    const known = this.#said.get(id);
    const claims = known === undefined ? await this.proving.read(id) : known;
    this.#remember(id, claims);
    const why = claims === null ? 'the service has no operation with that id' : differenceOf(row, claims);
    // What it is now tells two sayings apart, unless it failed: then one of them was that somebody was paid.
    const ends = operation.ends === 'both' && claims?.status !== 'failed' ? undefined : operation.ends;
    if (why === null && claims !== null) return { ...claims, id, ends };
    if (!this.#ignored.has(id)) await this.proving.onIgnored(operation, why ?? '');
    this.#ignored.add(id);
    return null;
  }

  #remember(id: string, claims: OperationFacts | null): void {
    this.#said.set(id, claims);
    const [oldest] = this.#said.keys();
    if (this.#said.size > this.rememberedMax && oldest !== undefined) this.#said.delete(oldest);
  }
}

function saysTheSame(held: StoredPayment, operation: KnownOperation): boolean {
  const { id, status, direction, createdAtMs } = operation;
  if (held.operation !== id || held.status !== status || !isFinal(status)) return false;
  return held.operationAtMs === createdAtMs && agrees({ ...held, direction }, operation);
}

/** Why the answer is another operation than the mirror's; null when it may be the same. */
function differenceOf(
  { operation, folded }: FoundRow,
  { reference, direction }: OperationFacts,
): string | null {
  if (direction !== null && direction !== operation.direction) return `the service says it is a ${direction}`;
  const said = reference === null ? null : foldReference(reference);
  return said === folded ? null : 'the service says it has another reference';
}
