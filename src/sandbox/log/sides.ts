/** Headers and bodies as the log keeps them, without secrets: a body as text, or as base64 when it is not text. */
import { isUtf8 } from 'node:buffer';
import type { ShownSide } from './logged.js';
import { membersAt } from '../../contract/json.js';

/** How much of a body is kept. */
export const BODY_KEPT_BYTES = 64 * 1024;

/** A body, or the beginning of one. */
export type ShownBody = Omit<ShownSide, 'headers'>;

/** By name in lower case; the values of a name that came more than once, in their order. */
export function shownHeaders(
  headers: Iterable<readonly [name: string, value: string]>,
): Record<string, string> {
  const shown = new Map<string, string>();
  for (const [written, value] of headers) {
    const name = written.toLowerCase();
    const before = shown.get(name);
    let masked = maskText(value);
    if (masked === value && CREDENTIALS.has(name)) masked = `${/^[A-Za-z]{1,20} /.exec(value)?.[0] ?? ''}...`;
    shown.set(name, before === undefined ? masked : `${before}, ${masked}`);
  }
  return Object.fromEntries(shown);
}

/** The first bytes as text, not cut within a character. */
export function shownBody(bytes: Uint8Array, most: number): ShownBody {
  const cut = bytes.length > most ? { truncated: true as const } : {};
  const first = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, most));
  const length = textLength(first, bytes.length > most);
  if (length !== null) return { body: maskText(first.toString('utf8', 0, length)), ...cut };
  const masked = Buffer.from(maskText(first.toString('latin1')), 'latin1');
  return { body: masked.toString('base64'), encoding: 'base64', ...cut };
}

/** How many bytes of it are text, null where they are none; a character that was cut is left away. */
function textLength(bytes: Buffer, isCut: boolean): number | null {
  if (isUtf8(bytes)) return bytes.length;
  for (let missing = 1; isCut && missing <= 3; missing += 1)
    if (isUtf8(bytes.subarray(0, bytes.length - missing))) return bytes.length - missing;
  return null;
}

/** How many characters of a key are shown at its end, as everywhere. */
const LAST = 4;
/** Of a secret part shorter than this, its end would give too much away. */
const MASKABLE = 8;
const KEY = /\b(svc_(?:test|live)_)([A-Za-z0-9_-]+)/g;
const SECRET = /\b(whsec_)[A-Za-z0-9_-]+/g;

/** The text without keys and secrets, wherever they stand in it. */
export function maskText(text: string): string {
  if (!text.includes('svc_') && !text.includes('whsec_')) return text;
  return text
    .replace(
      KEY,
      (_, prefix: string, secret: string) =>
        `${prefix}...${secret.length < MASKABLE ? '' : secret.slice(-LAST)}`,
    )
    .replace(SECRET, '$1...');
}

/** These headers name the sender by a secret and by nothing else. */
const CREDENTIALS = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie']);

/** A body that should hold a one-time code, without it: of one that is no JSON object every digit may be part of the code. */
export function maskCode(body: Uint8Array): Uint8Array {
  const members = membersAt(body);
  if (members === null)
    return Buffer.from(Buffer.from(body).toString('latin1').replace(/[0-9]/g, '.'), 'latin1');
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { name, start, end } of members) {
    if (name.toLowerCase() !== 'code') continue;
    parts.push(body.subarray(at, start), MASKED_CODE);
    at = end;
  }
  const rest = Buffer.concat([...parts, body.subarray(at)]).toString('latin1');
  // Under another name it is one all the same.
  return Buffer.from(rest.replace(/[0-9]{4,}/g, '...'), 'latin1');
}

const MASKED_CODE = Buffer.from('"..."');
