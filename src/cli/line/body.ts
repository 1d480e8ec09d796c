/**
 * Builds a request body from flags, from JSON (an argument, a file, standard input), or from both: flags win, and what they do not touch
 * keeps its own bytes.
 */
import { readFileSync, statSync } from 'node:fs';
import { membersAt } from '../../contract/json-bytes.js';
import { namedFileFailure } from '../../runtime/disk.js';
import { Failure } from '../../runtime/failure.js';
import { heldPipe } from '../../runtime/named-pipe.js';
import type { Ports } from '../../runtime/ports.js';

/** A value to set: its path inside the body, and its JSON text. */
export interface Assignment {
  readonly path: readonly string[];
  readonly json: string;
  /** The flag it came from, for messages. */
  readonly flag: string;
}

type Members = Map<string, string | Members>;

/**
 * The bytes of the body. Without assignments the data goes out exactly as it came.
 * @throws Failure (usage) where the data is no JSON object, repeats a name, or a path leads into something that is no object
 */
export function buildBody(data: Uint8Array | null, assignments: readonly Assignment[]): Uint8Array {
  const members = data === null ? new Map<string, string | Members>() : readObject(data);
  if (data !== null && assignments.length === 0) return data;
  const given = new Set<string>();
  for (const assignment of assignments) {
    const path = assignment.path.join('.');
    if (given.has(path)) throw usage(`${assignment.flag} sets ${path} twice.`);
    given.add(path);
    assign(members, assignment);
  }
  return Buffer.from(render(members));
}

/** The assignments of a repeatable `PATH=VALUE` flag; values are strings. */
export function pathAssignments(
  flag: string,
  prefix: readonly string[],
  values: readonly string[] = [],
): Assignment[] {
  return values.map((text) => {
    const at = text.indexOf('=');
    const path = at === -1 ? [] : text.slice(0, at).split('.');
    if (path.length === 0 || path.includes('')) throw usage(`${flag} takes PATH=VALUE.`);
    return { path: [...prefix, ...path], json: JSON.stringify(text.slice(at + 1)), flag };
  });
}

/** The assignment of a flag that sets one member; none where the flag is absent. */
export function assignment(flag: string, name: string, text: string | undefined): Assignment[] {
  return text === undefined ? [] : [{ path: [name], json: JSON.stringify(text), flag }];
}

/** The assignment of a flag that sets a whole number; none where the flag is absent. */
export function numberAssignment(flag: string, name: string, text: string | undefined): Assignment[] {
  if (text === undefined) return [];
  if (!/^(0|[1-9][0-9]{0,5})$/.test(text)) throw usage(`${flag} is a whole number.`);
  return [{ path: [name], json: text, flag }];
}

/** The assignment of a flag that sets a whole object; none where the flag is absent. */
export function objectAssignment(flag: string, name: string, text: string | undefined): Assignment[] {
  if (text === undefined) return [];
  try {
    readObject(Buffer.from(text));
  } catch (error) {
    throw usage(`${flag} is a JSON object.`, error);
  }
  return [{ path: [name], json: text.trim(), flag }];
}

function readObject(data: Uint8Array): Members {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError();
  } catch (error) {
    throw usage('The data is not one JSON object in UTF-8.', error);
  }
  return split(data);
}

function split(data: Uint8Array): Members {
  const members: Members = new Map();
  for (const member of membersAt(data) ?? []) {
    if (members.has(member.name)) throw usage(`The data names ${member.name} twice.`);
    members.set(member.name, Buffer.from(data.subarray(member.start, member.end)).toString('utf8'));
  }
  return members;
}

function assign(members: Members, { path, json, flag }: Assignment): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    members.set(name, json);
    return;
  }
  const present = members.get(name);
  const inner =
    present instanceof Map
      ? present
      : present === undefined
        ? new Map<string, string | Members>()
        : open(present, flag);
  members.set(name, inner);
  assign(inner, { path: rest, json, flag });
}

function open(json: string, flag: string): Members {
  if (!json.startsWith('{')) throw usage(`${flag} leads into something that is not an object.`);
  return split(Buffer.from(json));
}

function render(members: Members): string {
  const parts = [...members].map(
    ([name, value]) => `${JSON.stringify(name)}:${value instanceof Map ? render(value) : value}`,
  );
  return `{${parts.join(',')}}`;
}

function usage(message: string, cause?: unknown): Failure {
  return new Failure('usage', `${message} Nothing was sent.`, { cause });
}

/** What the service takes at most; more is never sent. */
const MAX_BYTES = 1024 * 1024;

export interface DataFlags {
  readonly data?: string | undefined;
  readonly 'data-file'?: string | undefined;
}

/**
 * The bytes of `--data JSON`, `--data @FILE`, `--data -` or `--data-file FILE`; null where none is given.
 * @throws Failure `usage` for both at once, a file that can't be read, or more than 1 MiB
 */
export async function readData(flags: DataFlags, ports: Ports): Promise<Uint8Array | null> {
  const { data, 'data-file': file } = flags;
  if (data !== undefined && file !== undefined) throw usage('--data and --data-file exclude each other.');
  if (file !== undefined) return readDataFile(file);
  if (data === undefined) return null;
  if (data === '-') return ports.input.readAll(MAX_BYTES);
  return data.startsWith('@') ? readDataFile(data.slice(1)) : Buffer.from(data);
}

const tooLong = new RangeError('more than 1 MiB');

function readDataFile(path: string): Uint8Array {
  try {
    const pipe = heldPipe(path);
    if ((pipe?.length ?? statSync(path).size) > MAX_BYTES) throw tooLong;
    return pipe ?? readFileSync(path);
  } catch (error) {
    throw namedFileFailure(path, error, (why) =>
      usage(`The data file cannot be used (${error === tooLong ? tooLong.message : why}).`, error),
    );
  }
}
