/** What makes two bodies the same payment: their route and their members, without those that change from run to run by themselves. Pure. */
import { hash } from 'node:crypto';
import type { EndpointId } from '../contract/endpoints.js';
import { jsonIn } from '../contract/json.js';
import { bodyMark } from '../contract/marks.js';
import { type Flow, isMethod, METHODS } from '../contract/operation.js';
import type { Changing } from './client-exam.js';

/** Deeper bodies are told apart by their bytes. */
const DEPTH_MAX = 50;

const LEAVES = new WeakMap<Uint8Array, ReadonlyMap<string, string> | 'no JSON'>();
const MARKS = new WeakMap<Uint8Array, string>();

/** Path by path what a body holds, each value as JSON; null where it is none. Dots in names are escaped. */
function leavesOf(body: Uint8Array): ReadonlyMap<string, string> | null {
  let leaves = LEAVES.get(body);
  if (leaves === undefined) {
    const value = jsonIn(body);
    const found = new Map<string, string>();
    leaves = value !== undefined && gather(value, '', found, 0) ? found : 'no JSON';
    LEAVES.set(body, leaves);
  }
  return leaves === 'no JSON' ? null : leaves;
}

/** Adds what stands in a value. @returns false where it is too deep */
function gather(value: unknown, path: string, into: Map<string, string>, depth: number): boolean {
  if (depth > DEPTH_MAX) return false;
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (members.length === 0) into.set(path, JSON.stringify(value));
  return members.every(([name, inner]) => {
    const own = name.replaceAll('.', '\\.');
    return gather(inner, path === '' ? own : `${path}.${own}`, into, depth + 1);
  });
}

/** Equal for the same members, however they are written; of other bytes equal for equal ones. */
export function markOfBody(body: Uint8Array): string {
  let mark = MARKS.get(body);
  if (mark === undefined) {
    mark = Buffer.from(bodyMark(body)).toString('hex');
    MARKS.set(body, mark);
  }
  return mark;
}

/** The last one that was asked for: a run is looked through once for each of its requests. */
const FINGERPRINTS = new WeakMap<
  Uint8Array,
  { route: EndpointId; changing: Changing; fingerprint: string }
>();

/** Sixteen digits, equal for the same payment. */
export function fingerprintOf(route: EndpointId, body: Uint8Array, changing: Changing): string {
  const known = FINGERPRINTS.get(body);
  if (known?.route === route && known.changing === changing) return known.fingerprint;
  const leaves = leavesOf(body);
  const changingHere = changing.get(route);
  const own =
    leaves === null
      ? markOfBody(body)
      : [...leaves]
          .filter(([path]) => !isLeftOut(path, changingHere))
          .sort(([one], [other]) => (one < other ? -1 : 1));
  const fingerprint = hash('sha256', JSON.stringify([route, own])).slice(0, 16);
  FINGERPRINTS.set(body, { route, changing, fingerprint });
  return fingerprint;
}

/** Whether a path, or all below an object that it is in, changes by itself. */
function isLeftOut(path: string, changing: ReadonlySet<string> | undefined): boolean {
  if (changing === undefined) return false;
  if (changing.has(path)) return true;
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1))
    if (changing.has(`${path.slice(0, dot)}.*`)) return true;
  return false;
}

/** How many members two bodies share: the more, the more likely they are the same payment. Less than none where one is no JSON. */
export function sharedMembers(one: Uint8Array, other: Uint8Array): number {
  const [mine, its] = [leavesOf(one), leavesOf(other)];
  if (mine === null || its === null) return -1;
  let shared = 0;
  for (const [path, value] of mine) if (its.get(path) === value) shared += 1;
  return shared;
}

/** Whether two bodies have members of the same names. */
export function hasSameShape(one: Uint8Array, other: Uint8Array): boolean {
  const [mine, its] = [leavesOf(one), leavesOf(other)];
  if (mine === null || its === null) return false;
  return mine.size === its.size && [...mine.keys()].every((path) => its.has(path));
}

/** The paths at which two bodies differ. An object whose names differ, too, stands as `path.*`. */
export function changedPaths(one: Uint8Array, other: Uint8Array): string[] {
  const [mine, its] = [leavesOf(one), leavesOf(other)];
  if (mine === null || its === null) return [];
  const onlyMine = parentsOf([...mine.keys()].filter((path) => !its.has(path)));
  const onlyIts = parentsOf([...its.keys()].filter((path) => !mine.has(path)));
  const all = new Set([...mine.keys(), ...its.keys()]);
  const changed = [...all].filter((path) => mine.get(path) !== its.get(path));
  return [
    ...new Set(
      changed.map((path) => {
        const parent = parentOf(path);
        return parent !== '' && onlyMine.has(parent) && onlyIts.has(parent) ? `${parent}.*` : path;
      }),
    ),
  ];
}

function parentsOf(paths: readonly string[]): ReadonlySet<string> {
  return new Set(paths.map(parentOf));
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.')));
}

/** How an operation that a body asks for begins; null where it does not say. */
export function flowOf(body: Uint8Array): Flow | null {
  const method = leavesOf(body)?.get('method');
  const name = method === undefined ? null : jsonIn(method);
  return isMethod(name) ? METHODS[name].flow : null;
}
