import type { Delivery } from './delivery.js';

const HEADERS_MAX_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

const TOKEN = String.raw`[!#$%&'*+.^_\x60|~0-9A-Za-z-]+`;
const REQUEST_LINE = new RegExp(String.raw`^${TOKEN} \S+ HTTP/[0-9](?:\.[0-9])?$`);
const HEADER_LINE = new RegExp(String.raw`^(${TOKEN}):([^\0\r\n]*)$`);

export type HttpMessage =
  | { readonly kind: 'body' | 'request'; readonly delivery: Delivery }
  | { readonly kind: 'malformed'; readonly why: string };

export function readMessage(bytes: Uint8Array): HttpMessage {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, HEADERS_MAX_BYTES));
  const firstLine = lineAt(head, 0);
  const hasRequestLine = firstLine !== null && REQUEST_LINE.test(firstLine.text);
  if (firstLine === null || (!hasRequestLine && !HEADER_LINE.test(firstLine.text))) {
    return { kind: 'body', delivery: { body: bytes, headers: [] } };
  }
  const headers: [string, string][] = [];
  let at = hasRequestLine ? firstLine.end : 0;
  for (;;) {
    const line = lineAt(head, at);
    if (line === null) {
      const isLong = bytes.byteLength > HEADERS_MAX_BYTES;
      const why = isLong
        ? `its headers are longer than ${HEADERS_MAX_BYTES} bytes`
        : 'no empty line follows its headers, so it has no body';
      return { kind: 'malformed', why };
    }
    at = line.end;
    if (line.text === '') {
      return { kind: 'request', delivery: { body: bytes.subarray(at), headers } };
    }
    const [, name, value] = HEADER_LINE.exec(line.text) ?? [];
    if (name === undefined || value === undefined) {
      return { kind: 'malformed', why: `line ${headers.length + (hasRequestLine ? 2 : 1)} is not a header` };
    }
    headers.push([name, trimCharacters(value, ' \t')]);
  }
}

function lineAt(bytes: Buffer, start: number): { text: string; end: number } | null {
  const at = bytes.indexOf(LINE_FEED, start);
  if (at === -1) return null;
  const text = bytes.toString('latin1', start, at);
  return { text: text.endsWith('\r') ? text.slice(0, -1) : text, end: at + 1 };
}

/** Uses no regular expression, because one would need quadratic time for a line of spaces. */
export function trimCharacters(text: string, blanks: string): string {
  let [start, end] = [0, text.length];
  while (start < end && blanks.includes(text.charAt(start))) start += 1;
  while (end > start && blanks.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
