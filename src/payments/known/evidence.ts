import type { KeyNotes } from './key-notes.js';
import type { StoredPayment, OperationFacts } from '../../contract/operation-facts.js';
import { markOf } from '../../contract/marks.js';
import { CONTRADICTED, type Direction, GONE, isFinal } from '../../contract/operation.js';
import { foldReference } from '../../contract/reference.js';
import { isOneOf, NEVER_SENT } from '../../storage/batches/row-state.js';
import type { BatchFacts, BatchStore } from '../../storage/batches/batch-store.js';
import type { OtherRow } from '../../storage/batches/row.js';
import type { CompanyMatch } from '../../storage/journal/precedence.js';
import { type Evidence, type KnownPayment, paymentsIn, type SingleCreate } from './payments.js';

export interface Knowledge {
  bringUpToDate(again?: 'again' | 'always'): Promise<void>;
  findByReferences(
    direction: Direction,
    foldedReferences: readonly string[],
    storePayments: ReadonlyMap<string, readonly StoredPayment[]>,
  ): Promise<ReadonlyMap<string, readonly OperationFacts[]>>;
  findByIds(ids: readonly string[]): Promise<ReadonlyMap<string, OperationFacts>>;
  findContradicted(finalStatuses: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, OperationFacts>>;
  singles(direction: Direction, referenceMarks: readonly Uint8Array[]): Promise<readonly SingleCreate[]>;
  newSingles(direction: Direction): Promise<readonly SingleCreate[]>;
  ownerOf(company: string | null, operation: string | null): Promise<CompanyMatch>;
  readonly keyNotes: Pick<KeyNotes, 'note' | 'lookUpUsed'>;
  isRunning(batch: string): Promise<boolean>;
}

export const NO_EVIDENCE: Evidence = { operations: [], rows: [], singles: [] };

export interface EvidenceWorld {
  readonly store: Pick<BatchStore, 'others'>;
  readonly knowledge: Knowledge;
}

export type AskingBatch = Pick<BatchFacts, 'direction' | 'company'> & { readonly id: number };

export interface AskingRow extends StoredPayment {
  readonly reference: string;
}

export async function evidenceOf(
  batch: AskingBatch,
  askingRows: readonly AskingRow[],
  { store, knowledge }: EvidenceWorld,
): Promise<ReadonlyMap<string, Evidence>> {
  const foldedReferences = askingRows.map(({ reference }) => foldReference(reference));
  const marks = foldedReferences.map((reference) => markOf(reference));
  const hexMarks = marks.map((mark) => Buffer.from(mark).toString('hex'));
  await knowledge.bringUpToDate();
  const [otherRows, singles] = await Promise.all([
    store.others(batch.id, marks),
    knowledge.singles(batch.direction, marks),
  ]);
  const unsentBatches = new Set(
    otherRows.filter(({ state }) => isOneOf(NEVER_SENT, state)).map((row) => row.batch),
  );
  const runningBatches = new Set<string>();
  for (const name of unsentBatches) if (await knowledge.isRunning(name)) runningBatches.add(name);
  const owners = await ownersOf(otherRows, batch.company, knowledge);
  const rowsThatCount = otherRows.filter((row) => owners.get(ownerName(row)) !== 'other');
  const rowsByMark = Map.groupBy(rowsThatCount, ({ referenceMark }) => referenceMark);
  const storePayments = new Map(
    foldedReferences.map((reference, at) => {
      const ownRows = (rowsByMark.get(hexMarks[at] ?? '') ?? []).filter(
        (row) => owners.get(ownerName(row)) === 'same',
      );
      return [reference, [...ownRows, ...askingRows.slice(at, at + 1)]] as const;
    }),
  );
  const operations = await knowledge.findByReferences(batch.direction, foldedReferences, storePayments);
  const singlesByMark = Map.groupBy(singles.filter(mayBeOwn), ({ referenceMark }) => referenceMark);
  return new Map(
    foldedReferences.map((reference, at) => {
      const mark = hexMarks[at] ?? '';
      const rows = (rowsByMark.get(mark) ?? []).map((row) => ({
        ...row,
        mayBeSent: runningBatches.has(row.batch),
        isSameCompany: owners.get(ownerName(row)) === 'same',
      }));
      return [
        reference,
        { operations: operations.get(reference) ?? [], rows, singles: singlesByMark.get(mark) ?? [] },
      ];
    }),
  );
}

export async function paymentsOfRows<Row extends AskingRow>(
  batch: AskingBatch,
  rows: readonly Row[],
  world: EvidenceWorld,
): Promise<{ readonly row: Row; readonly evidence: Evidence; readonly payments: readonly KnownPayment[] }[]> {
  if (rows.length === 0) return [];
  const evidence = await evidenceOf(batch, rows, world);
  return rows.flatMap((row) => {
    const rowEvidence = evidence.get(foldReference(row.reference));
    if (rowEvidence === undefined) return [];
    const isGone = ({ operation, status }: KnownPayment): boolean =>
      row.status === GONE && operation === row.operation && !isFinal(status) && status !== CONTRADICTED;
    const payments = paymentsIn(rowEvidence, batch.direction).filter((one) => !isGone(one));
    return [{ row, evidence: rowEvidence, payments }];
  });
}

export function heldOperationIds({ rows, singles }: Evidence): ReadonlySet<string | undefined> {
  return new Set([...rows, ...singles].map(({ operation }) => operation?.toLowerCase()));
}

export function mayBeOwn({ company }: SingleCreate): boolean {
  return company !== 'other';
}

/** An operation of each owner is looked up, because two `company` values may name one company. */
async function ownersOf(
  otherRows: readonly OtherRow[],
  company: string | null,
  knowledge: Knowledge,
): Promise<ReadonlyMap<string, CompanyMatch>> {
  const owners = new Map<string, CompanyMatch>();
  for (const [name, rows] of Map.groupBy(otherRows, ownerName)) {
    const otherCompany = rows[0]?.company ?? null;
    const operation = rows.find((row) => row.operation !== null)?.operation ?? null;
    const isSame = otherCompany !== null && otherCompany === company;
    owners.set(name, isSame ? 'same' : await knowledge.ownerOf(otherCompany, operation));
  }
  return owners;
}

function ownerName({ company, batch }: OtherRow): string {
  return company ?? `batch ${batch}`;
}
