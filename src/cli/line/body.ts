/** Builds a request body from flags, from JSON, or from both: flags win, and what they do not touch keeps its own bytes. */
import { membersAt } from '../../contract/json-bytes.js';
import { Failure } from '../../runtime/failure.js';

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
 * @param from what the data is called in a message
 * @throws Failure (usage) where the data is no JSON object, repeats a name, or a path leads into something that is no object
 */
export function buildBody(
  data: Uint8Array | null,
  assignments: readonly Assignment[],
  from = 'The data',
): Uint8Array {
  const members = data === null ? new Map<string, string | Members>() : readObject(data, from);
  if (data !== null && assignments.length === 0) return data;
  const given = new Set<string>();
  for (const assignment of assignments) {
    const path = assignment.path.join('.');
    if (given.has(path)) throw usage(`${assignment.flag} sets ${path} twice: keep one.`);
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
    if (path.length === 0 || path.includes(''))
      throw usage(`Give ${flag} as PATH=VALUE, for example: ${flag} ${EXAMPLE_PATHS[flag] ?? 'name=value'}.`);
    return { path: [...prefix, ...path], json: JSON.stringify(text.slice(at + 1)), flag };
  });
}

const EXAMPLE_PATHS: Readonly<Record<string, string>> = {
  '--payer': 'bank_code=0102',
  '--beneficiary': 'bank_code=0102',
  '--mandate': 'contract_id=A1',
  '--metadata': 'shop=12',
};

/** The assignment of a flag that sets one member; none where the flag is absent. */
export function assignment(flag: string, name: string, text: string | undefined): Assignment[] {
  return text === undefined ? [] : [{ path: [name], json: JSON.stringify(text), flag }];
}

/** The assignment of a flag that sets a whole number; none where the flag is absent. */
export function numberAssignment(flag: string, name: string, text: string | undefined): Assignment[] {
  if (text === undefined) return [];
  if (!/^(0|[1-9][0-9]{0,5})$/.test(text)) throw usage(`${flag} must be a whole number, for example 24.`);
  return [{ path: [name], json: text, flag }];
}

/** The assignment of a flag that sets a whole object; none where the flag is absent. */
export function objectAssignment(flag: string, name: string, text: string | undefined): Assignment[] {
  if (text === undefined) return [];
  try {
    readObject(Buffer.from(text), flag);
  } catch (error) {
    throw usage(`${flag} must be a JSON object, for example '{"shop":"12"}'.`, error);
  }
  return [{ path: [name], json: text.trim(), flag }];
}

function readObject(data: Uint8Array, from: string): Members {
  const value = readJson(data, from);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usage(`${from} is not a JSON object: write it as {"amount": ...}.`);
  return split(data);
}

function readJson(data: Uint8Array, from: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data));
  } catch (error) {
    throw usage(`${from} is not valid JSON${placeOf(error)}.`, error);
  }
}

/** Where JSON broke, as a clause: the parser's own words may quote what stands there. */
function placeOf(error: unknown): string {
  if (!(error instanceof SyntaxError)) return ': it is not UTF-8';
  const [, line, column] = /\(line ([0-9]+) column ([0-9]+)\)/.exec(error.message) ?? [];
  if (line !== undefined) return `: see line ${line}, column ${String(column)}`;
  return error.message.includes('end of JSON') ? ': it ends too early' : '';
}

function split(data: Uint8Array): Members {
  const members: Members = new Map();
  for (const member of membersAt(data) ?? []) {
    if (members.has(member.name)) throw usage(`The data has ${member.name} twice: keep one.`);
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
  if (!json.startsWith('{')) throw usage(`${flag} sets a field inside a value that is not an object.`);
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
