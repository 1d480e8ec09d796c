import { isUtf8 } from 'node:buffer';
import type { ExchangeSide } from './logged.js';
import { membersAt } from '../../contract/json.js';

export const BODY_KEPT_BYTES = 64 * 1024;

export type BodyView = Omit<ExchangeSide, 'headers'>;

export function formatHeaders(headers: Iterable<readonly [name: string, value: string]>) {
  const valueByName = new Map<string, string>();
  for (const [headerName, value] of headers) {
    const name = headerName.toLowerCase();
    const earlierValue = valueByName.get(name);
    let maskedValue = maskText(value);
    if (maskedValue === value && SECRET_HEADERS.has(name))
      maskedValue = `${/^[A-Za-z]{1,20} /.exec(value)?.[0] ?? ''}...`;
    valueByName.set(name, earlierValue === undefined ? maskedValue : `${earlierValue}, ${maskedValue}`);
  }
  return Object.fromEntries(valueByName);
}

export function formatBody(bytes: Uint8Array, bytesMax: number): BodyView {
  const truncation = bytes.length > bytesMax ? { truncated: true as const } : {};
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, bytesMax));
  const length = textLength(start, bytes.length > bytesMax);
  if (length !== null) return { body: maskText(start.toString('utf8', 0, length)), ...truncation };
  const maskedBytes = Buffer.from(maskText(start.toString('latin1')), 'latin1');
  return { body: maskedBytes.toString('base64'), encoding: 'base64', ...truncation };
}

function textLength(bytes: Buffer, isCut: boolean): number | null {
  if (isUtf8(bytes)) return bytes.length;
  for (let missingBytes = 1; isCut && missingBytes <= 3; missingBytes += 1)
    if (isUtf8(bytes.subarray(0, bytes.length - missingBytes))) return bytes.length - missingBytes;
  return null;
}

const KEY_END_CHARACTERS = 4;
const SECRET_PART_MIN = 8;
const KEY_FORM = /\b(svc_(?:test|live)_)(?!sandbox_(?![A-Za-z0-9_-]))([A-Za-z0-9_-]+)/g;
const SECRET_FORM = /\b(whsec_)[A-Za-z0-9_-]+/g;

export function maskText(text: string): string {
  if (!text.includes('svc_') && !text.includes('whsec_')) return text;
  return text
    .replace(
      KEY_FORM,
      (_, prefix: string, secret: string) =>
        `${prefix}...${secret.length < SECRET_PART_MIN ? '' : secret.slice(-KEY_END_CHARACTERS)}`,
    )
    .replace(SECRET_FORM, '$1...');
}

const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie']);

export function maskCode(body: Uint8Array): Uint8Array {
  const members = membersAt(body);
  if (members === null)
    return Buffer.from(Buffer.from(body).toString('latin1').replace(/[0-9]/g, '.'), 'latin1');
  const parts: Uint8Array[] = [];
  let position = 0;
  for (const { name, start, end } of members) {
    if (name.toLowerCase() !== 'code') continue;
    parts.push(body.subarray(position, start), Buffer.from('"..."'));
    position = end;
  }
  const text = Buffer.concat([...parts, body.subarray(position)]).toString('latin1');
  // The confirmation code may be in a member with another name, so all long numbers are masked.
  return Buffer.from(text.replace(/[0-9]{4,}/g, '...'), 'latin1');
}
