import type { Batch, RowFilter, BatchStore } from '../../storage/batches/batch-store.js';
import { isUuid } from '../../contract/notation.js';
import { DIRECTIONS, isFinal } from '../../contract/operation.js';
import { foldReference } from '../../contract/reference.js';
import type { Mirror, Company, Mirrors } from '../../storage/mirror/mirror.js';
import { lookUp } from '../../command/read.js';
import type { Where } from '../../session/place-flags.js';
import { senderOf, isSameSender, maskOfKey, type Sender } from '../../session/address.js';
import { toDisposable, openTogether } from '../../runtime/disposal.js';
import {
  type FoundOperation,
  newestFirst,
  matchesQuestion,
  NO_ORIGIN,
  operationFromAnswer,
  operationFromFeed,
  type OperationQuestion,
  timeOf,
  operationFromCreate,
  operationFromRow,
} from './found-operation.js';
import { proveCompany } from '../../feed/company.js';
import { openMirror } from '../../feed/open-mirror.js';
import { reportReading } from '../../feed/progress-line.js';
import type { SessionRun } from '../../command/command.js';
import type { ShownRow } from '../../storage/batches/row.js';
import { referenceMark } from '../../contract/marks.js';
import type { Journal } from '../../storage/journal/journal.js';
import type { CompanyMatch } from '../../storage/journal/precedence.js';
import type { JournalRequest } from '../../storage/journal/request.js';
import { matchKeyOf } from '../known/known-payments.js';
import type { Session } from '../../session/session.js';

export async function openKnownOperations(
  run: SessionRun<Where & { readonly quiet?: boolean }>,
  isOffline: boolean,
  reading: 'whole' | 'news' = 'whole',
): Promise<KnownOperations & AsyncDisposable> {
  if (!isOffline) {
    await using openedMirror = toDisposable(await openMirror(run));
    const progress = reportReading(run.ports, run.flags);
    const sync =
      reading === 'whole' ? openedMirror.sync(progress.onPage) : openedMirror.catchUp(progress.onPage);
    await sync.finally(() => progress.end());
  }
  const { session, ports, app } = run;
  const stores = await app.stores();
  return openTogether(async (use) => {
    const mirrors = use(await stores.openMirrors());
    const journal = use(await stores.openJournal());
    const store = use(await stores.openBatches());
    const place = await senderOf(session, ports, mirrors.keySalt);
    const company = await mirrors.companyOf(place);
    const mirror = company === null ? null : mirrors.of(company);
    const heardAtMs = (await mirror?.heardAtMs()) ?? null;
    if (heardAtMs !== null) session.clock.noteEventTime(heardAtMs);
    const openStores = { store, journal, mirrors, session, place, company };
    return new KnownOperations(openStores, mirror, isOffline ? null : run);
  });
}

const ID_BEGINNING_MIN = 6;
const ORIGINS_MAX = 20;
const READS_MAX = 200;
const READS_AT_ONCE = 4;

export class KnownOperations {
  #readCount = 0;
  #unreadCount = 0;

  constructor(
    private readonly stores: OpenStores,
    readonly mirror: Mirror | null,
    private readonly run: SessionRun<Where> | null,
  ) {}

  get unreadCount(): number {
    return this.#unreadCount;
  }

  async *listWithoutEvent(): AsyncGenerator<readonly FoundOperation[]> {
    for await (const block of this.#withoutEvent({ idPrefix: '', sinceMs: null })) yield this.#refresh(block);
  }

  async list(question: OperationQuestion, limit: number): Promise<FoundOperation[]> {
    const { reference, status, sinceMs = -Infinity } = question;
    const latestOf = (operations: readonly FoundOperation[]): FoundOperation[] =>
      operations
        .filter((one) => matchesQuestion(one, question))
        .sort(newestFirst)
        .slice(0, limit);
    if (reference !== undefined) return latestOf(await this.#withReference(reference));
    const eventOperations =
      status === 'pending' ? [] : ((await this.mirror?.list(question, limit)) ?? []).map(operationFromFeed);
    const oldest = eventOperations.length < limit ? undefined : eventOperations.at(-1);
    const beginMs = Math.max(sinceMs, oldest === undefined ? -Infinity : timeOf(oldest));
    const rowFilter = { idPrefix: '', sinceMs: Number.isFinite(beginMs) ? beginMs : null };
    const fixedQuestion = { direction: question.direction };
    let newest: FoundOperation[] = [];
    for await (const block of this.#withoutEvent(rowFilter)) {
      const matches = block.filter((one) =>
        matchesQuestion(one, isFinal(one.status) ? { ...question, method: undefined } : fixedQuestion),
      );
      newest = [...newest, ...matches].sort(newestFirst);
      const surplus = newest.splice(Math.max(limit, READS_MAX));
      if (this.run !== null) this.#unreadCount += surplus.filter((one) => !isFinal(one.status)).length;
    }
    return latestOf([...eventOperations, ...(await this.#refresh(newest))]);
  }

  async find(text: string, limit: number): Promise<FoundOperation[]> {
    const byId = new Map<string, FoundOperation>();
    const add = (operations: readonly FoundOperation[]): void => {
      for (const one of operations) if (!byId.has(one.id)) byId.set(one.id, one);
    };
    add(await this.#withReference(text));
    for (const bankReference of new Set([text, text.toLowerCase(), text.toUpperCase(), foldReference(text)]))
      add(((await this.mirror?.ofBankReference(bankReference, limit)) ?? []).map(operationFromFeed));
    if (text.length >= ID_BEGINNING_MIN)
      add(await this.#refresh(await this.findByIdBeginning(text.toLowerCase(), limit)));
    if (byId.size === 0 && isUuid(text)) add(await this.#ofService(text));
    return this.#withOrigins([...byId.values()].sort(newestFirst).slice(0, limit));
  }

  async findByIdBeginning(beginning: string, limit: number): Promise<FoundOperation[]> {
    const matches = ((await this.mirror?.ofBeginning(beginning, limit)) ?? []).map(operationFromFeed);
    for await (const block of this.#withoutEvent({ idPrefix: beginning, sinceMs: null })) {
      matches.push(...block);
      if (matches.length > limit) break;
    }
    return matches.sort(newestFirst).slice(0, limit);
  }

  async *#withoutEvent(filter: RowFilter): AsyncGenerator<readonly FoundOperation[]> {
    const yieldedIds = new Set<string>();
    for await (const block of operationsNotInFeed(this.stores, filter)) {
      const newOperations = (await this.#dropWithEvents(block)).filter(({ id }) => !yieldedIds.has(id));
      for (const { id } of newOperations) yieldedIds.add(id);
      if (newOperations.length > 0) yield newOperations;
    }
  }

  async #dropWithEvents(operations: readonly FoundOperation[]): Promise<FoundOperation[]> {
    const eventOperations = await this.mirror?.ofIds(operations.map(({ id }) => id));
    return operations.filter(({ id }) => eventOperations?.has(id) !== true);
  }

  async #withReference(reference: string): Promise<FoundOperation[]> {
    const foldedReference = foldReference(reference);
    const eventOperations: FoundOperation[] = [];
    for (const direction of DIRECTIONS) {
      const operations = await this.mirror?.ofReferences(direction, [foldedReference]);
      eventOperations.push(...(operations?.get(foldedReference) ?? []).map(operationFromFeed));
    }
    const storedOperations = await notInFeedByReference(this.stores, reference);
    return [...eventOperations, ...(await this.#refresh(await this.#dropWithEvents(storedOperations)))];
  }

  async #withOrigins(operations: readonly FoundOperation[]): Promise<FoundOperation[]> {
    const references = [...new Set(operations.map(({ reference }) => reference))].slice(0, ORIGINS_MAX);
    const origins = new Map<string, FoundOperation>();
    for (const reference of references)
      if (reference !== null)
        for (const one of await notInFeedByReference(this.stores, reference)) origins.set(one.id, one);
    return operations.map((one) => {
      const { batch, line, idempotencyKey } = origins.get(one.id) ?? one;
      return { ...one, batch, line, idempotencyKey };
    });
  }

  async #refresh(operations: readonly FoundOperation[]): Promise<FoundOperation[]> {
    const answers: FoundOperation[] = [];
    for (let at = 0; at < operations.length; at += READS_AT_ONCE) {
      const reads = operations.slice(at, at + READS_AT_ONCE).map((one) => this.#read(one));
      answers.push(...(await Promise.all(reads)).filter((one) => one !== null));
    }
    return answers;
  }

  async #read(operation: FoundOperation): Promise<FoundOperation | null> {
    if (this.run === null || isFinal(operation.status) || !isUuid(operation.id)) return operation;
    if (this.#readCount >= READS_MAX) {
      this.#unreadCount += 1;
      return operation;
    }
    this.#readCount += 1;
    const answer = await lookUp(operation.id, this.run);
    return answer === null ? null : (operationFromAnswer(answer.operation, operation) ?? operation);
  }

  async #ofService(id: string): Promise<FoundOperation[]> {
    const answer = this.run === null ? null : await lookUp(id, this.run);
    const operation =
      answer === null ? null : operationFromAnswer(answer.operation, { ...NO_ORIGIN, source: 'service' });
    return operation === null ? [] : [operation];
  }
}

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
  filter: RowFilter,
): AsyncGenerator<readonly FoundOperation[]> {
  for (const batch of await ownBatchesOf(stores)) {
    for (let afterNumber = -1; ;) {
      const rows = await stores.store.operationRows(batch.id, afterNumber, BLOCK_ROWS, filter);
      const certainRows = rows.filter(isCertain);
      if (certainRows.length > 0) yield certainRows.map((row) => operationFromRow(batch, row));
      if (rows.length < BLOCK_ROWS) break;
      afterNumber = rows.at(-1)?.number ?? afterNumber;
    }
  }
  const { environment } = stores.session;
  for (let afterRow = 0; ;) {
    const requests = await stores.journal.ofOperations(environment, filter.idPrefix, afterRow, BLOCK_ROWS);
    const ownRequestList = await ownRequests(stores, requests);
    if (ownRequestList.length > 0) yield ownRequestList.map(operationFromCreate);
    if (requests.length < BLOCK_ROWS) return;
    afterRow = requests.at(-1)?.row ?? afterRow;
  }
}

export async function notInFeedByReference(stores: OpenStores, reference: string): Promise<FoundOperation[]> {
  const operations: FoundOperation[] = [];
  const mark = referenceMark(reference);
  for (const batch of await ownBatchesOf(stores)) {
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

/** A row in `needs_review` may name the operation of another payment. */
function isCertain({ state }: Pick<ShownRow, 'state'>): boolean {
  return state !== 'needs_review';
}

async function ownBatchesOf({ store, session, ...stores }: OpenStores): Promise<Batch[]> {
  const ownBatchList: Batch[] = [];
  for (const batch of await store.list())
    if (batch.environment === session.environment && (await isOwnBatch(batch, { store, session, ...stores })))
      ownBatchList.push(batch);
  return ownBatchList;
}

async function isOwnBatch(batch: Batch, { mirrors, company, place, session }: OpenStores): Promise<boolean> {
  const batchCompany = batch.company === null ? null : await mirrors.companyById(batch.company);
  const areBothKnown = batchCompany !== null && company !== null;
  const match = proveCompany(
    areBothKnown && (batchCompany.id === company.id ? 'same_mirror' : 'other_mirror'),
    batch.origin === place.origin && batch.keyMask === maskOfKey(session.key) && 'same_key_mask',
  );
  return match === 'same';
}

async function ownRequests({ mirrors, company, place }: OpenStores, requests: readonly JournalRequest[]) {
  const matches = new Map<string, CompanyMatch>();
  for (const request of requests) {
    if (matches.has(matchKeyOf(request))) continue;
    const match = proveCompany(
      isSameSender(request, place) && 'same_key',
      company !== null && (await mirrors.companyOf(request))?.id === company.id && 'same_mirror',
    );
    matches.set(matchKeyOf(request), match);
  }
  return requests.filter((request) => matches.get(matchKeyOf(request)) === 'same');
}
