/** Verifies a delivery: the checks in the one order in which they are safe, and only then the event (section 6). Pure. */
import { timingSafeEqual } from 'node:crypto';
import { DELIVERY_HEADERS, sign, SIGNATURE_PREFIX } from '../contract/events.js';
import { LIMITS } from '../contract/limits.js';
import {
  DELIVERY_MAX_BYTES,
  readSignatures,
  readUnixSeconds,
  rejected,
  secondsAhead,
  spanText,
  valuesOf,
  type Delivery,
  type HeaderPairs,
  type Rejected,
  type Verdict,
  readEvent,
} from './delivery.js';
import { requireSecrets } from './signing.js';

export interface Rules {
  /** One, or two during a rotation; never empty, without white space. */
  readonly secrets: readonly string[];
  /** The receiver's clock. */
  readonly nowMs: number;
  /** How far `X-Timestamp` may be from it, both ways. */
  readonly toleranceSeconds?: number;
}

/**
 * Judges a delivery. `X-Evento` and `X-Id-Evento` are not signed: the body decides, and a header that differs is rejected.
 * @throws RangeError for secrets that nothing may be verified with
 */
export function verify(delivery: Delivery, rules: Rules): Verdict {
  const { body, headers } = delivery;
  if (body.byteLength > DELIVERY_MAX_BYTES) {
    return rejected('body_too_large', `The body is larger than ${DELIVERY_MAX_BYTES} bytes.`);
  }
  if (valuesOf(headers, 'content-encoding').some((value) => !/^(?:identity)?$/i.test(value))) {
    return rejected(
      'encoding_unsupported',
      'The body is compressed or encoded. Only plain bytes are signed.',
    );
  }
  requireSecrets(rules.secrets);
  const stamp = single(headers, 'timestamp');
  if (typeof stamp !== 'string') return stamp;
  const timestamp = readUnixSeconds(stamp);
  if (timestamp === null) {
    return rejected('timestamp_malformed', `${DELIVERY_HEADERS.timestamp} is not a time in Unix seconds.`);
  }
  const signature = single(headers, 'signature');
  if (typeof signature !== 'string') return signature;
  const claimed = readSignatures(signature);
  if ('problem' in claimed) {
    return rejected('signature_malformed', `${DELIVERY_HEADERS.signature} is malformed: ${claimed.problem}.`);
  }
  // Every signature against every secret, in constant time and without an early exit.
  let matches = 0;
  for (const secret of rules.secrets) {
    const expected = Buffer.from(sign(secret, stamp, body).slice(SIGNATURE_PREFIX.length), 'hex');
    for (const digest of claimed.digests) matches += Number(timingSafeEqual(digest, expected));
  }
  if (matches === 0) {
    return rejected('signature_mismatch', 'No signature matches this body, timestamp and secret.');
  }
  const { toleranceSeconds = LIMITS.timestampToleranceSeconds } = rules;
  const ahead = secondsAhead(timestamp, rules.nowMs);
  if (Math.abs(ahead) > toleranceSeconds) {
    const where = ahead > 0 ? 'ahead of' : 'behind';
    return rejected(
      'timestamp_outside_tolerance',
      `${DELIVERY_HEADERS.timestamp} is ${spanText(Math.abs(ahead))} ${where} the clock. At most ${toleranceSeconds} s are allowed.`,
    );
  }
  return verifyEvent(delivery);
}

function verifyEvent({ body, headers }: Delivery): Verdict {
  const read = readEvent(body);
  if ('problem' in read) {
    return rejected(
      'not_an_event',
      `The signature is right, but the body is not an event: it ${read.problem}.`,
    );
  }
  const { event } = read;
  for (const name of ['type', 'id'] as const) {
    // Headers arrive as bytes, which are read as Latin-1; the body's text is UTF-8.
    const spellings = [event[name], Buffer.from(event[name]).toString('latin1')];
    if (valuesOf(headers, DELIVERY_HEADERS[name]).some((value) => !spellings.includes(value))) {
      return rejected(
        `${name}_differs`,
        `${DELIVERY_HEADERS[name]} differs from the "${name}" of the signed body.`,
      );
    }
  }
  return { accepted: true, event, body };
}

/** The one value of a header. */
function single(headers: HeaderPairs, which: 'timestamp' | 'signature'): string | Rejected {
  const name = DELIVERY_HEADERS[which];
  const [value, ...others] = valuesOf(headers, name);
  if (value === undefined) return rejected(`${which}_missing`, `There is no ${name}.`);
  return others.length === 0 ? value : rejected(`${which}_duplicated`, `${name} appears more than once.`);
}
