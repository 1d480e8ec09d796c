/** The idempotency key of a payment, which follows from the payment alone, and the seal of a row. Pure; golden vectors pin the keys. */
import { hash } from 'node:crypto';
import type { Environment } from '../contract/access.js';
import { markOf } from '../contract/marks.js';
import { isUuid } from '../contract/notation.js';
import type { Direction } from '../contract/operation.js';
import { foldForKey } from '../contract/reference.js';
import type { PlannedRow } from './store/row.js';

/** Which payment a key is for. Two rows that mean the same one have the same key, on whatever machine, under whatever name. */
export interface PaymentIdentity {
  readonly environment: Environment;
  readonly direction: Direction;
  /** In any spelling. */
  readonly reference: string;
  /** How many payments of this reference were made before it, on purpose; 0 for the first. */
  readonly ordinal: number;
  /** One more than the operations of it that failed; 1 for the first try. */
  readonly generation: number;
}

/** Raised by every scheme that would derive other keys: it would pay again what was paid under these. */
const SCHEME = 'svc-bulk-v2';
const PREFIX = 'svcb2-';

/**
 * The key of a payment. An edited amount, another spelling, another batch, profile or address meets the same key: the service itself
 * refuses the second payment.
 */
export function deriveKey({
  environment,
  direction,
  reference,
  ordinal,
  generation,
}: PaymentIdentity): string {
  const folded = foldedPart(reference);
  const parts = [SCHEME, environment, direction, folded, String(ordinal), String(generation)];
  return PREFIX + hash('sha256', parts.join('\0'), 'base64url');
}

/** Payments of one reference that were meant once more, on purpose. */
export interface PaymentSeries {
  /** `after`: what a payment is followed by. `since`: what comes from a moment on. */
  readonly kind: 'after' | 'since';
  /** The operation or key, or the moment as it was typed. */
  readonly of: string;
}

/** A payment of a series. */
export interface SeriesIdentity extends Omit<PaymentIdentity, 'ordinal' | 'generation'> {
  readonly series: PaymentSeries;
  /** One more than the operations of the series that failed; 1 for the first try. */
  readonly generation: number;
}

/** As `SCHEME`. */
const SERIES_SCHEME = 'svc-series-v1';
const SERIES_PREFIX = 'svcs1-';

/** The key of a payment that was meant once more: the same wherever the same line is typed. An id is the same in either case. */
export function deriveSeriesKey({
  environment,
  direction,
  reference,
  series,
  generation,
}: SeriesIdentity): string {
  const folded = foldedPart(reference);
  const of = isUuid(series.of) ? series.of.toLowerCase() : series.of;
  const parts = [SERIES_SCHEME, environment, direction, folded, series.kind, of, `${generation}`];
  return SERIES_PREFIX + hash('sha256', parts.join('\0'), 'base64url');
}

function foldedPart(reference: string): string {
  const folded = foldForKey(reference);
  if (folded.includes('\0')) throw new RangeError('a reference holds NUL');
  return folded;
}

/** What a seal covers. */
type Sealed = Pick<
  PlannedRow,
  'number' | 'reference' | 'currency' | 'amount' | 'ordinal' | 'generation' | 'key' | 'body'
>;

/** The seal of a row: over what must not change between the plan and the sending, so that a damaged store sends nothing. */
export function sealOf(row: Sealed): Uint8Array {
  const { number, reference, currency, amount, ordinal, generation, key, body } = row;
  return markOf(
    `${number}\0${reference}\0${currency}\0${amount}\0${ordinal}\0${generation}\0${key}\0${body}`,
  );
}

/** True where the row is what was planned; its key is part of that. */
export function isIntact(row: Sealed, seal: Uint8Array): boolean {
  return !row.reference.includes('\0') && Buffer.compare(sealOf(row), seal) === 0;
}
