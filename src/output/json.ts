/** JSON output: the service's own bytes and a newline; on a terminal what could drive it is shown as escapes. */
import { jsonIn } from '../contract/json.js';
import { withoutMark } from '../contract/json-bytes.js';
import { escapeBytes } from './escape.js';
import { PLAIN, type Style } from './style.js';

const NEWLINE = Uint8Array.of(0x0a);

/** The body byte for byte and a newline; laid out, with escapes and without a byte order mark, where standard output is a terminal. */
export function renderJson(body: Uint8Array, terminal: boolean, style: Style = PLAIN): Uint8Array | string {
  return terminal ? `${laidOut(escapeBytes(withoutMark(body)), style)}\n` : Buffer.concat([body, NEWLINE]);
}

/** A text, what stands for itself, and a name or a value of another kind. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
/** Deeper than a person reads; a hostile answer nests as deep as it likes. */
const DEPTH_MAX = 40;

/** Members and elements a line each: every name and value in the characters that came, only the white space between is ours. */
function laidOut(text: string, style: Style): string {
  if (jsonIn(text) === undefined) return text;
  const tokens = text.match(TOKEN) ?? [];
  let out = '';
  let depth = 0;
  const line = (): string => `\n${'  '.repeat(Math.min(depth, DEPTH_MAX))}`;
  for (const [at, token] of tokens.entries()) {
    const [before, next] = [tokens[at - 1] ?? '', tokens[at + 1] ?? ''];
    const opens = token === '{' || token === '[';
    const closes = token === '}' || token === ']';
    if (closes) {
      depth -= 1;
      out += before === '{' || before === '[' ? token : line() + token;
    } else if (opens) {
      depth += 1;
      out += next === '}' || next === ']' ? token : token + line();
    } else if (token === ',') out += token + line();
    else if (token === ':') out += ': ';
    else out += next === ':' ? style.accent(token) : token === 'null' ? style.faint(token) : token;
  }
  return out;
}
