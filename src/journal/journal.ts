/** The journal: creates, durable before they leave, open until their outcome is known, and in the book after that. */
import type { Environment } from '../contract/access.js';
import type { Direction } from '../contract/operation.js';
import type { Obstacle, PrecedenceOptions } from './precedence.js';
import type { KeptRequest, Leaving, OpenRequest, SettledRequest } from './request.js';

/** What the book is asked about references. */
export interface BookQuery {
  readonly environment: Environment;
  readonly direction: Direction;
  readonly referenceMarks: readonly Uint8Array[];
}

/** A request that is durable: it may leave. */
export interface Recorded {
  readonly request: KeptRequest;
  /** What the same key and bytes are known to have become; null where that is not known. */
  readonly known: SettledRequest | null;
  /** False for one more sending of a request that was there. */
  readonly isNew: boolean;
}

/** What comes of putting a create into the book: it may leave, or something stands in its way. */
export type RecordOutcome = Recorded | Obstacle;

/** Every method rejects with DatabaseUnusable where the file can't be used. */
export interface Journal {
  /** Under which keys have their prints here; null for the salt of this machine. */
  readonly keySalt: Uint8Array | null;
  /**
   * Puts a create into the book, or one more sending of it, unless something there stands in its way: looked at and written in one.
   * Durable when this resolves; only then may the request leave.
   */
  record(leaving: Leaving, options: PrecedenceOptions): Promise<RecordOutcome>;
  /** One more sending of a request that is open, whoever sends it now. Durable when this resolves: what it answers may leave. */
  again(
    request: OpenRequest,
    sender: Pick<Leaving, 'keyMask' | 'keyPrint' | 'address' | 'origin'>,
  ): Promise<OpenRequest>;
  /**
   * An operation in hand: every sending of these bytes with this key is that one.
   * @param firstLeftMs when the first sending left, where an answer that came since has shown it
   */
  settle(request: Pick<KeptRequest, 'row'>, settled: SettledRequest, firstLeftMs?: number): Promise<void>;
  /**
   * Nobody knows what became of this sending: its bytes stay, and come back where they were forgotten while it was under way.
   * @param firstLeftMs as for `settle`
   */
  keep(request: KeptRequest, firstLeftMs?: number): Promise<void>;
  /** This sending was certainly not carried out; the others, if any, stay open. */
  withdraw(request: Pick<KeptRequest, 'row'>): Promise<void>;
  /** What became of a settled request since. */
  update(request: Pick<KeptRequest, 'row'>, status: string): Promise<void>;
  /** True where the age of something may decide whether this leaves: anything with its key, or what is open with its body. */
  knows(leaving: Pick<Leaving, 'idempotencyKey' | 'body'>): Promise<boolean>;
  /** Every open request, in the order in which they left; or only what has this key. */
  open(idempotencyKey?: string): Promise<OpenRequest[]>;
  /** Every open request as it may be shown: without its bytes where this user may not read them. */
  listed(): Promise<KeptRequest[]>;
  /** Requests with these references, but for those that failed when they were answered. */
  ofReferences(query: BookQuery): Promise<KeptRequest[]>;
  /** Requests that were put into the book behind that row, with a reference. */
  behind(row: number): Promise<KeptRequest[]>;
  /** The last row. */
  lastRow(): Promise<number>;
  /** So many requests behind a row that became an operation whose id begins with this, in lower case; the empty text for all. */
  ofOperations(
    environment: Environment,
    beginning: string,
    after: number,
    count: number,
  ): Promise<KeptRequest[]>;
  /** The operation that this API key's requests became last; null where none is known. */
  newestOf(keyPrint: string, environment: Environment): Promise<string | null>;
  /**
   * When another server took over that may have forgotten requests, by its clock: for as long as their marks would stand. Null where nothing
   * can have been forgotten.
   */
  takenOverAtMs(): Promise<number | null>;
  /** Removes bodies and, later, marks that are too old at this moment of the service's time. */
  clear(nowMs: number): Promise<void>;
  /** Removes the bytes of what has this key, or of everything; answers how many. Their marks stay. */
  forget(idempotencyKey?: string): Promise<number>;
  /** Removes everything of these addresses: a sandbox that was emptied. */
  drop(environment: Environment, origin: string): Promise<number>;
  close(): Promise<void>;
}
