/** Verifies a delivery (contract section 6), and reads the event only after its signature matches. */
import { timingSafeEqual } from 'node:crypto';
import { DELIVERY_HEADERS, sign, SIGNATURE_PREFIX } from '../../contract/events.js';
import { LIMITS } from '../../contract/limits.js';
import {
  DELIVERY_MAX_BYTES,
  readSignatures,
  readUnixSeconds,
  rejection,
  secondsAhead,
  spanText,
  valuesOf,
  type Delivery,
  type HeaderPairs,
  type Rejection,
  type Verdict,
  readEvent,
} from './delivery.js';
import { requireSecrets } from './signing.js';

export interface Rules {
  readonly secrets: readonly string[];
  readonly nowMs: number;
  readonly toleranceSeconds?: number;
}

export function verify(delivery: Delivery, rules: Rules): Verdict {
  const { body, headers } = delivery;
  if (body.byteLength > DELIVERY_MAX_BYTES) {
    return rejection('body_too_large', `The body is larger than ${DELIVERY_MAX_BYTES} bytes.`);
  }
  if (valuesOf(headers, 'content-encoding').some((value) => !/^(?:identity)?$/i.test(value))) {
    return rejection(
      'encoding_unsupported',
      'The body is compressed or encoded. Only plain bytes are signed.',
    );
  }
  requireSecrets(rules.secrets);
  const stamp = onlyValueOf(headers, 'timestamp');
  if (typeof stamp !== 'string') return stamp;
  const timestamp = readUnixSeconds(stamp);
  if (timestamp === null) {
    return rejection('timestamp_malformed', `${DELIVERY_HEADERS.timestamp} is not a time in Unix seconds.`);
  }
  const signature = onlyValueOf(headers, 'signature');
  if (typeof signature !== 'string') return signature;
  const signatures = readSignatures(signature);
  if ('problem' in signatures) {
    return rejection(
      'signature_malformed',
      `${DELIVERY_HEADERS.signature} is malformed: ${signatures.problem}.`,
    );
  }
  // Tries every secret without an early exit, because the time must not show which of them matches.
  let matches = 0;
  for (const secret of rules.secrets) {
    const expected = Buffer.from(sign(secret, stamp, body).slice(SIGNATURE_PREFIX.length), 'hex');
    for (const digest of signatures.digests) matches += Number(timingSafeEqual(digest, expected));
  }
  if (matches === 0) {
    return rejection('signature_mismatch', 'No signature matches this body, timestamp and secret.');
  }
  const { toleranceSeconds = LIMITS.timestampToleranceSeconds } = rules;
  const ahead = secondsAhead(timestamp, rules.nowMs);
  if (Math.abs(ahead) > toleranceSeconds) {
    const direction = ahead > 0 ? 'ahead of' : 'behind';
    return rejection(
      'timestamp_outside_tolerance',
      `${DELIVERY_HEADERS.timestamp} is ${spanText(Math.abs(ahead))} ${direction} the clock. At most ${toleranceSeconds} s are allowed.`,
    );
  }
  return verifyEvent(delivery);
}

function verifyEvent({ body, headers }: Delivery): Verdict {
  const parsedEvent = readEvent(body);
  if ('problem' in parsedEvent) {
    return rejection(
      'not_an_event',
      `The signature is right, but the body is not an event: it ${parsedEvent.problem}.`,
    );
  }
  const { event } = parsedEvent;
  for (const name of ['type', 'id'] as const) {
    // Accepts the Latin-1 spelling of UTF-8 too, because Node reads header bytes as Latin-1.
    const spellings = [event[name], Buffer.from(event[name]).toString('latin1')];
    if (valuesOf(headers, DELIVERY_HEADERS[name]).some((value) => !spellings.includes(value))) {
      return rejection(
        `${name}_differs`,
        `${DELIVERY_HEADERS[name]} differs from the "${name}" of the signed body.`,
      );
    }
  }
  return { accepted: true, event, body };
}

function onlyValueOf(headers: HeaderPairs, header: 'timestamp' | 'signature'): string | Rejection {
  const name = DELIVERY_HEADERS[header];
  const [value, ...others] = valuesOf(headers, name);
  if (value === undefined) return rejection(`${header}_missing`, `There is no ${name}.`);
  return others.length === 0 ? value : rejection(`${header}_duplicated`, `${name} appears more than once.`);
}
