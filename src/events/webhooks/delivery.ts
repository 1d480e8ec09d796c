import { SIGNATURE_PREFIX } from '../../contract/events.js';
import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';

export const DELIVERY_MAX_BYTES = 1024 * 1024;

export type HeaderPairs = readonly (readonly [name: string, value: string])[];

export interface Delivery {
  readonly body: Uint8Array;
  readonly headers: HeaderPairs;
}

export function valuesOf(headers: HeaderPairs, name: string): string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
}

const UNIX_SECONDS = /^(?:0|[1-9][0-9]{0,11})$/;

export function readUnixSeconds(text: string): number | null {
  return UNIX_SECONDS.test(text) ? Number(text) : null;
}

export function spanText(seconds: number): string {
  if (seconds < 2 * 3600) return `${seconds} s`;
  return seconds < 48 * 3600 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} days`;
}

export function secondsAhead(timestamp: number, nowMs: number): number {
  return timestamp - Math.floor(nowMs / 1000);
}

const HEADER_MAX_BYTES = 1024;
const TOKENS_MAX = 8;
const VERSION_1_TOKEN = /^v1=[0-9a-fA-F]{64}$/;
const OTHER_VERSION = /^[A-Za-z][A-Za-z0-9]*=\S+$/;

type ParsedSignatures = { readonly digests: readonly Buffer[] } | { readonly problem: string };

export function readSignatures(value: string): ParsedSignatures {
  if (Buffer.byteLength(value) > HEADER_MAX_BYTES) {
    return { problem: `it is longer than ${HEADER_MAX_BYTES} bytes` };
  }
  const tokens = value.split(' ').filter((token) => token !== '');
  if (tokens.length === 0) return { problem: 'it is empty' };
  if (tokens.length > TOKENS_MAX) return { problem: `it has more than ${TOKENS_MAX} signatures` };
  const v1Tokens = tokens.filter((token) => token.startsWith(SIGNATURE_PREFIX) || !OTHER_VERSION.test(token));
  if (v1Tokens.some((token) => !VERSION_1_TOKEN.test(token))) {
    return { problem: 'a signature is v1= and 64 hexadecimal digits; a space separates two signatures' };
  }
  if (v1Tokens.length === 0) return { problem: 'it has no v1= signature' };
  // Needs the check by `VERSION_1_TOKEN`, because hex decoding stops at a wrong character without an error.
  return { digests: v1Tokens.map((token) => Buffer.from(token.slice(SIGNATURE_PREFIX.length), 'hex')) };
}

export type RejectionReason =
  | 'body_too_large'
  | 'encoding_unsupported'
  | 'timestamp_missing'
  | 'timestamp_duplicated'
  | 'timestamp_malformed'
  | 'signature_missing'
  | 'signature_duplicated'
  | 'signature_malformed'
  | 'signature_mismatch'
  | 'timestamp_outside_tolerance'
  | 'not_an_event'
  | 'type_differs'
  | 'id_differs';

export interface Rejection {
  readonly accepted: false;
  readonly reason: RejectionReason;
  readonly message: string;
}

export type Verdict =
  { readonly accepted: true; readonly event: DeliveredEvent; readonly body: Uint8Array } | Rejection;

export function rejection(reason: RejectionReason, message: string): Rejection {
  return { accepted: false, reason, message };
}

export interface DeliveredEvent {
  readonly id: string;
  readonly type: string;
  readonly occurred_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

type ParsedEvent = { readonly event: DeliveredEvent } | { readonly problem: string };

const BYTE_ORDER_MARK = '\uFEFF';

export function readEvent(body: Uint8Array): ParsedEvent {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return { problem: 'is not valid UTF-8' };
  }
  if (text === '') return { problem: 'is empty' };
  if (text.startsWith(BYTE_ORDER_MARK)) return { problem: 'begins with a byte order mark' };
  const value = jsonIn(text);
  if (value === undefined) return { problem: 'is not JSON' };
  if (!isObject(value)) return { problem: 'is not a JSON object' };
  const { id, type, occurred_at: occurredAt, data } = value;
  if (!isText(id)) return { problem: 'has no "id"' };
  if (!isText(type)) return { problem: 'has no "type"' };
  if (!isText(occurredAt)) return { problem: 'has no "occurred_at"' };
  if (!isObject(data)) return { problem: 'has no "data" object' };
  return { event: { id, type, occurred_at: occurredAt, data } };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
