import type { Batch } from '../../storage/batches/batch.js';
import type { BatchStore, RowFilter } from '../../storage/batches/batch-store.js';
import type { ShownRow } from '../../storage/batches/row.js';
import { referenceMark } from '../../contract/marks.js';
import { DIRECTIONS } from '../../contract/operation.js';
import type { Journal } from '../../storage/journal/journal.js';
import type { JournalRequest } from '../../storage/journal/request.js';
import type { Company, Mirrors } from '../../storage/mirror/mirror.js';
import { isSameSender, maskOfKey, type Sender } from '../../session/address.js';
import type { Session } from '../../session/session.js';
import { type FoundOperation, operationFromCreate, operationFromRow } from './found-operation.js';

const BLOCK_ROWS = 1000;

export interface OpenStores {
  readonly store: BatchStore;
  readonly journal: Journal;
  readonly mirrors: Mirrors;
  readonly session: Session;
  readonly place: Sender;
  readonly company: Company | null;
}

export async function* operationsNotInFeed(
  stores: OpenStores,
  wanted: RowFilter,
): AsyncGenerator<readonly FoundOperation[]> {
  for (const batch of await batchesOf(stores)) {
    for (let afterNumber = -1; ;) {
      const rows = await stores.store.operationRows(batch.id, afterNumber, BLOCK_ROWS, wanted);
      const certainRows = rows.filter(isCertain);
      if (certainRows.length > 0) yield certainRows.map((row) => operationFromRow(batch, row));
      if (rows.length < BLOCK_ROWS) break;
      afterNumber = rows.at(-1)?.number ?? afterNumber;
    }
  }
  const { environment } = stores.session;
  for (let afterRow = 0; ;) {
    const requests = await stores.journal.ofOperations(environment, wanted.idPrefix, afterRow, BLOCK_ROWS);
    const ownRequestList = await ownRequests(stores, requests);
    if (ownRequestList.length > 0) yield ownRequestList.map(operationFromCreate);
    if (requests.length < BLOCK_ROWS) return;
    afterRow = requests.at(-1)?.row ?? afterRow;
  }
}

/** A create stores only a hash of its reference, so the reference that was searched for is shown. */
export async function notInFeedByReference(stores: OpenStores, reference: string): Promise<FoundOperation[]> {
  const operations: FoundOperation[] = [];
  const mark = referenceMark(reference);
  for (const batch of await batchesOf(stores)) {
    const row = await stores.store.rowOfMark(batch.id, mark);
    if (typeof row?.operation === 'string' && isCertain(row)) operations.push(operationFromRow(batch, row));
  }
  const { environment } = stores.session;
  for (const direction of DIRECTIONS) {
    const requests = await stores.journal.ofReferences({ environment, direction, referenceMarks: [mark] });
    const settledRequests = requests.filter((request) => request.settled !== null);
    const ownRequestList = await ownRequests(stores, settledRequests);
    operations.push(...ownRequestList.map((request) => ({ ...operationFromCreate(request), reference })));
  }
  return operations;
}

/** False for a row in `needs_review`: it may name an operation that another payment made. */
function isCertain({ state }: Pick<ShownRow, 'state'>): boolean {
  return state !== 'needs_review';
}

async function batchesOf({ store, session, ...stores }: OpenStores): Promise<Batch[]> {
  const ownBatchList: Batch[] = [];
  for (const batch of await store.list())
    if (batch.environment === session.environment && (await isOwnBatch(batch, { store, session, ...stores })))
      ownBatchList.push(batch);
  return ownBatchList;
}

async function isOwnBatch(batch: Batch, { mirrors, company, place, session }: OpenStores): Promise<boolean> {
  const batchCompany = batch.company === null ? null : await mirrors.companyById(batch.company);
  if (batchCompany !== null && company !== null) return batchCompany.id === company.id;
  // If the batch's company or the session's is not known, the API key that began the batch decides.
  return batch.origin === place.origin && batch.keyMask === maskOfKey(session.key);
}

async function ownRequests({ mirrors, company, place }: OpenStores, requests: readonly JournalRequest[]) {
  const companies = new Map<string, string | null>();
  const companyOf = async ({ environment, origin, keyPrint }: JournalRequest): Promise<string | null> => {
    const name = JSON.stringify([origin, keyPrint]);
    const companyId =
      companies.get(name) ?? (await mirrors.companyOf({ environment, origin, keyPrint }))?.id ?? null;
    companies.set(name, companyId);
    return companyId;
  };
  const ownRequestList: JournalRequest[] = [];
  for (const request of requests) {
    const isOwn =
      isSameSender(request, place) || (company !== null && (await companyOf(request)) === company.id);
    if (isOwn) ownRequestList.push(request);
  }
  return ownRequestList;
}
