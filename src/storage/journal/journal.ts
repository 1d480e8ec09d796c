/** The journal of creates. A create is recorded before it is checked, written durably before it leaves, open until its outcome is known, then settled. */
import type { Environment } from '../../contract/access.js';
import type { KeyNote } from '../../contract/key-use.js';
import type { Moment, TimeAnchor } from '../../contract/moment.js';
import type { Obstacle, PrecedenceOptions } from './precedence.js';
import type { JournalRequest, UnsentRequest, OpenRequest, SettledRequest } from './request.js';

export interface ReferenceQuery extends Pick<UnsentRequest, 'environment' | 'direction'> {
  readonly referenceMarks: readonly Uint8Array[];
}

/** A search for a payment without a reference. */
export type TwinQuery = Pick<UnsentRequest, 'environment' | 'direction' | 'twinMark' | 'metadataMark'>;

export type TimePlace = Pick<UnsentRequest, 'environment' | 'origin'>;

/** A request that is in the journal. It may leave only after `clear`. */
export interface RecordedRequest {
  readonly request: JournalRequest;
  /** The operation that the same key and bytes are known to have made; null if none is known. */
  readonly known: SettledRequest | null;
  /** True if the request has not left before. False for a repeat. */
  readonly isNew: boolean;
}

export type RecordOutcome = RecordedRequest | Obstacle;

export interface Departure {
  /** When the request leaves. A repeat keeps the moment of its first sending. */
  readonly left: Moment;
  /** The API key and the address of this sending. */
  readonly sender: Pick<UnsentRequest, 'keyMask' | 'keyPrint' | 'address' | 'origin'>;
  /** The older request that this one replaces, and that is never sent again. `clear` returns null if the older one has changed since the decision. */
  readonly predecessor?: JournalRequest | undefined;
  readonly anchor?: TimeAnchor | null | undefined;
}

/** The times that an answer proves, in addition to the outcome. */
export interface LearntTimes {
  /** When the request first left, in the service's time. Set only if this time was not known before the answer. */
  readonly leftServiceMs?: number | undefined;
  readonly anchor?: TimeAnchor | null | undefined;
}

/** Identifies an idempotency key. Two companies may use the same one, so the print of the API key tells them apart. */
export type NotedKey = Pick<UnsentRequest, 'idempotencyKey' | 'environment' | 'origin' | 'keyPrint'>;

/** Every method rejects if the journal cannot be used: with DatabaseUnusable for a file, with a Failure for a shared state. */
export interface Journal {
  /** The salt of the prints of API keys in this journal; null: the salt of this machine. */
  readonly keySalt: Uint8Array | null;
  /**
   * Records a create, unless another request blocks it: the check and the write are one commit. From now on the record blocks others, for as long as
   * this process lives. It may not leave yet, and a power cut may lose it.
   */
  record(unsent: UnsentRequest, options: PrecedenceOptions): Promise<RecordOutcome>;
  /**
   * Records and clears in one commit. Only for a create without a reference, if the journal has neither its key nor an open create of the same
   * payment. Durable when this resolves.
   * @param clearingAt gets the newest service time known here (of this boot, else of any); returns null if the request may not leave yet
   * @returns null if nothing was done: call `record` and check. Always null for a shared journal
   */
  recordAndClear(
    unsent: UnsentRequest,
    bootId: string,
    clearingAt: (newest: TimeAnchor | null) => Departure | null,
  ): Promise<OpenRequest | null>;
  /**
   * Clears one sending, by any process. Durable when this resolves: only then may the request leave.
   * @param request as `record` or a read returned it
   * @returns null if the request or `predecessor` has changed since: the request may not leave, and must be recorded again
   */
  clear(request: JournalRequest, departure: Departure): Promise<OpenRequest | null>;
  /** Takes back a record that this process will not send. A request that left already stays. */
  release(request: Pick<JournalRequest, 'row' | 'state'>): Promise<void>;
  /** Notes the operation: every sending of these bytes with this key became it. A final status stays, or becomes `contradicted`. */
  settle(
    request: Pick<JournalRequest, 'row'>,
    settled: SettledRequest,
    learntTimes?: LearntTimes,
  ): Promise<void>;
  /** Ends this sending with an unknown outcome. The bytes stay; bytes that were forgotten during the sending come back. */
  keepOpen(request: JournalRequest, learntTimes?: LearntTimes): Promise<void>;
  /** Removes this sending, which was certainly not carried out. Other sendings of the request stay open. */
  withdraw(request: Pick<JournalRequest, 'row'>): Promise<void>;
  /** Removes every sending of these bytes: the key belongs to another request, so none of them was carried out. */
  refute(request: Pick<JournalRequest, 'row'>): Promise<void>;
  /** Removes a request that a person says was never carried out, except for its failed operation. @returns false if it has changed: nothing is done */
  remove(request: Pick<JournalRequest, 'row' | 'sendings'>): Promise<boolean>;
  /** Notes the status of an operation, if the journal has it. Two different ends become `contradicted`. `gone` opens a pending request again. */
  noteStatus(operation: string, status: string): Promise<void>;
  /** Sets the status that the service gave when a person asked for the operation. It replaces any other. */
  setStatus(operation: string, status: string): Promise<void>;
  /** True if something left with this key. Then the age of that sending decides if the key may leave again. */
  hasLeft(idempotencyKey: string): Promise<boolean>;
  /** Returns the open requests of one key, or those of all keys in the order in which they left. */
  open(idempotencyKey?: string): Promise<OpenRequest[]>;
  /** Returns every open request for display. The bodies are null if this user may not read them. */
  openForDisplay(): Promise<JournalRequest[]>;
  /** Returns everything that left with this key, in the order of the journal. */
  withKey(idempotencyKey: string): Promise<JournalRequest[]>;
  /** Returns the requests with these references in any state, in the order of the journal. A recorded request counts while its process lives. */
  ofReferences(query: ReferenceQuery): Promise<JournalRequest[]>;
  /** Like `ofReferences`, for requests without a reference that a person would take for this payment. */
  ofTwins(query: TwinQuery): Promise<JournalRequest[]>;
  /** Returns the requests with a reference after row `row`. A recorded request counts while its process lives. */
  afterRow(row: number): Promise<JournalRequest[]>;
  lastRow(): Promise<number>;
  /** Returns the requests that became one of these operations. Ids may be in either case. */
  withOperations(operations: readonly string[]): Promise<JournalRequest[]>;
  /** Returns up to `count` requests after row `after` whose operation id begins with `beginning` (in lower case; empty: all). */
  ofOperations(
    environment: Environment,
    beginning: string,
    after: number,
    count: number,
  ): Promise<JournalRequest[]>;
  /** Returns the last request of this API key that became an operation; null if there is none. */
  newestOf(keyPrint: string, environment: Environment): Promise<JournalRequest | null>;
  /** Returns the newest service time that was accepted here: of this boot, else of any boot; null if there is none. */
  newestTime(place: TimePlace, bootId: string): Promise<TimeAnchor | null>;
  /** Keeps the newest service time of each boot. In a sandbox it keeps the last time, because the sandbox's time may start again. */
  noteTime(place: TimePlace, anchor: TimeAnchor): Promise<void>;
  /**
   * Returns when another database server took over, by its clock, since it may have forgotten requests. Null if no failover is recent enough to
   * matter: marks older than `MARKS_KEPT_MS` would be gone anyway.
   */
  takenOverAtMs(): Promise<number | null>;
  /** Keeps a note about a key. The same note again gets the new time. */
  noteKey(key: NotedKey, note: KeyNote): Promise<void>;
  keyNotes(key: NotedKey): Promise<KeyNote[]>;
  /** Removes bodies, notes and settled requests that are too old at this moment of the service's time. Open requests stay. */
  sweep(nowMs: number): Promise<void>;
  /** Removes the bytes of open requests, of one key or all, and records that never left. Returns how many. The marks of requests that left stay. */
  forget(idempotencyKey?: string): Promise<number>;
  /** Removes everything of one address, for a sandbox that was emptied. Returns how many requests. */
  drop(environment: Environment, origin: string): Promise<number>;
  close(): Promise<void>;
}
