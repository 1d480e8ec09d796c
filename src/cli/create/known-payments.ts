/** The known payments of a reference: asked of the journal, the batches and the mirror before a single create leaves. */
import {
  type Evidence,
  isOfCompany,
  type KnownRow,
  NO_EVIDENCE,
  type SingleCreate,
} from '../../bulk/check/evidence.js';
import type { KnownPayment } from '../../bulk/check/payments.js';
import type { OtherRow } from '../../bulk/store/row.js';
import { CONTRADICTED, GONE, isFinal } from '../../contract/operation.js';
import type { HeldOperation, OperationFacts } from '../../contract/operation-facts.js';
import { foldReference } from '../../contract/reference.js';
import type { Journal } from '../../journal/journal.js';
import { type About, type KeptRequest, MARKS_KEPT_MS } from '../../journal/request.js';
import { ownerOf, type Ownership } from '../../mirror/company.js';
import type { Place } from '../../mirror/mirror.js';
import { Failure } from '../../runtime/failure.js';
import { lookUp } from '../call/looking-up.js';
import type { OpenMirror } from '../feed/mirror.js';
import type { Where } from '../line/where.js';
import type { SessionRun } from '../session/session.js';
import { storesOf } from '../stores/stores-of-run.js';
import { SingleCreates } from './single-creates.js';
import { isOneOf, NEVER_SENT, RETRIABLE } from '../../bulk/row-state.js';
import type { Stores } from '../stores/stores.js';

/** What is about to be created, and by whom. */
export interface Payee extends Pick<About, 'direction' | 'referenceMark'> {
  readonly place: Place;
  /** As it was given; null without one. */
  readonly reference: string | null;
  /** As live: the mirror is asked too. */
  readonly isStrict: boolean;
}

export class KnownPayments {
  readonly singles: SingleCreates;
  readonly #payee: Payee;
  readonly #journal: Journal;
  readonly #run: SessionRun<Where>;
  #open: Promise<OpenMirror> | null = null;
  /** What the mirror tells; it is asked once, and once more where the feed was read. */
  #fromFeed: readonly OperationFacts[] | null = null;
  /** Operations of the reference that the service told of, where the events do not yet. */
  readonly #learnt = new Map<string, OperationFacts>();
  /** What the service said of operations that were pending here, by id. */
  readonly #seen = new Map<string, string>();
  #isFeedRead = false;

  constructor(payee: Payee, journal: Journal, run: SessionRun<Where>) {
    [this.#payee, this.#journal, this.#run] = [payee, journal, run];
    this.singles = new SingleCreates({
      place: payee.place,
      mirrors: async () => (this.#hasMirror() ? (await this.#mirror()).mirrors : null),
      newestOf: (keyPrint) => journal.newestOf(keyPrint, payee.place.environment),
      read: (operation) => this.#isThere(operation),
    });
  }

  /**
   * Everything that is known of the reference and may be this company's, as it is now.
   * @param ownRow the create that asks
   * @throws DatabaseUnusable; Failure where a shared mirror can't be proved; Stopped
   */
  async evidence(ownRow: number | null): Promise<Evidence> {
    const { referenceMark } = this.#payee;
    if (referenceMark === null) return NO_EVIDENCE;
    const requests = await this.requests();
    const kept = requests.filter(({ row }) => row !== ownRow);
    const singles = (await this.singles.of(kept)).filter(isOfCompany);
    const rows = await this.#rows(referenceMark);
    const known = await this.#operations([...rows, ...singles.map(heldBy)]);
    const ids = new Set(known.map(({ id }) => id));
    const operations = [...known, ...[...this.#learnt.values()].filter(({ id }) => !ids.has(id))];
    return this.#asSeen({ operations, rows, singles });
  }

  /** What the journal has of the reference. @throws DatabaseUnusable */
  async requests(): Promise<KeptRequest[]> {
    const { referenceMark, direction, place } = this.#payee;
    if (referenceMark === null) return [];
    const { environment } = place;
    return this.#journal.ofReferences({ environment, direction, referenceMarks: [referenceMark] });
  }

  /** Reads what is pending here, each once: it may have failed since. Answers whether anything is another now. @throws Stopped */
  async look(payments: readonly KnownPayment[]): Promise<boolean> {
    let isNews = false;
    for (const { operation, status } of payments) {
      if (operation === null || isFinal(status) || status === CONTRADICTED) continue;
      if (this.#seen.has(operation.toLowerCase())) continue;
      const said = await this.#statusOf(operation);
      this.#seen.set(operation.toLowerCase(), said ?? status);
      if (said === null || said === status) continue;
      isNews = true;
      await this.#journal.note(operation, said);
    }
    return isNews;
  }

  /** The service has told of it: it counts from now on. */
  learn(operation: OperationFacts): void {
    this.#learnt.set(operation.id, operation);
  }

  /** Reads on to the end of the feed, or only where that was not done yet: from now on the mirror tells of it. @throws as `OpenMirror.sync` */
  async readFeed(again = true): Promise<void> {
    if (this.#isFeedRead && !again) return;
    await (await this.#mirror()).sync();
    [this.#isFeedRead, this.#fromFeed] = [true, null];
  }

  async close(): Promise<void> {
    const open = await this.#open?.catch(() => null);
    await open?.close();
  }

  /** Nothing more is loaded where there never was one. */
  #hasMirror(): boolean {
    return this.#open !== null || storesOf(this.#run).has('mirrors');
  }

  async #rows(referenceMark: Uint8Array): Promise<KnownRow[]> {
    const { direction, place } = this.#payee;
    const { environment } = place;
    const stores = storesOf(this.#run);
    if (!stores.has('batches')) return [];
    const known: KnownRow[] = [];
    for (const row of await stores.rowsOfReference({ environment, direction }, referenceMark)) {
      const owner = await this.#ownerOf(row);
      if (owner === 'other') continue;
      // What may have left although it stands as if it never did is about to be sent, for all that anybody knows.
      const isRunning = await mayHaveLeft(row, stores);
      const state = isRunning ? 'planned' : row.state;
      known.push({ ...row, state, isRunning, isSameCompany: owner === 'same' });
    }
    return known;
  }

  #mirror(): Promise<OpenMirror> {
    this.#open ??= import('../feed/mirror.js').then(({ openMirror }) => openMirror(this.#run));
    return this.#open;
  }

  /** @param held what the stores hold of it: where the mirror says the same, nothing is asked */
  async #operations(held: readonly HeldOperation[]): Promise<readonly OperationFacts[]> {
    const { reference, direction, isStrict } = this.#payee;
    if (reference === null || (!isStrict && !this.#isFeedRead) || !this.#hasMirror()) return [];
    if (this.#fromFeed !== null) return this.#fromFeed;
    const folded = foldReference(reference);
    const { proved } = await this.#mirror();
    const all = (await proved.ofReferences(direction, [folded], new Map([[folded, held]]))).get(folded) ?? [];
    const leastMs = this.#run.session.clock.now() - MARKS_KEPT_MS;
    this.#fromFeed = all.filter(({ createdAtMs }) => (createdAtMs ?? leastMs) >= leastMs);
    return this.#fromFeed;
  }

  /** A company that has no mirror here is nobody's. */
  async #ownerOf({ company, operation }: OtherRow): Promise<Ownership> {
    if (company === null || !this.#hasMirror()) return 'unknown';
    const { mirrors, read } = await this.#mirror();
    return ownerOf(mirrors, { company, operation }, this.#payee.place, read).catch(unlessFailed('unknown'));
  }

  /** What is not known stands in the way. */
  #isThere(operation: string): Promise<'there' | 'absent' | 'unknown'> {
    const read = async () => ((await lookUp(operation, this.#run)) === null ? 'absent' : 'there');
    return read().catch(unlessFailed('unknown'));
  }

  async #statusOf(operation: string): Promise<string | null> {
    const read = async () => (await lookUp(operation, this.#run))?.operation.status ?? GONE;
    return read().catch(unlessFailed(null));
  }

  #asSeen({ operations, rows, singles }: Evidence): Evidence {
    const asSeen = <S extends string | null>(id: string | null, status: S): S | string => {
      const said =
        id === null || (status !== null && isFinal(status)) ? undefined : this.#seen.get(id.toLowerCase());
      return said ?? status;
    };
    return {
      operations: operations.map((one) => ({ ...one, status: asSeen(one.id, one.status) })),
      rows: rows.map((row) => {
        const status = asSeen(row.operation, row.status);
        return { ...row, status, state: status === 'failed' ? 'failed' : row.state };
      }),
      singles: singles.map((one) => ({ ...one, status: asSeen(one.operation, one.status) })),
    };
  }
}

/** No answer is none; a signal, and what the disk has to say, go through. */
function unlessFailed<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if (!(error instanceof Failure) || error.kind === 'local_state') throw error;
    return otherwise;
  };
}

function heldBy({ operation, status, amount, currency, atMs }: SingleCreate): HeldOperation {
  return { operation, status, amount: amount ?? '', currency: currency ?? '', operationAtMs: atMs };
}

/** Somebody may be sending it now; or another database server has taken over, and knows nothing of its sending. */
async function mayHaveLeft({ state, batch }: OtherRow, stores: Stores): Promise<boolean> {
  if (isOneOf(NEVER_SENT, state) && (await stores.isAtWork(batch))) return true;
  return isOneOf([...NEVER_SENT, ...RETRIABLE], state) && (await stores.isInDoubt(batch));
}
