/** Builds a request body from flags, from JSON, or from both: flags win, and what they do not touch keeps its own bytes. JSON comes as an argument, a file or standard input. */
import { isObject } from '../../contract/shape.js';
import { membersAt } from '../../contract/json-bytes.js';
import { Failure } from '../../runtime/failure.js';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { cannotRead, namedFileFailure, shellPath } from '../../runtime/disk.js';
import { heldPipe } from '../../runtime/named-pipe.js';
import type { Ports } from '../../runtime/ports.js';

/** A value to set: its path inside the body, and its JSON text. */
export interface Assignment {
  readonly path: readonly string[];
  readonly json: string;
  /** The flag it came from, for messages. */
  readonly flag: string;
}

type Parts = Map<string, string | Parts>;

/** A body as it is sent, and what is in it. */
export interface BuiltBody {
  readonly bytes: Uint8Array;
  readonly members: Readonly<Record<string, unknown>>;
}

/** A body while it is put together, whatever is missing. What one is made of stays as it is. */
export class BodyDraft {
  readonly #parts: Parts;
  /** Data that no flag has touched. */
  readonly #data: BuiltBody | null;

  private constructor(parts: Parts, data: BuiltBody | null) {
    [this.#parts, this.#data] = [parts, data];
  }

  /**
   * @param from what the data is called in a message
   * @throws Failure (usage) where the data is no JSON object, or repeats a name
   */
  static of(data: Uint8Array | null, from = 'The data'): BodyDraft {
    if (data === null) return new BodyDraft(new Map(), null);
    const members = readObject(data, from);
    return new BodyDraft(split(data), { bytes: data, members });
  }

  /** @throws Failure (usage) where one path is set twice, or leads into something that is no object */
  assigned(assignments: readonly Assignment[]): BodyDraft {
    if (assignments.length === 0) return this;
    const parts = copyOf(this.#parts);
    const given = new Set<string>();
    for (const assignment of assignments) {
      const path = assignment.path.join('.');
      if (given.has(path)) throw usage(`${assignment.flag} sets ${path} twice: keep one.`);
      given.add(path);
      assign(parts, assignment);
    }
    return new BodyDraft(parts, null);
  }

  has(name: string): boolean {
    return this.#parts.has(name);
  }

  /** Undefined where it is no text. */
  text(name: string): string | undefined {
    const part = this.#parts.get(name);
    return typeof part === 'string' && part.startsWith('"') ? (JSON.parse(part) as string) : undefined;
  }

  /** The body as it stands now. Without assignments the data goes out exactly as it came. */
  build(): BuiltBody {
    if (this.#data !== null) return this.#data;
    const text = render(this.#parts);
    return { bytes: Buffer.from(text), members: JSON.parse(text) as BuiltBody['members'] };
  }
}

function copyOf(parts: Parts): Parts {
  return new Map([...parts].map(([name, part]) => [name, typeof part === 'string' ? part : copyOf(part)]));
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
    const data = Buffer.from(text);
    readObject(data, flag);
    split(data);
  } catch (error) {
    throw usage(`${flag} must be a JSON object, for example '{"shop":"12"}'.`, error);
  }
  return [{ path: [name], json: text.trim(), flag }];
}

function readObject(data: Uint8Array, from: string): BuiltBody['members'] {
  const value = readJson(data, from);
  if (!isObject(value)) throw usage(`${from} is not a JSON object: write it as {"amount": ...}.`);
  return value;
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

function split(data: Uint8Array): Parts {
  const members: Parts = new Map();
  for (const member of membersAt(data) ?? []) {
    if (members.has(member.name)) throw usage(`The data has ${member.name} twice: keep one.`);
    members.set(member.name, Buffer.from(data.subarray(member.start, member.end)).toString('utf8'));
  }
  return members;
}

function assign(members: Parts, { path, json, flag }: Assignment): void {
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
        ? new Map<string, string | Parts>()
        : open(present, flag);
  members.set(name, inner);
  assign(inner, { path: rest, json, flag });
}

function open(json: string, flag: string): Parts {
  if (!json.startsWith('{')) throw usage(`${flag} sets a field inside a value that is not an object.`);
  return split(Buffer.from(json));
}

function render(members: Parts): string {
  const parts = [...members].map(
    ([name, value]) => `${JSON.stringify(name)}:${value instanceof Map ? render(value) : value}`,
  );
  return `{${parts.join(',')}}`;
}

/** What the service takes at most; more is never sent. */
const MAX_BYTES = 1024 * 1024;

export interface DataFlags {
  readonly data?: string | undefined;
  readonly 'data-file'?: string | undefined;
}

/**
 * The bytes of `--data JSON`, `--data @FILE`, `--data -` or `--data-file FILE`; null where none is given.
 * @throws Failure `usage` for both at once, a file that can't be read or whose `@` is missing, or more than 1 MiB
 */
export async function readData(flags: DataFlags, ports: Ports): Promise<Uint8Array | null> {
  const { data, 'data-file': file } = flags;
  if (data !== undefined && file !== undefined) throw usage('Give either --data or --data-file, not both.');
  if (file !== undefined) return readDataFile(file);
  if (data === undefined) return null;
  if (data === '-') return ports.input.readAll(MAX_BYTES);
  if (data.startsWith('@')) return readDataFile(data.slice(1));
  if (namesFile(data)) throw usage(`--data takes JSON. Did you mean --data ${shellPath(`@${data}`)}?`);
  return Buffer.from(data);
}

/** What the data is called in a message: its file, or where it came from. */
export function dataName({ data, 'data-file': file }: DataFlags): string {
  if (file !== undefined) return file;
  if (data === '-') return 'Standard input';
  return data?.startsWith('@') === true ? data.slice(1) : '--data';
}

function namesFile(text: string): boolean {
  return /^[^{["]/.test(text.trim()) && (/^[^\s{}"]+\.json$/i.test(text) || existsSync(text));
}

const tooLong = new RangeError('more than 1 MiB');

function readDataFile(path: string): Uint8Array {
  try {
    const pipe = heldPipe(path);
    if ((pipe?.length ?? statSync(path).size) > MAX_BYTES) throw tooLong;
    return pipe ?? readFileSync(path);
  } catch (error) {
    if (error === tooLong) throw usage(`${path} is larger than 1 MiB.`, error);
    throw namedFileFailure(path, error, (why) => usage(`${cannotRead(path, why)}.`, error));
  }
}

function usage(message: string, cause?: unknown): Failure {
  return new Failure('usage', `${message} Nothing was sent.`, { cause });
}
