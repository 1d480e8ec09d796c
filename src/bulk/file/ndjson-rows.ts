/** Rows of an NDJSON file: each line is a request body, and its own bytes are what leaves. */
import { jsonIn } from '../../contract/json.js';
import { repeatedName } from '../../contract/json-bytes.js';
import { type FileRows, spoiledBody } from './file-row.js';
import type { Problems } from '../../runtime/problems.js';

const LINE_MAX_CHARACTERS = 128 * 1024;

/** The rows of the text; what is wrong with one is noted, and the row is left out. */
export async function* readNdjson(text: AsyncIterable<string>, problems: Problems): FileRows {
  let number = 0;
  let blankAt: number | null = null;
  for await (const raw of linesOf(text)) {
    number += 1;
    const line = raw.trim();
    if (line === '') {
      blankAt ??= number;
      continue;
    }
    if (blankAt !== null) problems.add(blankAt, null, 'a blank line in the middle');
    blankAt = null;
    const body = bodyOf(line, number, problems);
    if (body !== null) yield { line: number, body, text: line };
  }
}

function bodyOf(line: string, number: number, problems: Problems): Record<string, unknown> | null {
  if (line.length > LINE_MAX_CHARACTERS) {
    problems.add(number, null, 'the line is too long for a request');
    return null;
  }
  const body = jsonIn(line);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    problems.add(number, null, 'is not one JSON object');
    return null;
  }
  const repeated = repeatedName(line);
  if (repeated !== null) problems.add(number, repeated, 'the name is there twice');
  const spoiled = spoiledBody(body);
  if (spoiled !== null) problems.add(number, spoiled.field, spoiled.message);
  return repeated === null && spoiled === null ? (body as Record<string, unknown>) : null;
}

async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let rest = '';
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    // A line without an end is cut off where nothing in it can be right any more.
    if (rest.length > 2 * LINE_MAX_CHARACTERS) rest = rest.slice(0, LINE_MAX_CHARACTERS + 1);
  }
  if (rest !== '') yield rest;
}
