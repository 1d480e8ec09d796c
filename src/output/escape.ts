import { isUtf8 } from 'node:buffer';
import { decodeUtf8 } from '../contract/json.js';
import { escapeOf, showUnseen } from '../contract/on-screen.js';

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

export function escapeText(text: string): string {
  return showUnseen(text, escapeCharacter);
}

export function escapeLines(text: string): string {
  return showUnseen(text, (character, at) => {
    if (character === '\n' || character === '\t') return character;
    if (character === '\r' && text[at + 1] === '\n') return character;
    return escapeCharacter(character);
  });
}

export function escapeBytes(bytes: Uint8Array): string {
  return escapeLines(isUtf8(bytes) ? decodeUtf8(bytes) : decodeBroken(bytes));
}

function escapeCharacter(character: string): string {
  return SHORT_ESCAPES[character] ?? escapeOf(character);
}

function decodeBroken(bytes: Uint8Array): string {
  const parts: string[] = [];
  let validStart = 0;
  for (let at = 0; at < bytes.length;) {
    const length = characterLengthAt(bytes, at);
    if (length === 0) {
      const hex = (bytes[at] ?? 0).toString(16).padStart(2, '0');
      parts.push(decodeUtf8(bytes, validStart, at), `\\x${hex}`);
      validStart = at + 1;
    }
    at += Math.max(length, 1);
  }
  parts.push(decodeUtf8(bytes, validStart));
  return parts.join('');
}

function characterLengthAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}
