/** Everything that is known of the references of some rows: from the feed, from other batches, from single creates. */
import type { OperationClaims } from '../../contract/claims.js';
import { markOf } from '../../contract/marks.js';
import { foldReference } from '../../contract/reference.js';
import { isOneOf, NEVER_SENT } from '../row-state.js';
import type { BatchStore } from '../store/batch-store.js';
import type { BatchFacts } from '../store/batch.js';
import type { OtherRow } from '../store/row.js';
import type { Knowledge, SingleCreate } from './knowledge.js';

/** A row that never was sent counts only while somebody sends its batch. */
export interface KnownRow extends OtherRow {
  readonly isRunning: boolean;
  /** True only where that is certain. */
  readonly isOtherCompany: boolean;
  /** True only where that is certain: this key sees its operation then. */
  readonly isSameCompany: boolean;
}

/** What is known of one reference. */
export interface Evidence {
  /** From the feed, whatever their status. */
  readonly operations: readonly OperationClaims[];
  readonly rows: readonly KnownRow[];
  readonly singles: readonly SingleCreate[];
}

export interface EvidenceWorld {
  readonly store: Pick<BatchStore, 'others'>;
  readonly knowledge: Knowledge;
}

/** The batch that asks: its own rows are no evidence. */
export type AskingBatch = Pick<BatchFacts, 'direction' | 'company'> & { readonly id: number };

/** By folded reference; every reference that is asked for is there. */
export async function evidenceOf(
  batch: AskingBatch,
  references: readonly string[],
  { store, knowledge }: EvidenceWorld,
): Promise<ReadonlyMap<string, Evidence>> {
  const folded = references.map(foldReference);
  const marks = folded.map((reference) => markOf(reference));
  await knowledge.bringUpToDate();
  const [operations, others, singles] = await Promise.all([
    knowledge.ofReferences(batch.direction, folded),
    store.others(batch.id, marks),
    knowledge.singles(batch.direction, marks),
  ]);
  const running = await runningBatches(others, knowledge);
  const owners = await ownersOf(others, batch.company, knowledge);
  const rowsOf = Map.groupBy(others, ({ referenceMark }) => referenceMark);
  const singlesOf = Map.groupBy(singles, ({ referenceMark }) => referenceMark);
  return new Map(
    folded.map((reference, at) => {
      const mark = Buffer.from(marks[at] ?? []).toString('hex');
      const rows = (rowsOf.get(mark) ?? []).map((row) => ({
        ...row,
        isRunning: running.has(row.batch),
        isOtherCompany: owners.get(nameOf(row)) === 'other',
        isSameCompany: owners.get(nameOf(row)) === 'same',
      }));
      return [
        reference,
        { operations: operations.get(reference) ?? [], rows, singles: singlesOf.get(mark) ?? [] },
      ];
    }),
  );
}

/** Only where it matters: a batch is asked for its lock at the most once. */
async function runningBatches(others: readonly OtherRow[], knowledge: Knowledge): Promise<Set<string>> {
  const unsent = new Set(others.filter(({ state }) => isOneOf(NEVER_SENT, state)).map(({ batch }) => batch));
  const running = new Set<string>();
  for (const batch of unsent) if (await knowledge.isRunning(batch)) running.add(batch);
  return running;
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
