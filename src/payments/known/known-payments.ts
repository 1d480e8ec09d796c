import { mayBeOwn, NO_EVIDENCE } from './evidence.js';
import type { KnownPayment, Evidence, KnownRow, SingleCreate } from './payments.js';
import type { OtherRow } from '../../storage/batches/row.js';
import { CONTRADICTED, GONE, isFinal } from '../../contract/operation.js';
import type { StoredPayment, OperationFacts } from '../../contract/operation-facts.js';
import { foldReference } from '../../contract/reference.js';
import type { Journal } from '../../storage/journal/journal.js';
import { type RequestSubject, type JournalRequest, MARKS_KEPT_MS } from '../../storage/journal/request.js';
import {
  newestOperationAt,
  ownerOf,
  presenceOf,
  provedCompanyAt,
  proveCompany,
  type ReadOperation,
} from '../../feed/company.js';
import type { Place, Company, Mirrors } from '../../storage/mirror/mirror.js';
import { Failure } from '../../runtime/failure.js';
import { lookUp } from '../../command/read.js';
import type { OpenMirror } from '../../feed/open-mirror.js';
import type { Where } from '../../session/place-flags.js';
import { isOneOf, NEVER_SENT, RETRIABLE } from '../../storage/batches/row-state.js';
import type { Stores } from '../../storage/stores.js';
import type { SessionRun } from '../../command/command.js';
import type { CompanyMatch } from '../../storage/journal/precedence.js';

export interface PaymentSubject extends Pick<RequestSubject, 'direction' | 'referenceMark'> {
  readonly place: Place;
  readonly reference: string | null;
  readonly isStrict: boolean;
}

export class KnownPayments {
  readonly singles: SingleCreates;
  readonly #subject: PaymentSubject;
  readonly #journal: Journal;
  readonly #run: SessionRun<Where>;
  #openMirror: Promise<OpenMirror> | null = null;
  #feedOperations: readonly OperationFacts[] | null = null;
  readonly #answeredOperations = new Map<string, OperationFacts>();
  readonly #statuses = new Map<string, string>();
  #isFeedRead = false;

  constructor(subject: PaymentSubject, journal: Journal, run: SessionRun<Where>) {
    [this.#subject, this.#journal, this.#run] = [subject, journal, run];
    this.singles = new SingleCreates({
      place: subject.place,
      mirrors: async () => ((await this.#hasMirror()) ? (await this.#mirror()).mirrors : null),
      newestOf: (keyPrint) => journal.newestOf(keyPrint, subject.place.environment),
      read: (operation) => this.#readPresence(operation),
    });
  }

  async evidence(ownRow: number | null): Promise<Evidence> {
    const { referenceMark } = this.#subject;
    if (referenceMark === null) return NO_EVIDENCE;
    const requests = await this.requests();
    const otherRequests = requests.filter(({ row }) => row !== ownRow);
    const singles = (await this.singles.of(otherRequests)).filter(mayBeOwn);
    const rows = await this.#rows(referenceMark);
    const mirrorOperations = await this.#operations([...rows, ...singles.map(storedPaymentOf)]);
    const ids = new Set(mirrorOperations.map(({ id }) => id));
    const operations = [
      ...mirrorOperations,
      ...[...this.#answeredOperations.values()].filter(({ id }) => !ids.has(id)),
    ];
    return this.#withStatuses({ operations, rows, singles });
  }

  async requests(): Promise<JournalRequest[]> {
    const { referenceMark, direction, place } = this.#subject;
    if (referenceMark === null) return [];
    const { environment } = place;
    return this.#journal.ofReferences({ environment, direction, referenceMarks: [referenceMark] });
  }

  async refreshPending(payments: readonly KnownPayment[]): Promise<boolean> {
    let hasChanged = false;
    for (const { operation, status } of payments) {
      if (operation === null || isFinal(status) || status === CONTRADICTED) continue;
      if (this.#statuses.has(operation.toLowerCase())) continue;
      const newStatus = await this.#statusOf(operation);
      this.#statuses.set(operation.toLowerCase(), newStatus ?? status);
      if (newStatus === null || newStatus === status) continue;
      hasChanged = true;
      await this.#journal.noteStatus(operation, newStatus);
    }
    return hasChanged;
  }

  addOperation(operation: OperationFacts): void {
    this.#answeredOperations.set(operation.id, operation);
  }

  async readFeed(rereads = true): Promise<void> {
    if (this.#isFeedRead && !rereads) return;
    await (await this.#mirror()).sync();
    [this.#isFeedRead, this.#feedOperations] = [true, null];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const openMirror = await this.#openMirror?.catch(() => null);
    await openMirror?.close();
  }

  async #hasMirror(): Promise<boolean> {
    return this.#openMirror !== null || (await this.#run.app.stores()).has('mirrors');
  }

  async #rows(referenceMark: Uint8Array): Promise<KnownRow[]> {
    const { direction, place } = this.#subject;
    const { environment } = place;
    const stores = await this.#run.app.stores();
    if (!stores.has('batches')) return [];
    const rows: KnownRow[] = [];
    for (const row of await stores.rowsOfReference({ environment, direction }, referenceMark)) {
      const owner = await this.#ownerOf(row);
      if (owner === 'other') continue;
      const mayBeSent = await mayHaveBeenSent(row, stores);
      const state = mayBeSent ? 'planned' : row.state;
      rows.push({ ...row, state, mayBeSent, isSameCompany: owner === 'same' });
    }
    return rows;
  }

  #mirror(): Promise<OpenMirror> {
    this.#openMirror ??= import('../../feed/open-mirror.js').then(({ openMirror }) => openMirror(this.#run));
    return this.#openMirror;
  }

  async #operations(stored: readonly StoredPayment[]): Promise<readonly OperationFacts[]> {
    const { reference, direction, isStrict } = this.#subject;
    if (reference === null || (!isStrict && !this.#isFeedRead) || !(await this.#hasMirror())) return [];
    if (this.#feedOperations !== null) return this.#feedOperations;
    const folded = foldReference(reference);
    const { provedMirror } = await this.#mirror();
    const operations =
      (await provedMirror.ofReferences(direction, [folded], new Map([[folded, stored]]))).get(folded) ?? [];
    const oldestMs = this.#run.session.clock.now() - MARKS_KEPT_MS;
    this.#feedOperations = operations.filter(({ createdAtMs }) => (createdAtMs ?? oldestMs) >= oldestMs);
    return this.#feedOperations;
  }

  async #ownerOf({ company, operation }: OtherRow): Promise<CompanyMatch> {
    if (company === null || !(await this.#hasMirror())) return 'unknown';
    const { mirrors, read } = await this.#mirror();
    return ownerOf(mirrors, { company, operation }, this.#subject.place, read).catch(
      replaceServiceFailure('unknown'),
    );
  }

  #readPresence(operation: string): ReturnType<ReadOperation> {
    const read = async () => ((await lookUp(operation, this.#run)) === null ? 'absent' : 'there');
    return read().catch(replaceServiceFailure('unknown'));
  }

  async #statusOf(operation: string): Promise<string | null> {
    const read = async () => (await lookUp(operation, this.#run))?.operation.status ?? GONE;
    return read().catch(replaceServiceFailure(null));
  }

  #withStatuses({ operations, rows, singles }: Evidence): Evidence {
    const newestStatus = <S extends string | null>(id: string | null, status: S): S | string => {
      const serviceStatus =
        id === null || (status !== null && isFinal(status))
          ? undefined
          : this.#statuses.get(id.toLowerCase());
      return serviceStatus ?? status;
    };
    return {
      operations: operations.map((one) => ({ ...one, status: newestStatus(one.id, one.status) })),
      rows: rows.map((row) => {
        const status = newestStatus(row.operation, row.status);
        return { ...row, status, state: status === 'failed' ? 'failed' : row.state };
      }),
      singles: singles.map((one) => ({ ...one, status: newestStatus(one.operation, one.status) })),
    };
  }
}

function replaceServiceFailure<T>(fallback: T): (error: unknown) => T {
  return (error) => {
    if (!(error instanceof Failure) || error.kind === 'local_state') throw error;
    return fallback;
  };
}

function storedPaymentOf({ operation, status, amount, currency, atMs }: SingleCreate): StoredPayment {
  return { operation, status, amount: amount ?? '', currency: currency ?? '', operationAtMs: atMs };
}

/** After a database failover a batch is in doubt, because the record of a sent row may be lost. */
async function mayHaveBeenSent({ state, batch }: OtherRow, stores: Stores): Promise<boolean> {
  if (isOneOf(NEVER_SENT, state) && (await stores.isAtWork(batch))) return true;
  return isOneOf([...NEVER_SENT, ...RETRIABLE], state) && (await stores.hasChangedServer(batch));
}

export interface CompanySources {
  readonly place: Place;
  readonly ownCompany?: Company;
  readonly mirrors: () => Promise<Mirrors | null>;
  readonly newestOf: (keyPrint: string) => Promise<JournalRequest | null>;
  readonly read: ReadOperation;
}

export class SingleCreates {
  readonly #sources: CompanySources;
  readonly #matches = new Map<string, CompanyMatch>();

  constructor(sources: CompanySources) {
    this.#sources = sources;
  }

  async of(requests: readonly JournalRequest[]): Promise<SingleCreate[]> {
    const singles: SingleCreate[] = [];
    for (const request of requests) {
      const { idempotencyKey: key, row, follows, generation, sinceMs, amount, currency } = request;
      const { accountTail, state, mayNotRepeat, referenceMark, firstLeftMs, settled } = request;
      singles.push({
        ...{ key, row, follows, generation, sinceMs, amount, currency, accountTail, state, mayNotRepeat },
        atMs: settled === null ? firstLeftMs : settled.createdAtMs,
        operation: settled?.operation ?? null,
        status: settled?.status ?? null,
        referenceMark: Buffer.from(referenceMark ?? []).toString('hex'),
        company: await this.#findMatch(request),
      });
    }
    return singles;
  }

  /** Looks nothing up, so the match of another key is `unknown` until the method `of` has looked its company up. */
  companyMatchOf(request: Pick<JournalRequest, 'origin' | 'keyPrint'>): CompanyMatch {
    if (request.keyPrint === this.#sources.place.keyPrint) return 'same';
    return this.#matches.get(matchKeyOf(request)) ?? 'unknown';
  }

  async #findMatch(request: JournalRequest): Promise<CompanyMatch> {
    const knownMatch = this.companyMatchOf(request);
    if (knownMatch !== 'unknown') return knownMatch;
    const { place, newestOf, read } = this.#sources;
    const mirrors = await this.#sources.mirrors();
    const company = await provedCompanyAt(mirrors, request);
    const ownCompany = this.#sources.ownCompany ?? (await provedCompanyAt(mirrors, place));
    const isSameMirror = company !== null && company.id === ownCompany?.id;
    const operation = isSameMirror
      ? null
      : (request.settled?.operation ??
        (await newestOf(request.keyPrint))?.settled?.operation ??
        (await newestOperationAt(mirrors, request)));
    const match = proveCompany(isSameMirror && 'same_mirror', await presenceOf(operation, read));
    this.#matches.set(matchKeyOf(request), match);
    return match;
  }
}

export function matchKeyOf({ origin, keyPrint }: Pick<JournalRequest, 'origin' | 'keyPrint'>): string {
  return `${origin} ${keyPrint}`;
}
