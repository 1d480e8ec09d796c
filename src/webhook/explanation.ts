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
  readEvent,
  type HeaderPairs,
} from './delivery.js';
import { bodySuspects } from './explanation/bodies.js';
import { cause, type Cause, given, type Suspect } from './explanation/cause.js';
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

/** What is looked at; more is no mistake but an attack. */
const TOKENS_MAX = 32;
const SIGNED = new Set(
  [DELIVERY_HEADERS.signature, DELIVERY_HEADERS.timestamp].map((name) => name.toLowerCase()),
);

/** Every digest that some header may stand for, in lower-case hexadecimal, with what is wrong about how it is written. */
function claimedDigests(headers: HeaderPairs): Map<string, Cause | null> {
  const claims = new Map<string, Cause | null>();
  const add = (value: string, elsewhere: Cause | null): void => {
    const tokens = value.split(/[\s,;]+/).filter((token) => token !== '');
    const isSpaced = !/[^\S ]|[,;]/.test(value);
    for (const token of tokens.slice(0, TOKENS_MAX)) {
      const claim = readToken(token);
      if (claim === null || claims.has(claim.value)) continue;
      claims.set(claim.value, elsewhere ?? claim.cause ?? (isSpaced ? null : cause('signature_separator')));
    }
  };
  for (const value of valuesOf(headers, DELIVERY_HEADERS.signature)) add(value, null);
  for (const [name, value] of headers) {
    if (!SIGNED.has(name.toLowerCase())) add(value, cause('signature_elsewhere', name));
  }
  return claims;
}

/** One signature, whatever its prefix, quotes and encoding. */
function readToken(token: string): Suspect<string> | null {
  const bare = token.replace(/^["']+|["']+$/g, '');
  const [, prefix = '', text = ''] = /^([A-Za-z][A-Za-z0-9]{0,15}[=:])?["']?(.*?)["']?$/s.exec(bare) ?? [];
  if (/^[0-9a-fA-F]{64}$/.test(text)) {
    const shape = bare === token ? null : cause('signature_shape');
    return { value: text.toLowerCase(), cause: prefix === 'v1=' ? shape : cause('signature_prefix') };
  }
  const bytes = /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null;
  return bytes?.length === 32 ? { value: bytes.toString('hex'), cause: cause('signature_base64') } : null;
}

/** The texts that may have been signed as the timestamp. */
function claimedTimestamps(headers: HeaderPairs): Suspect<string>[] {
  const suspects = valuesOf(headers, DELIVERY_HEADERS.timestamp).flatMap(readings);
  for (const [name, value] of headers) {
    if (SIGNED.has(name.toLowerCase()) || !/^[0-9]{9,13}$/.test(value)) continue;
    suspects.push({ value, cause: cause('timestamp_elsewhere', name) });
  }
  return suspects.slice(0, TOKENS_MAX);
}

/** The text as it is, and as the seconds that it may stand for. */
function readings(text: string): Suspect<string>[] {
  if (readUnixSeconds(text) !== null) {
    return [given(text), { value: `${text}000`, cause: cause('timestamp_milliseconds') }];
  }
  const wrong = /^[0-9]{13}$/.test(text)
    ? cause('timestamp_milliseconds')
    : cause('timestamp_shape', shapeOf(text));
  const seconds = secondsIn(text);
  const suspects = [
    { value: text, cause: wrong },
    { value: text.trim(), cause: wrong },
  ];
  return seconds === null ? suspects : [...suspects, { value: seconds, cause: wrong }];
}

function secondsIn(text: string): string | null {
  const digits = /^\s*\+?0*([0-9]{1,12})(?:\.[0-9]*)?\s*$/.exec(text)?.[1];
  if (digits !== undefined) return digits;
  if (/^[0-9]{13}$/.test(text)) return text.slice(0, -3);
  const ms = /^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(ms) ? null : String(Math.floor(ms / 1000));
}

function shapeOf(text: string): string {
  if (text === '') return 'it is empty';
  if (/^\s|\s$/.test(text)) return 'spaces around it';
  if (/^[0-9]{4}-/.test(text)) return 'a date';
  if (/^0[0-9]/.test(text)) return 'a leading zero';
  return /^[+-]/.test(text) ? 'a sign' : 'not only digits';
}
