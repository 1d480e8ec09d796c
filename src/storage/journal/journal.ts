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

export interface RecordedRequest {
  readonly request: JournalRequest;
  readonly settlement: SettledRequest | null;
  readonly isNew: boolean;
}

export type RecordOutcome = RecordedRequest | Obstacle;

export interface Departure {
  readonly left: Moment;
  readonly sender: Pick<UnsentRequest, 'keyMask' | 'keyPrint' | 'address' | 'origin'>;
  readonly predecessor?: JournalRequest | undefined;
  readonly anchor?: TimeAnchor | null | undefined;
}

export interface LearntTimes {
  readonly leftServiceMs?: number | undefined;
  readonly anchor?: TimeAnchor | null | undefined;
}

/** `keyPrint` tells two companies apart that use the same idempotency key. */
export type NotedKey = Pick<UnsentRequest, 'idempotencyKey' | 'environment' | 'origin' | 'keyPrint'>;

/** A create is recorded, checked, cleared and sent, and is open until its outcome is known. */
export interface Journal {
  readonly keySalt: Uint8Array | null;
  /** Records a create, unless another request blocks it. Send it only after `clear`, because a power cut may lose the record. */
  record(unsent: UnsentRequest, options: PrecedenceOptions): Promise<RecordOutcome>;
  /** Records and clears a create without a reference in one durable commit. */
  recordAndClear(
    unsent: UnsentRequest,
    bootId: string,
    clearingAt: (newest: TimeAnchor | null) => Departure | null,
  ): Promise<OpenRequest | null>;
  /** Permits one sending, durably. If it returns null, nothing may be sent, because another process has changed the request. */
  clear(request: JournalRequest, departure: Departure): Promise<OpenRequest | null>;
  release(request: Pick<JournalRequest, 'row' | 'state'>): Promise<void>;
  settle(
    request: Pick<JournalRequest, 'row'>,
    settled: SettledRequest,
    learntTimes?: LearntTimes,
  ): Promise<void>;
  keepOpen(request: JournalRequest, learntTimes?: LearntTimes): Promise<void>;
  withdraw(request: Pick<JournalRequest, 'row'>): Promise<void>;
  /** Removes every sending of a request, because its idempotency key belongs to another request. */
  refute(request: Pick<JournalRequest, 'row'>): Promise<void>;
  /** Removes a request that a person says was never carried out. Returns false if the request has changed. */
  remove(request: Pick<JournalRequest, 'row' | 'sendings'>): Promise<boolean>;
  noteStatus(operation: string, status: string): Promise<void>;
  setStatus(operation: string, status: string): Promise<void>;
  hasLeft(idempotencyKey: string): Promise<boolean>;
  open(idempotencyKey?: string): Promise<OpenRequest[]>;
  openForDisplay(): Promise<JournalRequest[]>;
  withKey(idempotencyKey: string): Promise<JournalRequest[]>;
  ofReferences(query: ReferenceQuery): Promise<JournalRequest[]>;
  ofTwins(query: TwinQuery): Promise<JournalRequest[]>;
  afterRow(row: number): Promise<JournalRequest[]>;
  lastRow(): Promise<number>;
  withOperations(operations: readonly string[]): Promise<JournalRequest[]>;
  ofOperations(
    environment: Environment,
    beginning: string,
    after: number,
    count: number,
  ): Promise<JournalRequest[]>;
  newestOf(keyPrint: string, environment: Environment): Promise<JournalRequest | null>;
  newestTime(place: TimePlace, bootId: string): Promise<TimeAnchor | null>;
  noteTime(place: TimePlace, anchor: TimeAnchor): Promise<void>;
  /** Returns the time at which svc noticed the last failover, or null if there was none in the last 400 days. */
  takenOverAtMs(): Promise<number | null>;
  noteKey(key: NotedKey, note: KeyNote): Promise<void>;
  keyNotes(key: NotedKey): Promise<KeyNote[]>;
  sweep(nowMs: number): Promise<void>;
  forget(idempotencyKey?: string): Promise<number>;
  drop(environment: Environment, origin: string): Promise<number>;
  close(): Promise<void>;
}
