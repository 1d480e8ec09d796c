import { type Range, byteOrderMarkLength } from '../contract/json.js';
import { requireList } from './value.js';

const [LINE_FEED, CARRIAGE_RETURN, SPACE] = [0x0a, 0x0d, 0x20];

export function renderNdjson(body: Uint8Array, wrapper: string | null): Uint8Array {
  return renderElements(body, requireList(body, wrapper));
}

export function renderElements(body: Uint8Array, elements: readonly Range[]): Uint8Array {
  const length = elements.reduce((sum, { start, end }) => sum + end - start + 1, 0);
  const lines = Buffer.allocUnsafe(length);
  let offset = 0;
  for (const { start, end } of elements) {
    lines.set(body.subarray(start, end), offset);
    offset += end - start;
    lines[offset] = LINE_FEED;
    offset += 1;
  }
  const hasLineEnds = body.includes(LINE_FEED) || body.includes(CARRIAGE_RETURN);
  if (!hasLineEnds) return lines;
  let lineStart = 0;
  for (const { start, end } of elements) {
    const line = lines.subarray(lineStart, lineStart + end - start);
    for (const lineEnd of [LINE_FEED, CARRIAGE_RETURN])
      for (let index = line.indexOf(lineEnd); index !== -1; index = line.indexOf(lineEnd, index + 1))
        line[index] = SPACE;
    lineStart += end - start + 1;
  }
  return lines;
}

export function renderLine(body: Uint8Array): Uint8Array {
  return renderElements(body, [{ start: byteOrderMarkLength(body), end: body.length }]);
}
