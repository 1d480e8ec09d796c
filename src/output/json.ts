/** JSON output: the service's own bytes and a newline; on a terminal what could drive it is shown as escapes (cli.md section 4). */
import { escapeBytes } from './escape.js';

const NEWLINE = Uint8Array.of(0x0a);

/** The body byte for byte and a newline; text with escapes where standard output is a terminal. */
export function renderJson(body: Uint8Array, terminal: boolean): Uint8Array | string {
  return terminal ? `${escapeBytes(body)}\n` : Buffer.concat([body, NEWLINE]);
}
