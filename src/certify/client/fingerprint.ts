import { hash } from 'node:crypto';
import type { EndpointId } from '../../contract/endpoints.js';
import { jsonIn } from '../../contract/json.js';
import { bodyMark } from '../../contract/marks.js';
import { type Flow, isMethod, METHODS } from '../../contract/operation.js';

/** Paths of a body whose values change in every run, with `metadata.*` for every path below `metadata`. */
export type ChangingPaths = ReadonlyMap<EndpointId, ReadonlySet<string>>;

const DEPTH_MAX = 50;

function oncePerBody<T>(read: (body: Uint8Array) => T): (body: Uint8Array) => T {
  const cache = new WeakMap<Uint8Array, { readonly result: T }>();
  return (body) => {
    const cached = cache.get(body);
    if (cached !== undefined) return cached.result;
    const result = read(body);
    cache.set(body, { result });
    return result;
  };
}

const leavesOf = oncePerBody((body): ReadonlyMap<string, string> | null => {
  const value = jsonIn(body);
  const leaves = new Map<string, string>();
  return value !== undefined && addLeaves(value, '', leaves, 0) ? leaves : null;
});

function addLeaves(value: unknown, path: string, into: Map<string, string>, depth: number): boolean {
  if (depth > DEPTH_MAX) return false;
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (members.length === 0) into.set(path, JSON.stringify(value));
  return members.every(([name, inner]) => {
    const step = name.replaceAll('.', '\\.');
    return addLeaves(inner, path === '' ? step : `${path}.${step}`, into, depth + 1);
  });
}

export const markOfBody = oncePerBody((body) => Buffer.from(bodyMark(body)).toString('hex'));

const FINGERPRINT_CACHE = new WeakMap<
  Uint8Array,
  { route: EndpointId; changing: ChangingPaths; fingerprint: string }
>();

export function fingerprintOf(route: EndpointId, body: Uint8Array, changing: ChangingPaths): string {
  const cached = FINGERPRINT_CACHE.get(body);
  if (cached?.route === route && cached.changing === changing) return cached.fingerprint;
  const leaves = leavesOf(body);
  const changingHere = changing.get(route);
  const steadyContent =
    leaves === null
      ? markOfBody(body)
      : [...leaves]
          .filter(([path]) => !isChanging(path, changingHere))
          .sort(([one], [other]) => (one < other ? -1 : 1));
  const fingerprint = hash('sha256', JSON.stringify([route, steadyContent])).slice(0, 16);
  FINGERPRINT_CACHE.set(body, { route, changing, fingerprint });
  return fingerprint;
}

function isChanging(path: string, changing: ReadonlySet<string> | undefined): boolean {
  if (changing === undefined) return false;
  if (changing.has(path)) return true;
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1))
    if (changing.has(`${path.slice(0, dot)}.*`)) return true;
  return false;
}

export function sharedCount(one: Uint8Array, other: Uint8Array): number {
  const [mine, its] = [leavesOf(one), leavesOf(other)];
  if (mine === null || its === null) return -1;
  let shared = 0;
  for (const [path, value] of mine) if (its.get(path) === value) shared += 1;
  return shared;
}

export function changedPaths(one: Uint8Array, other: Uint8Array): string[] {
  const [mine, its] = [leavesOf(one), leavesOf(other)];
  if (mine === null || its === null) return [];
  const myParents = parentsOf([...mine.keys()].filter((path) => !its.has(path)));
  const itsParents = parentsOf([...its.keys()].filter((path) => !mine.has(path)));
  const all = new Set([...mine.keys(), ...its.keys()]);
  const changed = [...all].filter((path) => mine.get(path) !== its.get(path));
  return [
    ...new Set(
      changed.map((path) => {
        const parent = parentOf(path);
        return parent !== '' && myParents.has(parent) && itsParents.has(parent) ? `${parent}.*` : path;
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

export function flowOf(body: Uint8Array): Flow | null {
  const method = leavesOf(body)?.get('method');
  const name = method === undefined ? null : jsonIn(method);
  return isMethod(name) ? METHODS[name].flow : null;
}
