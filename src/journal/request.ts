/** A keyed request as it is kept: with its bytes while its outcome is not known, as an entry of the book after that. Pure. */
import type { Environment } from '../contract/access.js';
import type { EndpointId } from '../contract/endpoints.js';
import { KEY_SAFE_MS, SERVICE_CLOCKS_MS } from '../contract/limits.js';
import { bodyMark, referenceMark, twinMark } from '../contract/marks.js';
import type { Direction } from '../contract/operation.js';

/** A create, before it leaves. */
export interface Leaving {
  readonly idempotencyKey: string;
  /** The caller named the key; a generated one is known to nobody else. */
  readonly isOwnKey: boolean;
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
  /** When these bytes may first leave, in milliseconds of the service's time. */
  readonly firstLeftMs: number;
}

/** What a request is about, by marks: what stays of it when its bytes are gone. */
export interface About {
  readonly direction: Direction;
  /** Null for a request without a reference. */
  readonly referenceMark: Uint8Array | null;
  readonly bodyMark: Uint8Array;
  readonly twinMark: Uint8Array;
  /** As they were sent; null where the body does not say. */
  readonly amount: string | null;
  readonly currency: string | null;
}

/** What became of it. */
export interface SettledRequest {
  readonly operation: string;
  /** As it was when it was answered. */
  readonly status: string;
}

/** `open`: it left, or is leaving, and its outcome is not known. `forgotten`: the same, its bytes were removed by hand. */
export type RequestState = 'open' | 'forgotten' | 'settled';

/** A request in the book. */
export interface KeptRequest extends Omit<Leaving, 'body'>, About {
  readonly row: number;
  readonly state: RequestState;
  /** Null where it is not open. */
  readonly body: Uint8Array | null;
  /** Null where it is not settled. */
  readonly settled: SettledRequest | null;
  /** How long ago it was put into a book that machines share, by that book's own clock, in milliseconds. */
  readonly keptForMs?: number | undefined;
  /** Its last sending whose outcome is not known, in a book that machines share. */
  readonly lastSending?: LastSending | undefined;
}

export interface LastSending {
  /** The machine, and the process there. */
  readonly by: string;
  /** It may still be answered until then, by the clock of the book; null for one that is over. */
  readonly underWayUntilMs: number | null;
}

/** An open request, with its bytes. */
export interface OpenRequest extends KeptRequest {
  readonly state: 'open';
  readonly body: Uint8Array;
}

/** Bodies hold personal data: what nobody repeated is cleared after this. */
export const BODY_KEPT_MS = 30 * 24 * 3_600_000;
/** The marks of a request go on refusing a blind repetition for that long. */
export const MARKS_KEPT_MS = 35 * 24 * 3_600_000;

/**
 * True where the same bytes may be sent again with the same key.
 * @param ageMs since they first left, in the service's time; negative where a clock was set: it says nothing then
 */
export function isRepeatable(ageMs: number): boolean {
  return ageMs <= KEY_SAFE_MS && ageMs >= -SERVICE_CLOCKS_MS;
}

/**
 * The same for one of the book: whichever clock says that it is too old is right.
 * @param ageOf how long ago that was in the service's time
 */
export function isRepeatableAt(
  { firstLeftMs, keptForMs }: Pick<KeptRequest, 'firstLeftMs' | 'keptForMs'>,
  ageOf: (serviceMs: number) => number,
): boolean {
  return isRepeatable(ageOf(firstLeftMs)) && (keptForMs === undefined || isRepeatable(keptForMs));
}

/** What a request is about, from its endpoint and body; a body that is no JSON object is only equal to itself. */
export function aboutOf(endpoint: EndpointId, body: Uint8Array): About {
  const direction = endpoint === 'payins.create' ? 'payin' : 'payout';
  const members = membersOf(body);
  const text = (name: string): string | null => {
    const member = members[name];
    return typeof member === 'string' ? member : null;
  };
  const reference = text('reference');
  return {
    direction,
    referenceMark: reference === null || reference.trim() === '' ? null : referenceMark(reference),
    bodyMark: bodyMark(body),
    twinMark: twinMark(members, direction),
    amount: text('amount'),
    currency: text('currency'),
  };
}

function membersOf(body: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
