/** A keyed request as it is kept: with its bytes while its outcome is unknown, and without them after that. Pure. */
import type { Environment } from '../contract/access.js';
import type { EndpointId } from '../contract/endpoints.js';
import { KEY_SAFE_MS, SERVICE_CLOCKS_MS } from '../contract/limits.js';
import { accountTail, bodyMark, metadataMark, referenceMark, twinMark } from '../contract/marks.js';
import { type Age, mayLeaveAgain, type Moment } from '../contract/moment.js';
import { areContradicting, CONTRADICTED, type Direction, GONE, isFinal } from '../contract/operation.js';

/** A create, before it leaves. */
export interface Leaving extends About {
  readonly idempotencyKey: string;
  /** The caller named the key; what is generated or derived here is known to nobody else. */
  readonly isOwnKey: boolean;
  /** What its derived key says that it follows (`PaymentTry`); null too for a key that is not derived. */
  readonly follows: string | null;
  /** Which try of its payment a derived key is for, from 1; null for a key that is not derived. */
  readonly generation: number | null;
  /** Payments from before it are others, in the service's time; null where all count. */
  readonly sinceMs: number | null;
  readonly endpoint: EndpointId;
  readonly environment: Environment;
  /** What `/v2` is appended to, or `embedded`. */
  readonly address: string;
  /** The address in the one form that all its spellings share. */
  readonly origin: string;
  /** From `/v2` on. */
  readonly path: string;
  /** The exact bytes. */
  readonly body: Uint8Array;
  /** Who asks: prefix and last four of the API key, never the key. */
  readonly keyMask: string;
  /** The same as a salted hash, so that the key is known again. */
  readonly keyPrint: string;
}

/** Whose key it is sent with, and where. */
export type LeavingSender = Pick<Leaving, 'keyMask' | 'keyPrint' | 'address' | 'origin'>;

/** What a request is about, by marks: what stays of it when its bytes are gone. */
export interface About {
  readonly direction: Direction;
  /** Null for a request without a reference. */
  readonly referenceMark: Uint8Array | null;
  readonly bodyMark: Uint8Array;
  readonly twinMark: Uint8Array;
  readonly metadataMark: Uint8Array;
  /** As they were sent; null where the body does not say. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** The last four of the account or phone; null where there is none. */
  readonly accountTail: string | null;
}

export interface SettledRequest {
  readonly operation: string;
  /** As it was when it was last seen. */
  readonly status: string;
  /** When the service says that it was made, in its time; null where it does not say. */
  readonly createdAtMs: number | null;
}

/**
 * `recorded`: it has not left, and leaves only if nothing stands in its way. `open`: it left, or is leaving, and its outcome is not known.
 * `forgotten`: the same, its bytes were removed by hand.
 */
export type RequestState = 'recorded' | 'open' | 'forgotten' | 'settled';

export interface KeptRequest extends Omit<Leaving, 'body'> {
  readonly row: number;
  readonly state: RequestState;
  /** Those whose outcome is not known. */
  readonly sendings: number;
  /** Null where it is not open. */
  readonly body: Uint8Array | null;
  /** Null where no operation of it is known. */
  readonly settled: SettledRequest | null;
  /** When it first left; null where it never did. */
  readonly left: Moment | null;
  /** The same to be shown: by the service's time where that was known, else by the machine's; when it was recorded where it never left. */
  readonly firstLeftMs: number;
  /** Another payment was made in its place on purpose: it is never sent again, whatever its age. */
  readonly mayNotRepeat: boolean;
  /** How long ago it left by the clock of a shared journal, in milliseconds. */
  readonly keptForMs?: number | undefined;
  /** Its last sending whose outcome is not known, in a shared journal; of one that is recorded, whose it is. */
  readonly lastSending?: LastSending | undefined;
}

export interface LastSending {
  /** The machine, and the process there. */
  readonly by: string;
  /** It may still be answered until then, by the clock of the journal; null for one that is over. */
  readonly underWayUntilMs: number | null;
}

export interface OpenRequest extends KeptRequest {
  readonly state: 'open';
  readonly body: Uint8Array;
}

/** Bodies hold personal data: what nobody repeated is cleared after this. */
export const BODY_KEPT_MS = 30 * 24 * 3_600_000;
/** The marks of a settled request say for that long what was paid; those of an open one for as long as it is open. */
export const MARKS_KEPT_MS = 400 * 24 * 3_600_000;
/** What names no payment, and whose key nobody else can have, is kept for that long: somebody may be about to type it again. */
export const NAMELESS_KEPT_MS = 10 * 60_000;

/**
 * True where the same bytes may be sent again with the same key.
 * @param ageMs since they first left, in the service's time; negative where a clock was set: it says nothing then
 */
export function isRepeatable(ageMs: number): boolean {
  return ageMs <= KEY_SAFE_MS && ageMs >= -SERVICE_CLOCKS_MS;
}

/** Judges how long ago a moment was. @param sharedMs the time of the database that machines share; undefined without one */
export type AgeOf = (then: Moment, sharedMs: number | undefined) => Age;

/** How long ago it first left, also by the journal's own clock. */
export function ageAt({ left, keptForMs }: Pick<KeptRequest, 'left' | 'keptForMs'>, ageOf: AgeOf): Age {
  if (left === null) return { kind: 'time_unknown' };
  const { sharedMs } = left;
  return ageOf(left, sharedMs === undefined || keptForMs === undefined ? undefined : sharedMs + keptForMs);
}

/** True if the same bytes may be sent again with the same key, by all clocks. Never true if another request was sent in their place. */
export function isRepeatableAt(
  request: Pick<KeptRequest, 'left' | 'keptForMs' | 'mayNotRepeat'>,
  ageOf: AgeOf,
): boolean {
  return !request.mayNotRepeat && mayLeaveAgain(ageAt(request, ageOf));
}

/**
 * What it is known to have become, now that it is said to have become that: what is final stays what it is, unless the same operation is said to have
 * ended otherwise; and an operation that failed does not take the place of another one that did not.
 */
export function settledAs(before: SettledRequest | null, now: SettledRequest): SettledRequest {
  if (before === null || before.status === GONE) return now;
  const isSame = before.operation.toLowerCase() === now.operation.toLowerCase();
  if (isSame && areContradicting(before.status, now.status)) return { ...before, status: CONTRADICTED };
  const stays = isSame
    ? isFinal(before.status) || before.status === CONTRADICTED
    : before.status !== 'failed' && now.status === 'failed';
  return stays ? before : now;
}

/** What its key is known to have made; null where that is not known, or is gone. */
export function knownIn({ settled }: KeptRequest): SettledRequest | null {
  return settled?.status === GONE ? null : settled;
}

/**
 * What a request is about, from its endpoint and body.
 * @param object the members of the body; null where it is no JSON object: then it is only equal to itself
 */
export function aboutOf(
  endpoint: EndpointId,
  body: Uint8Array,
  object: Readonly<Record<string, unknown>> | null,
): About {
  const direction = endpoint === 'payins.create' ? 'payin' : 'payout';
  const members = object ?? {};
  const text = (name: string): string | null => {
    const member = members[name];
    return typeof member === 'string' ? member : null;
  };
  const reference = text('reference');
  const mark = bodyMark(body);
  return {
    direction,
    referenceMark: reference === null || reference.trim() === '' ? null : referenceMark(reference),
    bodyMark: mark,
    twinMark: twinMark(members, direction),
    metadataMark: object === null ? mark : metadataMark(object),
    amount: text('amount'),
    currency: text('currency'),
    accountTail: accountTail(members, direction),
  };
}
