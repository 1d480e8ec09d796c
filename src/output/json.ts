/** JSON output: the service's own bytes and a newline; on a terminal what could drive it is shown as escapes. */
import { withoutMark } from '../contract/json-bytes.js';
import { laidOut } from '../contract/on-screen.js';
import { escapeBytes } from './escape.js';
import { PLAIN, type Style } from './style.js';

const NEWLINE = Uint8Array.of(0x0a);

/** The body byte for byte and a newline; laid out, with escapes and without a byte order mark, where standard output is a terminal. */
export function renderJson(body: Uint8Array, terminal: boolean, style: Style = PLAIN): Uint8Array | string {
  return terminal ? `${laidOut(escapeBytes(withoutMark(body)), style)}\n` : Buffer.concat([body, NEWLINE]);
}
