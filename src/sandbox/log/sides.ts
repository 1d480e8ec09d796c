/** The two sides of an exchange as they are written down: headers, and the body as text or, where it is none, as base64. */
import { isUtf8 } from 'node:buffer';
import type { EndpointId } from '../../contract/endpoints.js';
import type { SandboxAnswer, SandboxRequest } from '../message.js';
import type { ShownSide } from './logged.js';
import { maskCode, maskHeader, maskText } from './masking.js';

/** How much of a body is kept. */
export const BODY_KEPT_BYTES = 64 * 1024;

/** A body, or the beginning of one. */
export type ShownBody = Omit<ShownSide, 'headers'>;

/** The JSON of what came in. */
export function requestSide({ headers, body }: SandboxRequest, endpoint: EndpointId | null): string {
  const kept = endpoint === 'payins.confirm' ? maskCode(body) : body;
  return JSON.stringify({ headers: shownHeaders(headers), ...shownBody(kept, BODY_KEPT_BYTES) });
}

/** The JSON of what went out; nothing did where the connection was cut before the request was carried out. */
export function answerSide({ headers, body, interference }: SandboxAnswer): string {
  if (interference?.kind === 'drop-before') return '{"headers":{},"body":""}';
  return JSON.stringify({
    headers: shownHeaders(Object.entries(headers)),
    ...shownBody(body, BODY_KEPT_BYTES),
  });
}

/** By name in lower case; the values of a name that came more than once, in their order. */
export function shownHeaders(
  headers: Iterable<readonly [name: string, value: string]>,
): Record<string, string> {
  const shown = new Map<string, string>();
  for (const [written, value] of headers) {
    const name = written.toLowerCase();
    const before = shown.get(name);
    const masked = maskHeader(name, value);
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
