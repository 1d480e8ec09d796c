/** What the signed body may have been before something on its way changed it. Pure. */
import { cause, given, type CauseCode, type Suspect } from './cause.js';
import { jsonTexts } from './json-texts.js';

type Body = Suspect<Uint8Array>;

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The body as it is, then as it may have been, the likeliest first. Bytes that are no text stay bytes: Latin-1 keeps each of them. */
export function bodySuspects(bytes: Uint8Array): Body[] {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const raw = body.toString('latin1');
  const suspects: Body[] = [given(bytes)];
  const add = (code: CauseCode, value: Buffer, found?: string): void => {
    if (!value.equals(body)) suspects.push({ value, cause: cause(code, found) });
  };
  const addRaw = (code: CauseCode, text: string): void => add(code, Buffer.from(text, 'latin1'));
  const unix = raw.replaceAll('\r\n', '\n');
  addRaw('trailing_newline', raw.replace(/\r?\n$/, ''));
  addRaw('trailing_newline', raw.replace(/[\r\n]{1,64}$/, ''));
  addRaw('newline_missing', `${raw}\n`);
  addRaw('newline_missing', `${raw}\r\n`);
  addRaw('line_ends', unix);
  addRaw('line_ends', unix.replaceAll('\n', '\r\n'));
  addRaw('line_ends', unix.replace(/\n$/, ''));
  addRaw('line_ends', unix.replace(/\n$/, '').replaceAll('\n', '\r\n'));
  addRaw('surrounding_space', trimmed(raw));
  if (body.subarray(0, 3).equals(BYTE_ORDER_MARK)) add('byte_order_mark', body.subarray(3));
  else add('byte_order_mark', Buffer.concat([BYTE_ORDER_MARK, body]));
  for (const { text, style } of jsonTexts(body.toString('utf8'))) {
    add('json_reserialised', Buffer.from(text), style);
    add('json_reserialised', Buffer.from(`${text}\n`), style);
  }
  for (const [code, value] of unwrapped(body, raw)) add(code, value);
  return suspects;
}

/** What may be inside it: a layer that should have been taken off. */
function unwrapped(body: Buffer, raw: string): [CauseCode, Buffer][] {
  const layers: [CauseCode, Buffer][] = [];
  const inner = quoted(body);
  if (inner !== null) layers.push(['json_quoted', Buffer.from(inner)]);
  if (/^[A-Za-z0-9+/_-]{16,}={0,2}\s?$/.test(raw)) layers.push(['body_base64', Buffer.from(raw, 'base64')]);
  const chunks = unchunked(raw);
  if (chunks !== null) layers.push(['body_chunked', Buffer.from(chunks, 'latin1')]);
  layers.push(['text_encoding', Buffer.from(raw)]);
  layers.push(['text_encoding', Buffer.from(body.toString('utf8'), 'latin1')]);
  return layers;
}

function quoted(body: Buffer): string | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

/** The content of a chunked transfer (RFC 9112 section 7.1); null where it is none. */
function unchunked(raw: string): string | null {
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

/** Without ASCII white space around it. */
function trimmed(raw: string): string {
  let [start, end] = [0, raw.length];
  while (start < end && ' \t\r\n'.includes(raw[start] ?? 'x')) start += 1;
  while (end > start && ' \t\r\n'.includes(raw[end - 1] ?? 'x')) end -= 1;
  return raw.slice(start, end);
}
