/** NDJSON output: each element of a list in its own bytes, one a line. */
import { type Range, markLength } from '../contract/json.js';
import { requireList } from './value.js';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/**
 * The elements of a list response, one a line. Line ends between tokens become spaces, for a line is one line;
 * nothing else changes. Empty for an empty list.
 * @throws Failure (defect) where the body holds no list
 */
export function renderNdjson(body: Uint8Array, wrapper: string | null): Uint8Array {
  return renderElements(body, requireList(body, wrapper));
}

/** Those slices of a body, one a line, in one piece of memory: a page is written at once. */
export function renderElements(body: Uint8Array, elements: readonly Range[]): Uint8Array {
  const length = elements.reduce((sum, { start, end }) => sum + end - start + 1, 0);
  const lines = Buffer.allocUnsafe(length);
  let at = 0;
  for (const { start, end } of elements) {
    lines.set(body.subarray(start, end), at);
    at += end - start;
    lines[at] = LINE_FEED;
    at += 1;
  }
  // Services write JSON without line ends: one look at the whole body spares one at each element.
  const hasEnds = body.includes(LINE_FEED) || body.includes(CARRIAGE_RETURN);
  if (!hasEnds) return lines;
  // A raw line end never stands inside a JSON string, so every one of them is insignificant.
  let from = 0;
  for (const { start, end } of elements) {
    const line = lines.subarray(from, from + end - start);
    for (const lineEnd of [LINE_FEED, CARRIAGE_RETURN])
      for (let found = line.indexOf(lineEnd); found !== -1; found = line.indexOf(lineEnd, found + 1))
        line[found] = SPACE;
    from += end - start + 1;
  }
  return lines;
}

/** One value as a line: what NDJSON output is for an endpoint that answers no list. A byte order mark stands before no line. */
export function renderLine(body: Uint8Array): Uint8Array {
  return renderElements(body, [{ start: markLength(body), end: body.length }]);
}
