/** Why a delivery was rejected: every cause is proved by computing the signature again with that one thing put right. Pure. */
import { createHmac } from 'node:crypto';
import { DELIVERY_HEADERS } from '../contract/events.js';
import {
  readUnixSeconds,
  secondsAhead,
  spanText,
  valuesOf,
  type Delivery,
  type Rejected,
} from './delivery.js';
import { readEvent } from './event.js';
import { bodySuspects } from './explanation/bodies.js';
import { cause, type Cause } from './explanation/cause.js';
import { claimedDigests, claimedTimestamps } from './explanation/claims.js';
import { combinations, findTimestamp, keySuspects, type OtherSecret } from './explanation/suspects.js';
import type { Rules } from './verification.js';

/** What may be spent on a body of 1 MiB; a usual one stays far below. */
const BYTES_MAX = 512 * 1024 * 1024;

/**
 * What differs between the delivery and one that would have been accepted; more than one thing only where they differ together.
 * Empty where nothing that was tried explains it, or where the rejection says everything already.
 * @param others secrets that are not valid for this delivery and may have been used all the same
 */
export function explain(
  delivery: Delivery,
  rules: Rules,
  { reason }: Rejected,
  others: readonly OtherSecret[] = [],
): readonly Cause[] {
  switch (reason) {
    case 'timestamp_outside_tolerance':
      return [clockCause(delivery, rules)];
    case 'signature_malformed':
    case 'signature_mismatch':
    case 'signature_duplicated':
    case 'timestamp_malformed':
    case 'timestamp_duplicated':
      return signatureCauses(delivery, rules, others);
    default:
      return [];
  }
}

/** The signature is right, so the time is the one at which it was signed. */
function clockCause({ headers }: Delivery, { nowMs }: Rules): Cause {
  const stamp = readUnixSeconds(valuesOf(headers, DELIVERY_HEADERS.timestamp)[0] ?? '') ?? 0;
  const ahead = secondsAhead(stamp, nowMs);
  return cause(
    'clock_skew',
    ahead > 0
      ? `clock skew. The signature is right, but this clock is ${spanText(ahead)} behind the sender's. Set this clock`
      : `clock skew or an old delivery. The signature is right, but it is ${spanText(-ahead)} old by this clock. If the clock is ahead, set it. ` +
          `If you kept the delivery, verify it with --at ${stamp}. Else it was delayed or replayed`,
  );
}

function signatureCauses(delivery: Delivery, { secrets }: Rules, others: readonly OtherSecret[]): Cause[] {
  const claims = claimedDigests(delivery.headers);
  const stamps = claimedTimestamps(delivery.headers);
  if (claims.size === 0) return [];
  const keys = keySuspects(secrets, others);
  let budget = BYTES_MAX;
  for (const { values, causes } of combinations(stamps, keys, bodySuspects(delivery.body))) {
    const [stamp, key, layout, body] = values;
    budget -= body.byteLength;
    if (budget < 0) break;
    const claim = claims.get(hmac(key, layout(stamp, body)));
    if (claim !== undefined) return claim === null ? causes : [...causes, claim];
  }
  return movedCauses(delivery, secrets, claims);
}

function movedCauses(
  { body, headers }: Delivery,
  secrets: readonly string[],
  claims: Map<string, Cause | null>,
): Cause[] {
  const read = readEvent(body);
  const occurredMs = 'event' in read ? Date.parse(read.event.occurred_at) : NaN;
  const stamps = valuesOf(headers, DELIVERY_HEADERS.timestamp).map(readUnixSeconds);
  const centres = [...stamps, Number.isNaN(occurredMs) ? null : Math.floor(occurredMs / 1000)];
  const time = findTimestamp(
    centres.filter((centre) => centre !== null),
    body.byteLength * secrets.length,
    (stamp) => secrets.some((secret) => claims.has(hmac(secret, [stamp, '.', body]))),
  );
  return time === null ? [] : [cause('timestamp_moved', String(time))];
}

function hmac(key: string | Uint8Array, parts: readonly (string | Uint8Array)[]): string {
  const hash = createHmac('sha256', key);
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
