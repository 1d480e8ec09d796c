import { canonicalJson, jsonIn, decodeUtf8 } from './json.js';
import { isObject } from './shape.js';

export function lineOfBody(bytes: Uint8Array): { readonly line: string } | { readonly why: string } {
  const text = decodeUtf8(bytes);
  const value = jsonIn(text);
  if (!isObject(value)) return { why: 'is not a JSON object' };
  const line = JSON.stringify(value);
  const meaning = canonicalJson(text);
  if (meaning === null) return { why: 'has a member twice, or too many brackets within one another' };
  if (canonicalJson(line) !== meaning)
    return { why: 'has a number with more digits than are kept: write it as text' };
  return { line };
}
