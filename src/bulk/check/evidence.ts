/** What is known of the references of some rows: from the feed, other batches and single creates. */
import type { KeyNote, UsedKey } from '../../contract/key-use.js';
import type { StoredPayment, OperationFacts } from '../../contract/operation-facts.js';
import { markOf } from '../../contract/marks.js';
import { CONTRADICTED, type Direction, GONE, isFinal } from '../../contract/operation.js';
import { foldReference } from '../../contract/reference.js';
import { isOneOf, NEVER_SENT } from '../row-state.js';
import type { BatchStore } from '../store/batch-store.js';
import type { BatchFacts } from '../store/batch.js';
import type { OtherRow } from '../store/row.js';
import { type KnownPayment, paymentsIn } from './payments.js';

/** A single create of this machine. */
export interface SingleCreate {
  readonly key: string;
  /** False where it is not known what became of it. */
  readonly isSettled: boolean;
  /** Its bytes are gone: it cannot be repeated. */
  readonly isForgotten?: boolean | undefined;
  /** What it became; null where that is not known. */
  readonly operation: string | null;
  readonly status: string | null;
  /** In hexadecimal. */
  readonly referenceMark: string;
  readonly amount: string | null;
  readonly currency: string | null;
  /** When the service says that its operation was made; of one that is open, when it first left. Null where nothing says it. */
  readonly atMs: number | null;
  /** It has not left: a process that lives is about to send it. */
  readonly isRecorded?: boolean | undefined;
  /** Its place in the order of the journal. */
  readonly row: number;
  /** The try that its key is for; null for a key that was not derived. */
  readonly follows?: string | null | undefined;
  readonly generation?: number | null | undefined;
  /** From `--new-since`, and when it was asked for with `--new-payment`. */
  readonly sinceMs?: number | null | undefined;
  /** The last four of its account; null where it has none. */
  readonly accountTail: string | null;
  /** Whose it is: `other` only where it is certain that another company's key has sent it. */
  readonly company: 'same' | 'other' | 'unknown';
}

/** What this machine has noted of keys, and asks the service about them. */
export interface PaymentKeys {
  /** @param body as `KeyNote` has it */
  note(key: string, kind: KeyNote['kind'], body: Uint8Array): Promise<void>;
  /**
   * Of a key that the service calls used just now.
   * @param isExplained as `UsedKey` has it
   */
  used(
    sending: { readonly key: string; readonly direction: Direction } & Pick<UsedKey, 'body' | 'isOpen'>,
    isExplained: boolean,
  ): Promise<UsedKey>;
}

/** What is known of payments beside the batches of this store: the feed, the single creates of this machine, and who is sending now. */
export interface Knowledge {
  /**
   * Brings what is known of the feed up to date; a second call does nothing, unless it asks for it again, or for it whatever was asked to
   * be skipped.
   * @throws Failure where the feed can't be read
   */
  bringUpToDate(again?: 'again' | 'whatever'): Promise<void>;
  /**
   * What the feed holds of these folded references. What others can write in the mirror counts once the service has said it.
   * @param held by folded reference, what the stores hold of this company: that needs no other proof
   */
  ofReferences(
    direction: Direction,
    folded: readonly string[],
    held: ReadonlyMap<string, readonly StoredPayment[]>,
  ): Promise<ReadonlyMap<string, readonly OperationFacts[]>>;
  /** What the feed holds of these operations, proved as well. */
  ofIds(ids: readonly string[]): Promise<ReadonlyMap<string, OperationFacts>>;
  /**
   * Those of these operations that the events end otherwise than the stores do, by id. From now on they are known to be contradicted.
   * @param held how the stores end them
   */
  contradicted(held: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, OperationFacts>>;
  singles(direction: Direction, referenceMarks: readonly Uint8Array[]): Promise<readonly SingleCreate[]>;
  /** Requests recorded since the last reading of the feed. */
  newSingles(direction: Direction): Promise<readonly SingleCreate[]>;
  /**
   * Whose batches with this company are, seen from the company that asks; `other` only where it is certain.
   * @param company null where none was ever proved
   * @param operation one of theirs, where one is known
   */
  ownerOf(company: string | null, operation: string | null): Promise<'same' | 'other' | 'unknown'>;
  /** The keys of this company's payments. */
  readonly keys: PaymentKeys;
  /** True where somebody sends that batch at this moment. */
  isRunning(batch: string): Promise<boolean>;
}

/** A row that never was sent counts only while somebody sends its batch. */
export interface KnownRow extends OtherRow {
  readonly isRunning: boolean;
  /** True only where that is certain: this key sees its operation then. */
  readonly isSameCompany: boolean;
}

/** What is known of one reference; nothing that is certain to be another company's. */
export interface Evidence {
  /** From the feed, whatever their status. */
  readonly operations: readonly OperationFacts[];
  readonly rows: readonly KnownRow[];
  readonly singles: readonly SingleCreate[];
}

export const NO_EVIDENCE: Evidence = { operations: [], rows: [], singles: [] };

export interface EvidenceWorld {
  readonly store: Pick<BatchStore, 'others'>;
  readonly knowledge: Knowledge;
}

/** The batch that asks: its own rows are no evidence. */
export type AskingBatch = Pick<BatchFacts, 'direction' | 'company'> & { readonly id: number };

/** A row that asks. What it holds itself is no evidence, and proves what the mirror tells of it. */
export interface AskingRow extends StoredPayment {
  readonly reference: string;
}

/** By folded reference; every reference that is asked for is there. */
export async function evidenceOf(
  batch: AskingBatch,
  asking: readonly AskingRow[],
  { store, knowledge }: EvidenceWorld,
): Promise<ReadonlyMap<string, Evidence>> {
  const folded = asking.map(({ reference }) => foldReference(reference));
  const marks = folded.map((reference) => markOf(reference));
  const inHex = marks.map((mark) => Buffer.from(mark).toString('hex'));
  await knowledge.bringUpToDate();
  const [others, singles] = await Promise.all([
    store.others(batch.id, marks),
    knowledge.singles(batch.direction, marks),
  ]);
  // Only where it matters: a batch is asked for its lock at the most once.
  const unsent = new Set(others.filter(({ state }) => isOneOf(NEVER_SENT, state)).map((row) => row.batch));
  const running = new Set<string>();
  for (const name of unsent) if (await knowledge.isRunning(name)) running.add(name);
  const owners = await ownersOf(others, batch.company, knowledge);
  const counted = others.filter((row) => owners.get(nameOf(row)) !== 'other');
  const rowsOf = Map.groupBy(counted, ({ referenceMark }) => referenceMark);
  const held = new Map(
    folded.map((reference, at) => {
      const ours = (rowsOf.get(inHex[at] ?? '') ?? []).filter((row) => owners.get(nameOf(row)) === 'same');
      return [reference, [...ours, ...asking.slice(at, at + 1)]] as const;
    }),
  );
  const operations = await knowledge.ofReferences(batch.direction, folded, held);
  const singlesOf = Map.groupBy(singles.filter(isOfCompany), ({ referenceMark }) => referenceMark);
  return new Map(
    folded.map((reference, at) => {
      const mark = inHex[at] ?? '';
      const rows = (rowsOf.get(mark) ?? []).map((row) => ({
        ...row,
        isRunning: running.has(row.batch),
        isSameCompany: owners.get(nameOf(row)) === 'same',
      }));
      return [
        reference,
        { operations: operations.get(reference) ?? [], rows, singles: singlesOf.get(mark) ?? [] },
      ];
    }),
  );
}

/** The same for rows of a batch, with the payments in it. */
export async function paymentsOfRows<Row extends AskingRow>(
  batch: AskingBatch,
  rows: readonly Row[],
  world: EvidenceWorld,
): Promise<{ readonly row: Row; readonly known: Evidence; readonly payments: readonly KnownPayment[] }[]> {
  if (rows.length === 0) return [];
  const evidence = await evidenceOf(batch, rows, world);
  return rows.flatMap((row) => {
    const known = evidence.get(foldReference(row.reference));
    if (known === undefined) return [];
    // What the service does not have any more is pending nowhere, whatever others saw of it before.
    const isGone = ({ operation, status }: KnownPayment): boolean =>
      row.status === GONE && operation === row.operation && !isFinal(status) && status !== CONTRADICTED;
    const payments = paymentsIn(known, batch.direction).filter((one) => !isGone(one));
    return [{ row, known, payments }];
  });
}

/** The operations that are the results of other rows and requests, in lower case. */
export function heldIn({ rows, singles }: Evidence): ReadonlySet<string | undefined> {
  return new Set([...rows, ...singles].map(({ operation }) => operation?.toLowerCase()));
}

/** True for what may be this company's. */
export function isOfCompany({ company }: SingleCreate): boolean {
  return company !== 'other';
}

/** A mirror that was lost, or a key that was rotated, gives a company another name: an operation of it shows whose it is. */
async function ownersOf(
  others: readonly OtherRow[],
  company: string | null,
  knowledge: Knowledge,
): Promise<ReadonlyMap<string, 'same' | 'other' | 'unknown'>> {
  const owners = new Map<string, 'same' | 'other' | 'unknown'>();
  for (const [name, rows] of Map.groupBy(others, nameOf)) {
    const theirs = rows[0]?.company ?? null;
    const operation = rows.find((row) => row.operation !== null)?.operation ?? null;
    const isSame = theirs !== null && theirs === company;
    owners.set(name, isSame ? 'same' : await knowledge.ownerOf(theirs, operation));
  }
  return owners;
}

/** The company, or the batch where none was ever proved. */
function nameOf({ company, batch }: OtherRow): string {
  return company ?? `batch ${batch}`;
}
