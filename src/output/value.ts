import { byteOrderMarkLength, decodeUtf8, elementsAt, isSpace, jsonIn } from '../contract/json.js';
import { membersAt, readList, type Range } from '../contract/json.js';
import { Failure } from '../runtime/failure.js';

type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'nothing';

const KINDS: Readonly<Record<string, JsonKind>> = {
  '{': 'object',
  '[': 'array',
  '"': 'string',
  t: 'boolean',
  f: 'boolean',
  n: 'null',
};

export class JsonValue {
  private cachedMembers: ReadonlyMap<string, JsonValue> | null = null;

  private constructor(
    private readonly bytes: Uint8Array,
    private readonly range: Range,
  ) {}

  static of(bytes: Uint8Array): JsonValue {
    let [start, end] = [byteOrderMarkLength(bytes), bytes.length] as [number, number];
    while (start < end && isSpace(bytes[start])) start += 1;
    while (end > start && isSpace(bytes[end - 1])) end -= 1;
    return new JsonValue(bytes, { start, end });
  }

  static at(bytes: Uint8Array, range: Range): JsonValue {
    return new JsonValue(bytes, range);
  }

  get kind(): JsonKind {
    const first = this.bytes[this.range.start];
    if (first === undefined || this.range.start === this.range.end) return 'nothing';
    const kind = KINDS[String.fromCharCode(first)];
    if (kind !== undefined) return kind;
    return first === 0x2d || (first >= 0x30 && first <= 0x39) ? 'number' : 'nothing';
  }

  get raw(): string {
    const { start, end } = this.range;
    return decodeUtf8(this.bytes, start, end);
  }

  get text(): string {
    if (this.kind === 'null') return '';
    if (this.kind !== 'string') return this.raw;
    const text = jsonIn(this.raw);
    return typeof text === 'string' ? text : this.raw;
  }

  get members(): ReadonlyMap<string, JsonValue> {
    this.cachedMembers ??= this.readMembers();
    return this.cachedMembers;
  }

  private readMembers(): Map<string, JsonValue> {
    const members = this.kind === 'object' ? membersAt(this.bytes, this.range.start) : null;
    return new Map(members?.map((member) => [member.name, new JsonValue(this.bytes, member)]));
  }

  get elements(): JsonValue[] {
    const ranges = this.kind === 'array' ? elementsAt(this.bytes, this.range.start) : null;
    return ranges?.map((range) => new JsonValue(this.bytes, range)) ?? [];
  }
}

/** A hostile answer may nest without end, so a deeper value is one leaf with its JSON text. */
const DEPTH_MAX = 8;

export function leavesOf(
  value: JsonValue,
  path = '',
  depth = 0,
): { readonly path: string; readonly value: JsonValue }[] {
  const members = depth < DEPTH_MAX ? value.members : new Map<string, JsonValue>();
  if (members.size === 0) return [{ path, value }];
  return [...members].flatMap(([name, member]) =>
    leavesOf(member, path === '' ? name : `${path}.${name}`, depth + 1),
  );
}

export function findList(body: Uint8Array, wrapper: string | null): Range[] | null {
  return readList(body, wrapper)?.elements ?? null;
}

export function requireList(body: Uint8Array, wrapper: string | null): Range[] {
  const list = findList(body, wrapper);
  if (list !== null) return list;
  const expectedText = wrapper === null ? 'a list' : `the list \`${wrapper}\``;
  const text = `The service broke its contract: its answer has no list; svc expected ${expectedText}.`;
  throw new Failure('defect', text, { code: 'contract_broken', outcome: 'sent' });
}
