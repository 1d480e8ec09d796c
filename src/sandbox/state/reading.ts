import { isUtf8 } from 'node:buffer';
import { decodeUtf8 } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { STATE_MAX_BYTES, STATE_TOO_LARGE } from '../control/call.js';
import { checkCoherence } from './coherence.js';
import { checkForm } from './document.js';
import { Findings, FINDINGS_MAX, type Finding } from './findings.js';
import { lineOfCharacter, lineNumbersOf, pathText, scanJson, type JsonPath } from './places.js';
import { STATE_VERSION } from './writing.js';

export interface StateProblem {
  readonly line: number;
  readonly path: string;
  readonly text: string;
}

const readings = new WeakMap<Uint8Array, ReturnType<typeof readDocument>>();

/** A command checks the bytes and then hands them to the embedded sandbox, so their reading is kept. */
export function readState(bytes: Uint8Array, makeId: () => string) {
  const reading = readings.get(bytes) ?? readDocument(bytes, makeId);
  readings.set(bytes, reading);
  return reading;
}

function readDocument(bytes: Uint8Array, makeId: () => string) {
  const text = textIn(bytes);
  if (typeof text !== 'string') return failedRead([text]);
  const keyAt = text.search(REAL_KEY);
  if (keyAt !== -1) {
    const paths: string[] = [];
    scanJson(text, (path, start, end) => {
      // `scanJson` reports inner values before outer ones, so the first path is the innermost.
      if (start <= keyAt && keyAt < end) paths.push(pathText(path));
    });
    return failedRead([{ line: lineOfCharacter(text, keyAt), path: paths[0] ?? '', text: REAL_KEY_TEXT }]);
  }
  const metadata: string[] = [];
  const problem = scanJson(text, (path, start, end) => {
    if (isMetadata(path)) metadata[path[1]] = text.slice(start, end);
  });
  if (problem !== null)
    return failedRead([
      { line: lineOfCharacter(text, problem.at), path: pathText(problem.path), text: problem.text },
    ]);
  const value: unknown = JSON.parse(text);
  const escapedKey = text.includes('\\u') ? escapedRealKeyIn(value, []) : null;
  if (escapedKey !== null) return failedRead(withLines(text, [{ path: escapedKey, text: REAL_KEY_TEXT }]));
  const version = isObject(value) ? value['svc_sandbox_state'] : undefined;
  if (typeof version === 'number' && version > STATE_VERSION) {
    const message = `This state has the form ${String(version)}, and this svc reads ${String(STATE_VERSION)}. Use a newer svc.`;
    return failedRead(withLines(text, [{ path: ['svc_sandbox_state'], text: message }]));
  }
  const findings = new Findings();
  checkForm(value, findings);
  if (findings.all.length > 0) return failedRead(withLines(text, findings.all));
  const state = checkCoherence(value, metadata, findings, makeId);
  return findings.all.length > 0 ? failedRead(withLines(text, findings.all)) : { state, problems: null };
}

export function problemLines(problems: readonly StateProblem[]): string[] {
  const lines = problems.map(
    ({ line, path, text }) => `Line ${String(line)}${path === '' ? '' : `, ${path}`}: ${text}`,
  );
  return problems.length < FINDINGS_MAX ? lines : [...lines, 'There may be more.'];
}

const failedRead = (problems: readonly StateProblem[]) => ({ state: null, problems });

function withLines(document: string, findings: readonly Finding[]): StateProblem[] {
  const paths = findings.map(({ path }) => path);
  const lines = lineNumbersOf(document, paths);
  return findings.map(({ path, text }, index) => ({ line: lines[index] ?? 1, path: pathText(path), text }));
}

const isMetadata = (path: JsonPath): path is readonly ['operations', number, 'operation', 'metadata'] =>
  path.length === 4 && path[3] === 'metadata' && path[0] === 'operations' && path[2] === 'operation';

function textIn(bytes: Uint8Array): string | StateProblem {
  const problemAtStart = (text: string): StateProblem => ({ line: 1, path: '', text });
  if (bytes.length > STATE_MAX_BYTES) return problemAtStart(STATE_TOO_LARGE);
  const [first, second, third] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return problemAtStart('This is UTF-16. A state is UTF-8.');
  const start = first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0;
  const text = decodeUtf8(bytes, start);
  if (!isUtf8(bytes))
    return { line: lineOfCharacter(text, text.indexOf('\ufffd')), path: '', text: 'This is not UTF-8.' };
  return text.trim() === '' ? problemAtStart('There is nothing in it.') : text;
}

const REAL_KEY_TEXT =
  'This holds a live key of a real account. A state holds only keys of a sandbox: its live keys begin with svc_live_sandbox_. Remove the key.';
/** A masked key (`svc_live_...`) does not match. */
const REAL_KEY = /svc_live_(?!sandbox_)[^\s"\\*.]/i;

function escapedRealKeyIn(value: unknown, path: JsonPath): JsonPath | null {
  if (typeof value === 'string') return REAL_KEY.test(value) ? path : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    if (REAL_KEY.test(name)) return path;
    const innerPath = escapedRealKeyIn(inner, [...path, Array.isArray(value) ? Number(name) : name]);
    if (innerPath !== null) return innerPath;
  }
  return null;
}
