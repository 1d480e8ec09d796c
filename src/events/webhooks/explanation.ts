import { createHmac } from 'node:crypto';
import { unzipSync } from 'node:zlib';
import { hasKeyPrefix } from '../../contract/access.js';
import { DELIVERY_HEADERS } from '../../contract/events.js';
import {
  DELIVERY_MAX_BYTES,
  readUnixSeconds,
  secondsAhead,
  spanText,
  valuesOf,
  type Delivery,
  type Rejection,
  readEvent,
  type HeaderPairs,
} from './delivery.js';
import {
  cause,
  type Cause,
  unchanged,
  type Suspect,
  type CauseCode,
  combinations,
  findTimestamp,
  keySuspects,
  type OtherSecret,
} from './suspects.js';
import { trimCharacters } from './http-message.js';
import type { Rules } from './verification.js';
import { jsonIn, foldJson } from '../../contract/json.js';
import { OPERATION_MEMBERS } from '../../contract/operation-members.js';

const HASHED_BYTES_MAX = 512 * 1024 * 1024;

export function explain(
  delivery: Delivery,
  rules: Rules,
  { reason }: Rejection,
  otherSecrets: readonly OtherSecret[] = [],
): readonly Cause[] {
  switch (reason) {
    case 'timestamp_outside_tolerance':
      return [clockCause(delivery, rules)];
    case 'signature_malformed':
    case 'signature_mismatch':
    case 'signature_duplicated':
    case 'timestamp_malformed':
    case 'timestamp_duplicated':
      return signatureCauses(delivery, rules, otherSecrets);
    default:
      return [];
  }
}

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

function signatureCauses(
  { body, headers }: Delivery,
  { secrets }: Rules,
  otherSecrets: readonly OtherSecret[],
): Cause[] {
  const claims = claimedDigests(headers);
  const stamps = claimedTimestamps(headers);
  if (claims.size === 0) return [];
  const keys = keySuspects(secrets, otherSecrets);
  let budget = HASHED_BYTES_MAX;
  for (const { values, causes } of combinations(stamps, keys, bodySuspects(body))) {
    const [stamp, key, layout, signedBody] = values;
    budget -= signedBody.byteLength;
    if (budget < 0) break;
    const claimCause = claims.get(hmac(key, layout(stamp, signedBody)));
    if (claimCause !== undefined) return claimCause === null ? causes : [...causes, claimCause];
  }
  const parsedEvent = readEvent(body);
  const occurredMs = 'event' in parsedEvent ? Date.parse(parsedEvent.event.occurred_at) : NaN;
  const claimedSeconds = valuesOf(headers, DELIVERY_HEADERS.timestamp).map(readUnixSeconds);
  const centres = [...claimedSeconds, Number.isNaN(occurredMs) ? null : Math.floor(occurredMs / 1000)];
  const signedSeconds = findTimestamp(
    centres.filter((centre) => centre !== null),
    body.byteLength * secrets.length,
    (stamp) => secrets.some((secret) => claims.has(hmac(secret, [stamp, '.', body]))),
  );
  if (signedSeconds !== null) return [cause('timestamp_moved', String(signedSeconds))];
  return secrets.some(hasKeyPrefix) ? [cause('secret_is_key')] : [];
}

function hmac(key: string | Uint8Array, parts: readonly (string | Uint8Array)[]): string {
  const hash = createHmac('sha256', key);
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

const CLAIMS_MAX = 32;
const SIGNING_HEADERS = new Set(
  [DELIVERY_HEADERS.signature, DELIVERY_HEADERS.timestamp].map((name) => name.toLowerCase()),
);

function claimedDigests(headers: HeaderPairs): Map<string, Cause | null> {
  const claims = new Map<string, Cause | null>();
  const add = (value: string, headerCause: Cause | null): void => {
    const tokens = value.split(/[\s,;]+/).filter((token) => token !== '');
    const isSpaced = !/[^\S ]|[,;]/.test(value);
    for (const token of tokens.slice(0, CLAIMS_MAX)) {
      const claim = readToken(token);
      if (claim === null || claims.has(claim.value)) continue;
      claims.set(claim.value, headerCause ?? claim.cause ?? (isSpaced ? null : cause('signature_separator')));
    }
  };
  for (const value of valuesOf(headers, DELIVERY_HEADERS.signature)) add(value, null);
  for (const [name, value] of headers) {
    if (!SIGNING_HEADERS.has(name.toLowerCase())) add(value, cause('signature_elsewhere', name));
  }
  return claims;
}

function readToken(token: string): Suspect<string> | null {
  const unquoted = token.replace(/^["']+|["']+$/g, '');
  const [, prefix = '', text = ''] =
    /^([A-Za-z][A-Za-z0-9]{0,15}[=:])?["']?(.*?)["']?$/s.exec(unquoted) ?? [];
  if (/^[0-9a-fA-F]{64}$/.test(text)) {
    const shapeCause = unquoted === token ? null : cause('signature_shape');
    return { value: text.toLowerCase(), cause: prefix === 'v1=' ? shapeCause : cause('signature_prefix') };
  }
  const bytes = /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null;
  return bytes?.length === 32 ? { value: bytes.toString('hex'), cause: cause('signature_base64') } : null;
}

function claimedTimestamps(headers: HeaderPairs): Suspect<string>[] {
  const suspects = valuesOf(headers, DELIVERY_HEADERS.timestamp).flatMap(timestampReadings);
  for (const [name, value] of headers) {
    if (SIGNING_HEADERS.has(name.toLowerCase()) || !/^[0-9]{9,13}$/.test(value)) continue;
    suspects.push({ value, cause: cause('timestamp_elsewhere', name) });
  }
  return suspects.slice(0, CLAIMS_MAX);
}

function timestampReadings(text: string): Suspect<string>[] {
  if (readUnixSeconds(text) !== null) {
    return [unchanged(text), { value: `${text}000`, cause: cause('timestamp_milliseconds') }];
  }
  const shapeCause = /^[0-9]{13}$/.test(text)
    ? cause('timestamp_milliseconds')
    : cause('timestamp_shape', shapeText(text));
  const unixSeconds = unixSecondsIn(text);
  const suspects = [
    { value: text, cause: shapeCause },
    { value: text.trim(), cause: shapeCause },
  ];
  return unixSeconds === null ? suspects : [...suspects, { value: unixSeconds, cause: shapeCause }];
}

function unixSecondsIn(text: string): string | null {
  const digits = /^\s*\+?0*([0-9]{1,12})(?:\.[0-9]*)?\s*$/.exec(text)?.[1];
  if (digits !== undefined) return digits;
  if (/^[0-9]{13}$/.test(text)) return text.slice(0, -3);
  const ms = /^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(ms) ? null : String(Math.floor(ms / 1000));
}

function shapeText(text: string): string {
  if (text === '') return 'it is empty';
  if (/^\s|\s$/.test(text)) return 'spaces around it';
  if (/^[0-9]{4}-/.test(text)) return 'a date';
  if (/^0[0-9]/.test(text)) return 'a leading zero';
  return /^[+-]/.test(text) ? 'a sign' : 'not only digits';
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

function bodySuspects(bytes: Uint8Array): Suspect<Uint8Array>[] {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const raw = body.toString('latin1');
  const suspects: Suspect<Uint8Array>[] = [unchanged(bytes)];
  const add = (code: CauseCode, value: Buffer, detail?: string): void => {
    if (!value.equals(body)) suspects.push({ value, cause: cause(code, detail) });
  };
  const addRaw = (code: CauseCode, text: string): void => add(code, Buffer.from(text, 'latin1'));
  const unixText = raw.replaceAll('\r\n', '\n');
  addRaw('trailing_newline', raw.replace(/\r?\n$/, ''));
  addRaw('trailing_newline', raw.replace(/[\r\n]{1,64}$/, ''));
  addRaw('newline_missing', `${raw}\n`);
  addRaw('newline_missing', `${raw}\r\n`);
  addRaw('line_ends', unixText);
  addRaw('line_ends', unixText.replaceAll('\n', '\r\n'));
  addRaw('line_ends', unixText.replace(/\n$/, ''));
  addRaw('line_ends', unixText.replace(/\n$/, '').replaceAll('\n', '\r\n'));
  addRaw('surrounding_space', trimCharacters(raw, ' \t\r\n'));
  if (body.subarray(0, 3).equals(BYTE_ORDER_MARK)) add('byte_order_mark', body.subarray(3));
  else add('byte_order_mark', Buffer.concat([BYTE_ORDER_MARK, body]));
  for (const { text, style } of jsonTexts(body.toString('utf8'))) {
    add('json_reserialised', Buffer.from(text), style);
    add('json_reserialised', Buffer.from(`${text}\n`), style);
  }
  const inner = jsonIn(body);
  if (typeof inner === 'string') add('json_quoted', Buffer.from(inner));
  if (/^[A-Za-z0-9+/_-]{16,}={0,2}\s?$/.test(raw)) add('body_base64', Buffer.from(raw, 'base64'));
  const inflated = decompress(body);
  if (inflated !== null) add('body_compressed', inflated);
  const chunks = decodeChunks(raw);
  if (chunks !== null) addRaw('body_chunked', chunks);
  add('text_encoding', Buffer.from(raw));
  addRaw('text_encoding', body.toString('utf8'));
  return suspects;
}

function decompress(body: Buffer): Buffer | null {
  try {
    return unzipSync(body, { maxOutputLength: DELIVERY_MAX_BYTES });
  } catch {
    return null;
  }
}

function decodeChunks(raw: string): string | null {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = raw.indexOf('\r\n', at);
    const size =
      lineEnd === -1 ? undefined : /^([0-9a-fA-F]{1,8})(?:;[^\r\n]*)?$/.exec(raw.slice(at, lineEnd))?.[1];
    if (size === undefined) return null;
    const length = Number.parseInt(size, 16);
    if (length === 0) return parts.join('');
    parts.push(raw.slice(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
}

const JSON_STYLES: readonly (readonly [name: string, style: JsonStyle])[] = [
  ['compact', { colon: ':', comma: ',', indent: null }],
  ['spaced', { colon: ': ', comma: ', ', indent: null }],
  ['indented by 2', { colon: ': ', comma: ',', indent: '  ' }],
  ['indented by 4', { colon: ': ', comma: ',', indent: '    ' }],
  ['indented by tabs', { colon: ': ', comma: ',', indent: '\t' }],
];

const CONTRACT_ORDER = [
  ...['id', 'type', 'occurred_at', 'data'],
  ...OPERATION_MEMBERS.flatMap((name) =>
    name === 'failure' ? ['failure', 'code', 'reason', 'message'] : [name],
  ),
].map((name) => JSON.stringify(name));

const contractRank = (name: string): number => {
  const at = CONTRACT_ORDER.indexOf(name);
  return at === -1 ? CONTRACT_ORDER.length : at;
};
const compareNames = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
const compareContractRanks = (one: string, other: string): number => contractRank(one) - contractRank(other);

const plainSpelling = (text: string): string => JSON.stringify(JSON.parse(text));
const escapeAll = (text: string, pattern: RegExp): string =>
  plainSpelling(text).replace(pattern, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const escapeNonAscii = (text: string): string => escapeAll(text, /[\u007f-\uffff]/g);

const STRING_SPELLINGS: readonly (readonly [name: string, spell: (text: string) => string])[] = [
  ['nothing escaped', plainSpelling],
  ['non-ASCII characters escaped', escapeNonAscii],
  ['slashes escaped', (text) => plainSpelling(text).replaceAll('/', '\\/')],
  ['slashes and non-ASCII characters escaped', (text) => escapeNonAscii(text).replaceAll('/', '\\/')],
  ['<, > and & escaped', (text) => escapeAll(text, /[<>&\u2028\u2029]/g)],
];

function jsonTexts(text: string): { readonly text: string; readonly style: string }[] {
  if (jsonIn(text) === undefined) return [];
  const inStyles = (form: JsonForm, ...words: string[]): { text: string; style: string }[] =>
    JSON_STYLES.slice(0, words.length === 0 ? JSON_STYLES.length : 2).flatMap(([name, style]) => {
      const rewritten = rewriteJson(text, style, form);
      return rewritten === null ? [] : [{ text: rewritten, style: [name, ...words].join(', ') }];
    });
  const respelled = STRING_SPELLINGS.flatMap(([name, spell]) => inStyles({ spell }, name));
  const ordered = [
    ...inStyles({ order: compareContractRanks }, 'members in another order'),
    ...inStyles({ order: compareNames }, 'members sorted'),
  ];
  const knownTexts = new Set([text]);
  return [...inStyles({}), ...respelled, ...ordered].filter((candidate) => {
    if (knownTexts.has(candidate.text)) return false;
    knownTexts.add(candidate.text);
    return true;
  });
}

interface JsonStyle {
  readonly colon: string;
  readonly comma: string;
  readonly indent: string | null;
}

interface JsonForm {
  readonly spell?: (text: string) => string;
  readonly order?: (one: string, other: string) => number;
}

const DEPTH_MAX = 64;

function rewriteJson(
  text: string,
  { colon, comma, indent }: JsonStyle,
  { spell = (raw) => raw, order }: JsonForm,
): string | null {
  const blockText = (open: string, parts: readonly string[], close: string, depth: number): string => {
    if (parts.length === 0) return open + close;
    if (indent === null) return open + parts.join(comma) + close;
    const newLine = (level: number): string => `\n${indent.repeat(level)}`;
    return open + newLine(depth + 1) + parts.join(`,${newLine(depth + 1)}`) + newLine(depth) + close;
  };
  const fold = {
    string: spell,
    scalar: (raw: string) => raw,
    array: (items: readonly string[], depth: number) => blockText('[', items, ']', depth),
    object: (members: readonly (readonly [name: string, value: string])[], depth: number) => {
      const ordered = order === undefined ? members : members.toSorted(([one], [other]) => order(one, other));
      const parts = ordered.map(([name, value]) => spell(name) + colon + value);
      return blockText('{', parts, '}', depth);
    },
  };
  return foldJson(text, fold, DEPTH_MAX);
}
