/** A create is recorded before it is checked, cleared durably before it is sent, and open until its outcome is known. */
import type { Environment } from '../../contract/access.js';
import type { KeyNote } from '../../contract/key-use.js';
import type { Moment, TimeAnchor } from '../../contract/moment.js';
import type { Obstacle, PrecedenceOptions } from './precedence.js';
import type { JournalRequest, UnsentRequest, OpenRequest, SettledRequest } from './request.js';

export interface ReferenceQuery extends Pick<UnsentRequest, 'environment' | 'direction'> {
  readonly referenceMarks: readonly Uint8Array[];
}

export type TwinQuery = Pick<UnsentRequest, 'environment' | 'direction' | 'twinMark' | 'metadataMark'>;

export type TimePlace = Pick<UnsentRequest, 'environment' | 'origin'>;

/** A request in the journal. It may be sent only after `clear`. */
export interface RecordedRequest {
  readonly request: JournalRequest;
  /** The operation that an earlier sending of the same key and body has made, or null if none is known. */
  readonly known: SettledRequest | null;
  readonly isNew: boolean;
}

export type RecordOutcome = RecordedRequest | Obstacle;

export interface Departure {
  /** When the request is sent. A repeat keeps the time of its first sending. */
  readonly left: Moment;
  readonly sender: Pick<UnsentRequest, 'keyMask' | 'keyPrint' | 'address' | 'origin'>;
  /** The older request that this one replaces. The older one is never sent again. */
  readonly predecessor?: JournalRequest | undefined;
  readonly anchor?: TimeAnchor | null | undefined;
}

export interface LearntTimes {
  /** The service's time of the first sending. Set only if no earlier answer has shown it. */
  readonly leftServiceMs?: number | undefined;
  readonly anchor?: TimeAnchor | null | undefined;
}

/** Two companies may use the same idempotency key. A hash of the API key tells them apart. */
export type NotedKey = Pick<UnsentRequest, 'idempotencyKey' | 'environment' | 'origin' | 'keyPrint'>;

/** Every method rejects if the journal cannot be used. */
export interface Journal {
  /** The salt for hashes of API keys, or null to use the salt of this machine. */
  readonly keySalt: Uint8Array | null;
  /**
   * Records a create, unless another request blocks it. A power cut may lose the record, so the create may be sent only after `clear`. The
   * record blocks other creates of the same payment while this process lives.
   */
  record(unsent: UnsentRequest, options: PrecedenceOptions): Promise<RecordOutcome>;
  /**
   * Records and clears a create without a reference in one durable commit.
   * Returns null if nothing was done. The caller must then call `record`.
   */
  recordAndClear(
    unsent: UnsentRequest,
    bootId: string,
    clearingAt: (newest: TimeAnchor | null) => Departure | null,
  ): Promise<OpenRequest | null>;
  /**
   * Clears one sending durably. The request may be sent only after this resolves.
   * Returns null if the request or `predecessor` has changed. The request must then be recorded again.
   */
  clear(request: JournalRequest, departure: Departure): Promise<OpenRequest | null>;
  /** Takes back a record that this process will not send. A request that was sent stays. */
  release(request: Pick<JournalRequest, 'row' | 'state'>): Promise<void>;
  /**
   * Records the operation that the request has made. A known final status stays, or
   * becomes `contradicted`.
   */
  settle(
    request: Pick<JournalRequest, 'row'>,
    settled: SettledRequest,
    learntTimes?: LearntTimes,
  ): Promise<void>;
  /** Records that the outcome of a sending is unknown. */
  keepOpen(request: JournalRequest, learntTimes?: LearntTimes): Promise<void>;
  /** Removes a sending that was certainly not carried out. Other sendings of the request stay open. */
  withdraw(request: Pick<JournalRequest, 'row'>): Promise<void>;
  /** Removes every sending of a request. None was carried out, because its idempotency key belongs to a request with another body. */
  refute(request: Pick<JournalRequest, 'row'>): Promise<void>;
  /**
   * Removes a request that a person says was never carried out. A failed operation stays. Returns
   * false and does nothing if the request has changed.
   */
  remove(request: Pick<JournalRequest, 'row' | 'sendings'>): Promise<boolean>;
  /** Two different final statuses become `contradicted`. */
  noteStatus(operation: string, status: string): Promise<void>;
  /** Replaces any other status, because a person asked the service for the new one. */
  setStatus(operation: string, status: string): Promise<void>;
  /** True if a request with this key was ever sent. */
  hasLeft(idempotencyKey: string): Promise<boolean>;
  /** Without a key, returns all open requests in the order of sending. */
  open(idempotencyKey?: string): Promise<OpenRequest[]>;
  openForDisplay(): Promise<JournalRequest[]>;
  withKey(idempotencyKey: string): Promise<JournalRequest[]>;
  /** Returns requests in any state, in the order of the journal. A request that has not been sent is left out once its process has ended. */
  ofReferences(query: ReferenceQuery): Promise<JournalRequest[]>;
  /** Returns requests without a reference that a person would take for the same payment. */
  ofTwins(query: TwinQuery): Promise<JournalRequest[]>;
  afterRow(row: number): Promise<JournalRequest[]>;
  lastRow(): Promise<number>;
  withOperations(operations: readonly string[]): Promise<JournalRequest[]>;
  /** Returns requests whose operation id begins with `beginning`, in lower case. */
  ofOperations(
    environment: Environment,
    beginning: string,
    after: number,
    count: number,
  ): Promise<JournalRequest[]>;
  newestOf(keyPrint: string, environment: Environment): Promise<JournalRequest | null>;
  newestTime(place: TimePlace, bootId: string): Promise<TimeAnchor | null>;
  /** In a sandbox the last time counts, not the newest, because the sandbox's time may start again. */
  noteTime(place: TimePlace, anchor: TimeAnchor): Promise<void>;
  /** Returns the time of the last failover, or null if it is older than `MARKS_KEPT_MS`. The new database server may have lost requests. */
  takenOverAtMs(): Promise<number | null>;
  noteKey(key: NotedKey, note: KeyNote): Promise<void>;
  keyNotes(key: NotedKey): Promise<KeyNote[]>;
  /**
   * Removes bodies, notes and settled requests that are too old at the service's time `nowMs`. Open
   * requests stay.
   */
  sweep(nowMs: number): Promise<void>;
  /** Removes the bytes of open requests, and records that were never sent. Returns how many. */
  forget(idempotencyKey?: string): Promise<number>;
  drop(environment: Environment, origin: string): Promise<number>;
  close(): Promise<void>;
}
