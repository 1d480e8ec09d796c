/** A document of a kept sandbox, read: everything that is wrong with it, each with its line and path, or what stands in the store afterwards. */
import { isUtf8 } from 'node:buffer';
import { utf8In } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { STATE_MAX_BYTES, TOO_LARGE } from '../control/call.js';
import type { KeptState } from '../store/kept.js';
import { coherentState } from './coherence.js';
import { checkForm } from './document.js';
import { Findings, FINDINGS_MAX, type Misfit } from './findings.js';
import { lineOfCharacter, linesOf, pathText, scanJson, type JsonPath } from './places.js';
import { STATE_VERSION } from './writing.js';

/** One thing that is wrong with a document. */
export interface StateProblem {
  /** From 1. */
  readonly line: number;
  /** Such as `operations[3].operation.id`; empty for the document itself. */
  readonly path: string;
  readonly text: string;
}

export type StateRead =
  | { readonly state: KeptState; readonly problems: null }
  | { readonly state: null; readonly problems: readonly StateProblem[] };

/** @param makeId for what the document leaves out */
export function readState(bytes: Uint8Array, makeId: () => string): StateRead {
  const text = textIn(bytes);
  if (typeof text !== 'string') return refused([text]);
  const stranger = liveKeyIn(text);
  if (stranger !== null) return refused([stranger]);
  const metadata: string[] = [];
  const broken = scanJson(text, (path, start, end) => {
    if (isMetadata(path)) metadata[path[1]] = text.slice(start, end);
  });
  if (broken !== null)
    return refused([
      { line: lineOfCharacter(text, broken.at), path: pathText(broken.path), text: broken.text },
    ]);
  const value: unknown = JSON.parse(text);
  const hidden = text.includes('\\u') ? hiddenLiveKeyIn(value, []) : null;
  if (hidden !== null) return refused(placed(text, [{ path: hidden, text: LIVE_KEY }]));
  const version = isObject(value) ? value['svc_sandbox_state'] : undefined;
  if (typeof version === 'number' && version > STATE_VERSION) {
    const said = `This state has the form ${String(version)}, and this svc reads ${String(STATE_VERSION)}. Use a newer svc.`;
    return refused(placed(text, [{ path: ['svc_sandbox_state'], text: said }]));
  }
  const findings = new Findings();
  checkForm(value, findings);
  if (findings.all.length > 0) return refused(placed(text, findings.all));
  const state = coherentState(value, metadata, findings, makeId);
  return findings.all.length > 0 ? refused(placed(text, findings.all)) : { state, problems: null };
}

/** One line for each, as a message has them. */
export function problemLines(problems: readonly StateProblem[]): string[] {
  const lines = problems.map(
    ({ line, path, text }) => `Line ${String(line)}${path === '' ? '' : `, ${path}`}: ${text}`,
  );
  return problems.length < FINDINGS_MAX ? lines : [...lines, 'There may be more.'];
}

function refused(problems: readonly StateProblem[]): StateRead {
  return { state: null, problems };
}

function placed(text: string, found: readonly Misfit[]): StateProblem[] {
  const lines = linesOf(
    text,
    found.map(({ path }) => path),
  );
  return found.map((finding, index) => ({
    line: lines[index] ?? 1,
    path: pathText(finding.path),
    text: finding.text,
  }));
}

function isMetadata(path: JsonPath): path is readonly ['operations', number, 'operation', 'metadata'] {
  return path.length === 4 && path[3] === 'metadata' && path[0] === 'operations' && path[2] === 'operation';
}

/** The text without a byte order mark, or why there is none. */
function textIn(bytes: Uint8Array): string | StateProblem {
  const first = (text: string): StateProblem => ({ line: 1, path: '', text });
  if (bytes.length > STATE_MAX_BYTES) return first(TOO_LARGE);
  const [one, two, three] = bytes;
  if ((one === 0xff && two === 0xfe) || (one === 0xfe && two === 0xff))
    return first('This is UTF-16. A state is UTF-8.');
  const begin = one === 0xef && two === 0xbb && three === 0xbf ? 3 : 0;
  const text = utf8In(bytes, begin);
  if (!isUtf8(bytes))
    return { line: lineOfCharacter(text, text.indexOf('\ufffd')), path: '', text: 'This is not UTF-8.' };
  return text.trim() === '' ? first('There is nothing in it.') : text;
}

const LIVE_KEY =
  'This holds a live key of a real account. A state holds only keys of a sandbox: its live keys begin with svc_live_sandbox_. Remove the key.';
/** A masked one is no key. */
const REAL_KEY = /svc_live_(?!sandbox_)[^\s"\\*.]/i;

function liveKeyIn(text: string): StateProblem | null {
  const at = text.search(REAL_KEY);
  if (at === -1) return null;
  const around: string[] = [];
  scanJson(text, (reached, start, end) => {
    // Inner values come before the ones around them.
    if (start <= at && at < end) around.push(pathText(reached));
  });
  return { line: lineOfCharacter(text, at), path: around[0] ?? '', text: LIVE_KEY };
}

/** One that is spelled with escapes. */
function hiddenLiveKeyIn(value: unknown, path: JsonPath): JsonPath | null {
  if (typeof value === 'string') return REAL_KEY.test(value) ? path : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const at = [...path, Array.isArray(value) ? Number(name) : name];
    if (REAL_KEY.test(name)) return path;
    const found = hiddenLiveKeyIn(inner, at);
    if (found !== null) return found;
  }
  return null;
}
