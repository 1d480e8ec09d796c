/** What the headers of a delivery claim, read as generously as a mistaken sender or receiver may have written it. Pure. */
import { DELIVERY_HEADERS } from '../../contract/events.js';
import { readUnixSeconds, valuesOf, type HeaderPairs } from '../delivery.js';
import { cause, given, type Cause, type Suspect } from './cause.js';

/** What is looked at; more is no mistake but an attack. */
const TOKENS_MAX = 32;
const SIGNED = new Set(
  [DELIVERY_HEADERS.signature, DELIVERY_HEADERS.timestamp].map((name) => name.toLowerCase()),
);

/** Every digest that some header may stand for, in lower-case hexadecimal, with what is wrong about how it is written. */
export function claimedDigests(headers: HeaderPairs): Map<string, Cause | null> {
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
export function claimedTimestamps(headers: HeaderPairs): Suspect<string>[] {
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
