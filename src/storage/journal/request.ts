import type { Environment } from '../../contract/access.js';
import type { EndpointId } from '../../contract/endpoints.js';
import { KEY_SAFE_MS, SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { accountTail, bodyMark, metadataMark, referenceMark, twinMark } from '../../contract/marks.js';
import { type Age, maySendAgain, type Moment } from '../../contract/moment.js';
import { areContradicting, CONTRADICTED, type Direction, GONE, isFinal } from '../../contract/operation.js';

export interface UnsentRequest extends RequestSubject {
  readonly idempotencyKey: string;
  readonly isOwnKey: boolean;
  readonly follows: string | null;
  readonly generation: number | null;
  readonly sinceMs: number | null;
  readonly endpoint: EndpointId;
  readonly environment: Environment;
  readonly address: string;
  readonly origin: string;
  readonly path: string;
  readonly body: Uint8Array;
  readonly keyMask: string;
  readonly keyPrint: string;
}

export interface RequestSubject {
  readonly direction: Direction;
  readonly referenceMark: Uint8Array | null;
  readonly bodyMark: Uint8Array;
  readonly twinMark: Uint8Array;
  readonly metadataMark: Uint8Array;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly accountTail: string | null;
}

export interface SettledRequest {
  readonly operation: string;
  readonly status: string;
  readonly createdAtMs: number | null;
}

export interface JournalRequest extends Omit<UnsentRequest, 'body'> {
  readonly row: number;
  /**
   * `recorded`: not sent yet.
   * `open`: sent or being sent, with an unknown outcome.
   * `forgotten`: open, but without its body.
   */
  readonly state: 'recorded' | 'open' | 'forgotten' | 'settled';
  readonly sendings: number;
  readonly body: Uint8Array | null;
  readonly settled: SettledRequest | null;
  readonly left: Moment | null;
  readonly firstLeftMs: number;
  readonly mayNotRepeat: boolean;
  readonly keptForMs?: number | undefined;
  readonly lastSending?: { readonly by: string; readonly underWayUntilMs: number | null } | undefined;
}

export interface OpenRequest extends JournalRequest {
  readonly state: 'open';
  readonly body: Uint8Array;
}

export const BODY_KEPT_MS = 30 * 24 * 3_600_000;
export const MARKS_KEPT_MS = 400 * 24 * 3_600_000;
/** A final request without a reference is kept this long, because a person may type the same payment twice. */
export const UNREFERENCED_KEPT_MS = 10 * 60_000;

export function isRepeatable(ageMs: number): boolean {
  return ageMs <= KEY_SAFE_MS && ageMs >= -SERVICE_CLOCKS_MS;
}

export type AgeOf = (sentMoment: Moment, sharedMs: number | undefined) => Age;

export function ageAt({ left, keptForMs }: Pick<JournalRequest, 'left' | 'keptForMs'>, ageOf: AgeOf): Age {
  if (left === null) return { kind: 'time_unknown' };
  const { sharedMs } = left;
  return ageOf(left, sharedMs === undefined || keptForMs === undefined ? undefined : sharedMs + keptForMs);
}

export function isRepeatableAt(
  request: Pick<JournalRequest, 'left' | 'keptForMs' | 'mayNotRepeat'>,
  ageOf: AgeOf,
): boolean {
  return !request.mayNotRepeat && maySendAgain(ageAt(request, ageOf));
}

export function mergeSettled(earlier: SettledRequest | null, report: SettledRequest): SettledRequest {
  if (earlier === null || earlier.status === GONE) return report;
  const isSame = earlier.operation.toLowerCase() === report.operation.toLowerCase();
  if (isSame && areContradicting(earlier.status, report.status)) return { ...earlier, status: CONTRADICTED };
  const keepsEarlier = isSame
    ? isFinal(earlier.status) || earlier.status === CONTRADICTED
    : earlier.status !== 'failed' && report.status === 'failed';
  return keepsEarlier ? earlier : report;
}

export function knownOperation({ settled }: JournalRequest): SettledRequest | null {
  return settled?.status === GONE ? null : settled;
}

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
  const markOfBody = bodyMark(body);
  return {
    direction,
    referenceMark: reference === null || reference.trim() === '' ? null : referenceMark(reference),
    bodyMark: markOfBody,
    twinMark: twinMark(members, direction),
    metadataMark: object === null ? markOfBody : metadataMark(object),
    amount: text('amount'),
    currency: text('currency'),
    accountTail: accountTail(members, direction),
  };
}
