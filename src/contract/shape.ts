/** What the body of a request must look like, as data that is read at every start: exact about every field, and quick to load. Pure. */
import type { Detail } from './errors.js';

/** Says what is wrong with a value that stands at that field: dotted, empty for the body itself. A value that passes is a `T`. */
export interface Shape<T> {
  (value: unknown, field: string): Detail[];
  /** Never there: it only carries the type. */
  readonly type?: T;
  /** Of an object of certain members: these. */
  readonly members?: Members;
  /** Of one of certain words: these. */
  readonly words?: readonly string[];
}

/** A member that may be absent; null is absent, too. */
export interface Optional<T> {
  readonly optional: Shape<T>;
}

type Members = Readonly<Record<string, Shape<unknown> | Optional<unknown>>>;
type RequiredName<M extends Members> = {
  [Name in keyof M]: M[Name] extends Optional<unknown> ? never : Name;
}[keyof M];
export type ObjectOf<M extends Members> = {
  [Name in RequiredName<M>]: M[Name] extends Shape<infer T> ? T : never;
} & {
  [Name in Exclude<keyof M, RequiredName<M>>]?: M[Name] extends Optional<infer T> ? T | undefined : never;
};

/** The type of what passes a shape. */
export type Shaped<S> = S extends Shape<infer T> ? T : never;

const leaf =
  <T>(isFit: (value: unknown) => boolean): Shape<T> =>
  (value, field) =>
    isFit(value) ? [] : [{ field, code: 'invalid' }];

export const text = leaf<string>((value) => typeof value === 'string');

/** Text that the pattern, which is not global, matches. */
export function textLike(pattern: RegExp): Shape<string> {
  return leaf((value) => typeof value === 'string' && pattern.test(value));
}

export function oneOf<const Word extends string>(words: readonly Word[]): Shape<Word> {
  const known: ReadonlySet<unknown> = new Set(words);
  return Object.assign(
    leaf<Word>((value) => known.has(value)),
    { words },
  );
}

/** Both bounds included. */
export function integer(least: number, most: number): Shape<number> {
  return leaf((value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most);
}

export function number(least: number, most = Infinity): Shape<number> {
  return leaf((value) => Number.isFinite(value) && Number(value) >= least && Number(value) <= most);
}

/** An object of any members. */
export const anyObject = leaf<Record<string, unknown>>(isObject);

export function list<T>(shape: Shape<T>): Shape<T[]> {
  return (value, field) =>
    Array.isArray(value)
      ? value.flatMap((item, at) => shape(item, within(field, String(at))))
      : [{ field, code: 'invalid' }];
}

export function optional<T>(shape: Shape<T>): Optional<T> {
  return { optional: shape };
}

/** An object of these members and no others. */
export function object<const M extends Members>(members: M): Shape<ObjectOf<M>> {
  const known = Object.entries(members);
  const shape: Shape<ObjectOf<M>> = (value, field) => {
    if (!isObject(value)) return [{ field, code: 'invalid' }];
    const declared = known.flatMap(([name, member]): Detail[] => {
      const at = within(field, name);
      const inner = Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined;
      if (typeof member !== 'function') return inner === undefined ? [] : member.optional(inner, at);
      return inner === undefined || inner === '' ? [{ field: at, code: 'required' }] : member(inner, at);
    });
    const others = Object.keys(value).filter((name) => !Object.hasOwn(members, name));
    return [...declared, ...others.map((name): Detail => ({ field: within(field, name), code: 'unknown' }))];
  };
  return Object.assign(shape, { members });
}

/**
 * What is wrong with a body, one detail a field in the order of the shape; empty where nothing is.
 * A required field that is absent, null or an empty text is `required`, an undeclared one `unknown`, everything else `invalid`. What
 * passes may hold null where a member is optional: `withoutNulls` makes it what its type says.
 */
export function detailsOf(shape: Shape<unknown>, body: unknown): Detail[] {
  return shape(body, '');
}

/** The object without members that are null, at any depth but inside lists and inside the members with those names. */
export function withoutNulls(
  value: Readonly<Record<string, unknown>>,
  untouched: readonly string[] = [],
): Record<string, unknown> {
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(
    kept.map(([name, inner]) => [
      name,
      isObject(inner) && !untouched.includes(name) ? withoutNulls(inner, untouched) : inner,
    ]),
  );
}

function within(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`;
}

/** True for what has members: no list, no null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
