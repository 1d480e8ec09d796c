/** A keyed request in the journal. It has its bytes while its outcome is unknown, and marks after that. Pure. */
import type { Environment } from '../../contract/access.js';
import type { EndpointId } from '../../contract/endpoints.js';
import { KEY_SAFE_MS, SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { accountTail, bodyMark, metadataMark, referenceMark, twinMark } from '../../contract/marks.js';
import { type Age, maySendAgain, type Moment } from '../../contract/moment.js';
import { areContradicting, CONTRADICTED, type Direction, GONE, isFinal } from '../../contract/operation.js';

/** A create before it leaves. */
export interface UnsentRequest extends RequestSubject {
  readonly idempotencyKey: string;
  /** True if the caller named the key. Nobody else knows a key that was generated or derived here. */
  readonly isOwnKey: boolean;
  /** The input of a derived key that says what it follows (`PaymentTry`); null for other keys. */
  readonly follows: string | null;
  /** The number of the try that a derived key is for, from 1; null for other keys. */
  readonly generation: number | null;
  /** Payments from before this moment of the service's time do not count. Null: all count. */
  readonly sinceMs: number | null;
  readonly endpoint: EndpointId;
  readonly environment: Environment;
  /** The URL before `/v2`, or `embedded`. */
  readonly address: string;
  /** The canonical form of the address. */
  readonly origin: string;
  /** Begins with `/v2`. */
  readonly path: string;
  /** The exact bytes. */
  readonly body: Uint8Array;
  /** Prefix and last four characters of the API key, never the key. */
  readonly keyMask: string;
  /** A salted hash of the API key, to recognise it. */
  readonly keyPrint: string;
}

/** A request's payment as marks (hashes), which stay when the bytes are removed. */
export interface RequestSubject {
  readonly direction: Direction;
  /** The hash of the reference; null for a request without a reference. */
  readonly referenceMark: Uint8Array | null;
  readonly bodyMark: Uint8Array;
  readonly twinMark: Uint8Array;
  readonly metadataMark: Uint8Array;
  /** The amount as in the body; null if the body has none. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** The last four characters of the account or phone; null if there is neither. */
  readonly accountTail: string | null;
}

export interface SettledRequest {
  readonly operation: string;
  /** The last status that was seen. */
  readonly status: string;
  /** When the service made the operation, in its time; null if the service did not say. */
  readonly createdAtMs: number | null;
}

export interface JournalRequest extends Omit<UnsentRequest, 'body'> {
  readonly row: number;
  /** `recorded`: not sent yet. `open`: sent or being sent, with an unknown outcome. `forgotten`: open, but its bytes were removed. */
  readonly state: 'recorded' | 'open' | 'forgotten' | 'settled';
  /** The number of sendings with an unknown outcome. */
  readonly sendings: number;
  /** The exact bytes, while the request is recorded or open; else null. */
  readonly body: Uint8Array | null;
  /** The operation of the request; null if none is known. */
  readonly settled: SettledRequest | null;
  /** When the request first left; null if it never left. */
  readonly left: Moment | null;
  /** For display: when the request first left, by the service's time or else the machine's. For a record: when it was recorded. */
  readonly firstLeftMs: number;
  /** True if another payment replaced this request on purpose: the request is never sent again, at any age. */
  readonly mayNotRepeat: boolean;
  /** In a shared journal: milliseconds since the request first left, by the journal's clock. */
  readonly keptForMs?: number | undefined;
  /**
   * In a shared journal: the machine and process (`by`) of the last sending with an unknown outcome, or of a record's owner. An answer may come
   * until `underWayUntilMs`, by the journal's clock; null if the sending is over.
   */
  readonly lastSending?: { readonly by: string; readonly underWayUntilMs: number | null } | undefined;
}

export interface OpenRequest extends JournalRequest {
  readonly state: 'open';
  readonly body: Uint8Array;
}

/** Bodies hold personal data, so a body that nobody repeats is removed after this time. */
export const BODY_KEPT_MS = 30 * 24 * 3_600_000;
/** How long a settled request's marks stay, to recognise what was paid. An open request's marks stay while it is open. */
export const MARKS_KEPT_MS = 400 * 24 * 3_600_000;
/** Final creates without a reference and without a key of the caller are kept 10 minutes, to catch the same line typed twice. */
export const NAMELESS_KEPT_MS = 10 * 60_000;

/** True if the same bytes may be sent again with the same key. @param ageMs since the first sending, in the service's time; negative after a clock was set */
export function isRepeatable(ageMs: number): boolean {
  return ageMs <= KEY_SAFE_MS && ageMs >= -SERVICE_CLOCKS_MS;
}

/** Returns the age of a moment, as far as the clocks can tell. @param sharedMs the time of the shared database; undefined without one */
export type AgeOf = (sentMoment: Moment, sharedMs: number | undefined) => Age;

export function ageAt({ left, keptForMs }: Pick<JournalRequest, 'left' | 'keptForMs'>, ageOf: AgeOf): Age {
  if (left === null) return { kind: 'time_unknown' };
  const { sharedMs } = left;
  return ageOf(left, sharedMs === undefined || keptForMs === undefined ? undefined : sharedMs + keptForMs);
}

/** True if the same bytes may be sent again with the same key, by all clocks. Never true if another request was sent in their place. */
export function isRepeatableAt(
  request: Pick<JournalRequest, 'left' | 'keptForMs' | 'mayNotRepeat'>,
  ageOf: AgeOf,
): boolean {
  return !request.mayNotRepeat && maySendAgain(ageAt(request, ageOf));
}

/** Merges two reports of a request. A final status stays, unless the same operation ended otherwise. A failed operation does not replace one that did not fail. */
export function mergeSettled(earlier: SettledRequest | null, report: SettledRequest): SettledRequest {
  if (earlier === null || earlier.status === GONE) return report;
  const isSame = earlier.operation.toLowerCase() === report.operation.toLowerCase();
  if (isSame && areContradicting(earlier.status, report.status)) return { ...earlier, status: CONTRADICTED };
  const keepsEarlier = isSame
    ? isFinal(earlier.status) || earlier.status === CONTRADICTED
    : earlier.status !== 'failed' && report.status === 'failed';
  return keepsEarlier ? earlier : report;
}

/** Returns the operation that the key made; null if none is known or it is gone. */
export function knownOperation({ settled }: JournalRequest): SettledRequest | null {
  return settled?.status === GONE ? null : settled;
}

/** Makes the marks of a request from its endpoint and body. @param object the body; null if that is no JSON object: then the request equals only itself */
export function subjectOf(
  endpoint: EndpointId,
  body: Uint8Array,
  object: Readonly<Record<string, unknown>> | null,
): RequestSubject {
  const direction = endpoint === 'payins.create' ? 'payin' : 'payout';
  const members = object ?? {};
  const text = (name: string): string | null => {
    const member = members[name];
    return typeof member === 'string' ? member : null;
  };
  const reference = text('reference');
  const hash = bodyMark(body);
  return {
    direction,
    referenceMark: reference === null || reference.trim() === '' ? null : referenceMark(reference),
    bodyMark: hash,
    twinMark: twinMark(members, direction),
    metadataMark: object === null ? hash : metadataMark(object),
    amount: text('amount'),
    currency: text('currency'),
    accountTail: accountTail(members, direction),
  };
}
