import * as Flags from '@oclif/core/flags';
import { isObject } from '../contract/shape.js';
import { byteOrderMarkLength, jsonIn, membersAt, repeatedPath, decodeUtf8 } from '../contract/json.js';
import { usageFailure } from '../runtime/failure.js';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { unreadableText, namedFileFailure, shellPath } from '../runtime/folders.js';
import { bufferedPipe } from '../runtime/named-pipe.js';
import type { Ports } from '../runtime/ports.js';
import { fieldsIn, fieldsOnlyIn, flagNameOf, type NameOf, type BodyField } from '../contract/body-fields.js';
import { type Direction, METHOD_CODES, METHODS } from '../contract/operation.js';
import {
  dataFlags,
  grouped,
  newPaymentFlag,
  skipFeedCheckFlag,
  takes,
  type Texts,
  waitFlags,
} from '../command/line/flags.js';

type FieldFlag = Pick<BodyField['flag'], 'value' | 'takes'>;
const valueOf = ({ value = '', takes: taken }: FieldFlag) =>
  taken === undefined ? { helpValue: value } : takes(taken);
const singleFlag = (summary: string, flag: FieldFlag) => Flags.string({ summary, ...valueOf(flag) });
const repeatableFlag = (summary: string, flag: FieldFlag) =>
  Flags.string({ summary, multiple: true, multipleNonGreedy: true, ...valueOf(flag) });
type SingleFlag = ReturnType<typeof singleFlag>;
type RepeatableFlag = ReturnType<typeof repeatableFlag>;

type FieldOwner = BodyField['direction'];
type FlagValues = Readonly<Record<string, unknown>>;
type Dashed<Name> = Name extends `${infer Head}_${infer Rest}` ? `${Head}-${Dashed<Rest>}` : Name;
type FlagOf<Like> = Dashed<NameOf<Like>>;
type RepeatedFlag<O extends FieldOwner> = FlagOf<{ direction: O; kind: 'parts' | 'anything' }>;
type ObjectFlag<O extends FieldOwner> = `${FlagOf<{ direction: O; kind: 'anything' }>}-json`;
type BodyFlags<O extends FieldOwner> = {
  [Name in FlagOf<{ direction: O }> | ObjectFlag<O>]: Name extends RepeatedFlag<O>
    ? RepeatableFlag
    : SingleFlag;
};
type AllRowsFlags<O extends FieldOwner> = Record<FlagOf<{ direction: O; batchSummary: string }>, SingleFlag>;

function bodyFlags<O extends FieldOwner>(owner: O): BodyFlags<O> {
  const flags = fieldsOnlyIn(owner).flatMap(
    ([name, { flag, kind }]): [string, SingleFlag | RepeatableFlag][] => {
      const flagName = flagNameOf(name);
      if (kind === 'text' || kind === 'number') return [[flagName, singleFlag(flag.summary, flag)]];
      if (kind === 'parts') return [[flagName, repeatableFlag(flag.summary, flag)]];
      return [
        [flagName, repeatableFlag(flag.summary, flag)],
        [`${flagName}-json`, singleFlag(`All of ${name}, as a JSON object`, { value: 'JSON' })],
      ];
    },
  );
  return Object.fromEntries(flags) as BodyFlags<O>;
}

export function bodyAssignments(direction: Direction, flags: FlagValues): Assignment[] {
  return fieldsIn(direction).flatMap(([name, { kind }]) => {
    const flag = flagNameOf(name);
    const text = textOf(flags, flag);
    if (kind === 'text') return assignment(`--${flag}`, name, text);
    if (kind === 'number') return numberAssignment(`--${flag}`, name, text);
    const texts = flags[flag] as readonly string[] | undefined;
    if (kind === 'parts') return pathAssignments(`--${flag}`, [name], texts);
    const wholeAssignments = objectAssignment(`--${flag}-json`, name, textOf(flags, `${flag}-json`));
    const keyAssignments = pathAssignments(`--${flag}`, [name], texts).map(
      ({ path: [top = '', ...keyParts], ...otherMembers }) => ({
        ...otherMembers,
        path: [top, keyParts.join('.')],
      }),
    );
    return [...wholeAssignments, ...keyAssignments];
  });
}

export function allRowsFlags<O extends FieldOwner>(owner: O): AllRowsFlags<O> {
  const flags = fieldsOnlyIn(owner).flatMap(([name, { flag, batchSummary }]): [string, SingleFlag][] =>
    batchSummary === undefined ? [] : [[flagNameOf(name), singleFlag(batchSummary, flag)]],
  );
  return Object.fromEntries(flags) as AllRowsFlags<O>;
}

export function allRowsValues(direction: Direction, flags: FlagValues): Record<string, string | undefined> {
  const fields = fieldsIn(direction).filter(([, { batchSummary }]) => batchSummary !== undefined);
  return Object.fromEntries(fields.map(([name]) => [name, textOf(flags, flagNameOf(name))]));
}

function textOf(flags: FlagValues, name: string): string | undefined {
  return flags[name] as string | undefined;
}

function methodFlag(direction: Direction): SingleFlag {
  const codes = METHOD_CODES.filter((code) => METHODS[code].direction === direction);
  return Flags.string({ summary: codes.join(', '), ...takes(`${direction}-method`) });
}

export function rowMethods(direction: Direction): readonly string[] {
  return METHOD_CODES.filter(
    (code) => METHODS[code].direction === direction && METHODS[code].flow !== 'code',
  );
}

export function rowsMethodFlag(direction: Direction): SingleFlag {
  return Flags.string({
    summary: `Method of rows without one: ${rowMethods(direction).join(', ')}`,
    ...takes(direction === 'payin' ? 'payin-rows-method' : 'payout-method'),
  });
}

const paidFlags = grouped('WHAT IS PAID', bodyFlags('both'));
const safetyFlags = grouped('SAFETY', {
  'dry-run': Flags.boolean({ summary: 'Check and print the request; send nothing' }),
  'idempotency-key': Flags.string({
    summary: 'Key, 8 to 128 characters [default: a new one]',
    helpValue: 'KEY',
  }),
  'new-payment': newPaymentFlag,
  'new-since': Flags.string({ summary: 'Ignore payments made before TIME', helpValue: 'TIME' }),
  'as-live': Flags.boolean({ summary: 'In the sandbox too, refuse a paid reference' }),
  'skip-feed-check': skipFeedCheckFlag,
});
const sentFlags = grouped('HOW IT IS SENT', {
  ...dataFlags,
  interactive: Flags.boolean({ char: 'i', summary: 'Ask for everything at the terminal' }),
  ...waitFlags,
});

export const createFlags = { ...paidFlags, ...sentFlags, ...safetyFlags };

export const payinFlags = {
  ...createFlags,
  ...grouped('WHAT IS PAID', { method: methodFlag('payin'), ...bodyFlags('payin') }),
};

export const payoutFlags = {
  ...createFlags,
  ...grouped('WHAT IS PAID', { method: methodFlag('payout'), ...bodyFlags('payout') }),
};

export interface Assignment {
  readonly path: readonly string[];
  readonly json: string;
  readonly flag: string;
}

type Parts = Map<string, string | Parts>;

export interface BuiltBody {
  readonly bytes: Uint8Array;
  readonly members: Readonly<Record<string, unknown>>;
}

export class BodyDraft {
  private constructor(
    private readonly parts: Parts,
    private readonly data: BuiltBody | null,
  ) {}

  static of(data: Uint8Array | null, sourceName = 'The data'): BodyDraft {
    if (data === null) return new BodyDraft(new Map(), null);
    const members = readJson(data, sourceName);
    if (!isObject(members))
      throw usageFailure(`${sourceName} is not a JSON object: write it as {"amount": ...}.`);
    requireNamesOnce(data, sourceName);
    return new BodyDraft(splitMembers(data), { bytes: data, members });
  }

  assigned(assignments: readonly Assignment[]): BodyDraft {
    if (assignments.length === 0) return this;
    const parts = copyOf(this.parts);
    const assignedPaths = new Set<string>();
    for (const assignment of assignments) {
      const path = assignment.path.join('.');
      if (assignedPaths.has(path)) throw usageFailure(`${assignment.flag} sets ${path} twice: keep one.`);
      assignedPaths.add(path);
      assignMember(parts, assignment);
    }
    return new BodyDraft(parts, null);
  }

  has(name: string): boolean {
    return this.parts.has(name);
  }

  text(name: string): string | undefined {
    const part = this.parts.get(name);
    return typeof part === 'string' && part.startsWith('"') ? (JSON.parse(part) as string) : undefined;
  }

  build(): BuiltBody {
    if (this.data !== null) return this.data;
    const text = renderMembers(this.parts);
    return { bytes: Buffer.from(text), members: JSON.parse(text) as BuiltBody['members'] };
  }
}

function copyOf(parts: Parts): Parts {
  return new Map([...parts].map(([name, part]) => [name, typeof part === 'string' ? part : copyOf(part)]));
}

export function pathAssignments(
  flag: string,
  prefix: readonly string[],
  values: readonly string[] = [],
): Assignment[] {
  return values.map((text) => {
    const at = text.indexOf('=');
    const path = at === -1 ? [] : text.slice(0, at).split('.');
    if (path.length === 0 || path.includes(''))
      throw usageFailure(
        `Give ${flag} as PATH=VALUE, for example: ${flag} ${EXAMPLE_PATHS[flag] ?? 'name=value'}.`,
      );
    return { path: [...prefix, ...path], json: JSON.stringify(text.slice(at + 1)), flag };
  });
}

const EXAMPLE_PATHS: Readonly<Record<string, string>> = {
  '--payer': 'bank_code=0102',
  '--beneficiary': 'bank_code=0102',
  '--mandate': 'contract_id=A1',
  '--metadata': 'shop=12',
};

export function assignment(flag: string, path: string, text: string | undefined): Assignment[] {
  return text === undefined ? [] : [{ path: path.split('.'), json: JSON.stringify(text), flag }];
}

export function numberAssignment(flag: string, name: string, text: string | undefined): Assignment[] {
  if (text === undefined) return [];
  if (!/^(0|[1-9][0-9]{0,5})$/.test(text))
    throw usageFailure(`${flag} must be a whole number, for example 24.`);
  return [{ path: [name], json: text, flag }];
}

export function objectAssignment(flag: string, name: string, text: string | undefined): Assignment[] {
  if (text === undefined) return [];
  if (!isObject(jsonIn(text)))
    throw usageFailure(`${flag} must be a JSON object, for example '{"shop":"12"}'.`);
  requireNamesOnce(Buffer.from(text), flag);
  return [{ path: [name], json: text.trim(), flag }];
}

export function requireNamesOnce(data: Uint8Array, sourceName: string): void {
  const text = decodeUtf8(data);
  const repeatedMember = jsonIn(text) === undefined ? null : repeatedPath(text);
  if (repeatedMember !== null) throw usageFailure(`${sourceName} has ${repeatedMember} twice: keep one.`);
}

function readJson(data: Uint8Array, sourceName: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data));
  } catch (error) {
    const why =
      byteOrderMarkLength(data) > 0
        ? ': it begins with a byte order mark (BOM); save it without one'
        : errorPlace(error);
    throw usageFailure(`${sourceName} is not valid JSON${why}.`, error);
  }
}

/** `error.message` is not shown, because it may quote the data. */
function errorPlace(error: unknown): string {
  if (!(error instanceof SyntaxError)) return ': it is not UTF-8';
  const [, line, column] = /\(line ([0-9]+) column ([0-9]+)\)/.exec(error.message) ?? [];
  if (line !== undefined) return `: see line ${line}, column ${String(column)}`;
  return error.message.includes('end of JSON') ? ': it ends too early' : '';
}

function splitMembers(data: Uint8Array): Parts {
  const members: Parts = new Map();
  for (const member of membersAt(data) ?? []) {
    members.set(member.name, Buffer.from(data.subarray(member.start, member.end)).toString('utf8'));
  }
  return members;
}

function assignMember(members: Parts, { path, json, flag }: Assignment): void {
  const [name = '', ...innerPath] = path;
  if (innerPath.length === 0) {
    members.set(name, json);
    return;
  }
  const member = members.get(name) ?? (new Map() as Parts);
  if (typeof member === 'string' && !member.startsWith('{'))
    throw usageFailure(`${flag} sets a field inside a value that is not an object.`);
  const innerParts = typeof member === 'string' ? splitMembers(Buffer.from(member)) : member;
  members.set(name, innerParts);
  assignMember(innerParts, { path: innerPath, json, flag });
}

function renderMembers(members: Parts): string {
  const parts = [...members].map(
    ([name, value]) => `${JSON.stringify(name)}:${value instanceof Map ? renderMembers(value) : value}`,
  );
  return `{${parts.join(',')}}`;
}

const DATA_MAX_BYTES = 1024 * 1024;

export type DataFlags = Texts<'data' | 'data-file'>;

export async function readData(flags: DataFlags, ports: Ports): Promise<Uint8Array | null> {
  const { data, 'data-file': file } = flags;
  if (data !== undefined && file !== undefined)
    throw usageFailure('Give either --data or --data-file, not both.');
  if (file !== undefined) return readDataFile(file);
  if (data === undefined) return null;
  if (data === '-') return ports.input.readAll(DATA_MAX_BYTES);
  if (data === '@-' || data === '@') throw usageFailure('--data takes JSON, @FILE, or - for standard input.');
  if (data.startsWith('@')) return readDataFile(data.slice(1));
  const mayNameFile = /^[^{["]/.test(data.trim());
  if (mayNameFile && (/^[^\s{}"]+\.json$/i.test(data) || existsSync(data)))
    throw usageFailure(`--data takes JSON. Did you mean --data ${shellPath(`@${data}`)}?`);
  return Buffer.from(data);
}

export function dataName({ data, 'data-file': file }: DataFlags): string {
  if (file !== undefined) return file;
  if (data === '-') return 'Standard input';
  return data?.startsWith('@') === true ? data.slice(1) : '--data';
}

const tooLongError = new RangeError('more than 1 MiB');

function readDataFile(path: string): Uint8Array {
  try {
    const pipe = bufferedPipe(path);
    if ((pipe?.length ?? statSync(path).size) > DATA_MAX_BYTES) throw tooLongError;
    return pipe ?? readFileSync(path);
  } catch (error) {
    if (error === tooLongError) throw usageFailure(`${path} is larger than 1 MiB.`, error);
    throw namedFileFailure(path, error, (why) => usageFailure(`${unreadableText(path, why)}.`, error));
  }
}
