/** The journal of creates: recorded before they are checked, durable before they leave, open until their outcome is known, then settled. */
import type { Environment } from '../contract/access.js';
import type { KeyNote } from '../contract/key-use.js';
import type { Moment, TimeAnchor } from '../contract/moment.js';
import type { Obstacle, PrecedenceOptions } from './precedence.js';
import type { KeptRequest, Leaving, LeavingSender, OpenRequest, SettledRequest } from './request.js';

export interface BookQuery extends Pick<Leaving, 'environment' | 'direction'> {
  readonly referenceMarks: readonly Uint8Array[];
}

/** A search for a payment without a reference. */
export type TwinQuery = Pick<Leaving, 'environment' | 'direction' | 'twinMark' | 'metadataMark'>;

export type TimePlace = Pick<Leaving, 'environment' | 'origin'>;

/** A request that is in the journal, and may be cleared: then it leaves. */
export interface Recorded {
  readonly request: KeptRequest;
  /** What the same key and bytes are known to have become; null where that is not known. */
  readonly known: SettledRequest | null;
  /** True for its first sending; false for one more of a request that has left before. */
  readonly isNew: boolean;
}

export type RecordOutcome = Recorded | Obstacle;

export interface Clearing {
  /** When it leaves; what left before keeps its own. */
  readonly left: Moment;
  readonly sender: LeavingSender;
  /** Of what is sent in its place nothing is ever sent again; it must be what it was when that was decided. */
  readonly over?: KeptRequest | undefined;
  readonly anchor?: TimeAnchor | null | undefined;
}

/** What an answer has shown beside what became of the request. */
export interface Learnt {
  /** When it first left, in the service's time, where that was not known before. */
  readonly leftServiceMs?: number | undefined;
  readonly anchor?: TimeAnchor | null | undefined;
}

/** A key of a payment, and whose it is: companies have keys apart. */
export type NotedKey = Pick<Leaving, 'idempotencyKey' | 'environment' | 'origin' | 'keyPrint'>;

/** Every method rejects with DatabaseUnusable where the file can't be used. */
export interface Journal {
  /** Under which keys have their prints here; null for the salt of this machine. */
  readonly keySalt: Uint8Array | null;
  /**
   * Records a create, unless another request blocks it: checked and written in one commit. It blocks others from
   * now on, for as long as this process lives; it may not leave yet, and a power cut may take it.
   */
  record(leaving: Leaving, options: PrecedenceOptions): Promise<RecordOutcome>;
  /**
   * Both in one for a create without a reference, where the journal has neither its key nor an open create of the same payment. Durable when this
   * resolves.
   * @param clearingAt from the newest service time that was believed here, in this boot where there is one; null where it may not leave yet
   * @returns null where nothing was done: it has to be recorded, and asked about. So is whatever machines share
   */
  leave(
    leaving: Leaving,
    bootId: string,
    clearingAt: (newest: TimeAnchor | null) => Clearing | null,
  ): Promise<OpenRequest | null>;
  /**
   * Clears one sending, of any process: durable when this resolves. Only then may the request leave.
   * @param request as it was recorded, or read
   * @returns null when the request or `over` has changed: nothing may leave, and it must be recorded again
   */
  clear(request: KeptRequest, clearing: Clearing): Promise<OpenRequest | null>;
  /** What was recorded does not leave after all. One that left already is as it was. */
  release(request: Pick<KeptRequest, 'row' | 'state'>): Promise<void>;
  /** An operation in hand: every sending of these bytes with this key is that one. What is final stays as it is. */
  settle(request: Pick<KeptRequest, 'row'>, settled: SettledRequest, learnt?: Learnt): Promise<void>;
  /** Nobody knows what became of this sending: its bytes stay, and come back where they were forgotten while it was under way. */
  keep(request: KeptRequest, learnt?: Learnt): Promise<void>;
  /** This sending was certainly not carried out; the others, if any, stay open. */
  withdraw(request: Pick<KeptRequest, 'row'>): Promise<void>;
  /** Its key has made another request: no sending of these bytes was ever carried out. */
  refute(request: Pick<KeptRequest, 'row'>): Promise<void>;
  /**
   * A person says that it was never carried out: it was never there.
   * @returns false where it is not what it was any more; then nothing is done
   */
  remove(request: Pick<KeptRequest, 'row' | 'sendings'>): Promise<boolean>;
  /** A status that the service has said of an operation, if that is one of the journal. Of two ends both are kept (`contradicted`). */
  note(operation: string, status: string): Promise<void>;
  /** The same where a person has asked what it is: that is what it is. */
  tell(operation: string, status: string): Promise<void>;
  /** True where the age of something decides whether this leaves: what left with its key. */
  knows(idempotencyKey: string): Promise<boolean>;
  /** Every open request, in the order in which they left; or only what has this key. */
  open(idempotencyKey?: string): Promise<OpenRequest[]>;
  /** Every open request as it may be shown: without its bytes where this user may not read them. */
  listed(): Promise<KeptRequest[]>;
  /** Everything that left with this key, in the order of the journal. */
  withKey(idempotencyKey: string): Promise<KeptRequest[]>;
  /** Requests with these references, whatever became of them, in the order of the journal; those too that a process that lives has recorded. */
  ofReferences(query: BookQuery): Promise<KeptRequest[]>;
  /** The same of requests without a reference that a person takes for the same payment. */
  ofTwins(query: TwinQuery): Promise<KeptRequest[]>;
  /** Requests that were put into the journal behind that row, with a reference; those too that a process that lives has recorded. */
  behind(row: number): Promise<KeptRequest[]>;
  lastRow(): Promise<number>;
  /** The requests that became one of these operations, their ids in either case. */
  withOperations(operations: readonly string[]): Promise<KeptRequest[]>;
  /** So many requests behind a row that became an operation whose id begins with this, in lower case; the empty text for all. */
  ofOperations(
    environment: Environment,
    beginning: string,
    after: number,
    count: number,
  ): Promise<KeptRequest[]>;
  /** The last request of this API key that became an operation; null where none is known. */
  newestOf(keyPrint: string, environment: Environment): Promise<KeptRequest | null>;
  /** The newest service time that was believed here: in this boot where there is one, else in any. Null where none is known. */
  newestTime(place: TimePlace, bootId: string): Promise<TimeAnchor | null>;
  /** Keeps it. Live: never an older one than is known of its boot. In a sandbox: the last one, because its time may start again. */
  noteTime(place: TimePlace, anchor: TimeAnchor): Promise<void>;
  /**
   * When another server took over that may have forgotten requests, by its clock: for as long as their marks would stand. Null where nothing
   * can have been forgotten.
   */
  takenOverAtMs(): Promise<number | null>;
  /** Keeps what is known of a key; a word that is said again counts from then on. */
  noteKey(key: NotedKey, note: KeyNote): Promise<void>;
  keyNotes(key: NotedKey): Promise<KeyNote[]>;
  /** Removes bodies that are too old at this moment of the service's time, and what was settled too long ago; what is open stays. */
  sweep(nowMs: number): Promise<void>;
  /**
   * Removes the bytes of what has this key, or of everything, and what was recorded and never left; answers how many. The marks of what left
   * stay.
   */
  forget(idempotencyKey?: string): Promise<number>;
  /** Removes everything of these addresses: a sandbox that was emptied. Answers how many requests. */
  drop(environment: Environment, origin: string): Promise<number>;
  close(): Promise<void>;
}
