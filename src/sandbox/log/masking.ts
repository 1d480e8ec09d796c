/** What of a request and its answer is never written down: keys, signing secrets, one-time codes. Their beginning stays, and what they were about. */
import type { EndpointId } from '../../contract/endpoints.js';
import { membersAt } from '../../contract/json-bytes.js';

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
    .replace(KEY, (_, prefix: string, secret: string) => `${prefix}...${endOf(secret)}`)
    .replace(SECRET, '$1...');
}

function endOf(secret: string): string {
  return secret.length < MASKABLE ? '' : secret.slice(-LAST);
}

/** Whoever is named in these headers is told by nothing else than a secret. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
]);

/** The value of a header. @param name in lower case */
export function maskHeader(name: string, value: string): string {
  const masked = maskText(value);
  if (!CREDENTIALS.has(name) || masked !== value) return masked;
  const [, scheme = ''] = /^([A-Za-z]{1,20} )/.exec(value) ?? [];
  return `${scheme}...`;
}

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

/** Why a request was refused: a reader of JSON may quote what it could not read. */
export function maskReason(text: string, endpoint: EndpointId | null): string {
  return maskText(endpoint === 'payins.confirm' ? text.replace(/[0-9]{4,}/g, '...') : text);
}

const MASKED_CODE = Buffer.from('"..."');
