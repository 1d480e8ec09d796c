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
  /** What it takes, as words that stand after "must be": `a whole number from 1 to 9`. */
  readonly accepts?: string;
  /** Of a list: what each element is. */
  readonly element?: Shape<unknown>;
  /** What of JSON it is, where it is no object of certain members, no list and none of certain words. */
  readonly holds?: 'string' | 'integer' | 'number' | 'object';
  /** Of a text: what it has to match. */
  readonly pattern?: RegExp;
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

const leaf = <T>(
  isFit: (value: unknown) => boolean,
  facts: Pick<Shape<unknown>, 'accepts' | 'holds' | 'pattern' | 'words'>,
): Shape<T> =>
  Object.assign(
    (value: unknown, field: string): Detail[] => (isFit(value) ? [] : [{ field, code: 'invalid' }]),
    facts,
  );

export const text = leaf<string>((value) => typeof value === 'string', { accepts: 'text', holds: 'string' });

/** Text that the pattern, which is not global, matches. @param accepts what that is, in words */
export function textLike(pattern: RegExp, accepts = 'text'): Shape<string> {
  return Object.assign(
    textThat((value) => pattern.test(value), accepts),
    { pattern },
  );
}

/** @param accepts what is fit, in words */
export function textThat(isFit: (value: string) => boolean, accepts: string): Shape<string> {
  return leaf((value) => typeof value === 'string' && isFit(value), { accepts, holds: 'string' });
}

export function oneOf<const Word extends string | boolean>(words: readonly Word[]): Shape<Word> {
  const known: ReadonlySet<unknown> = new Set(words);
  return leaf<Word>((value) => known.has(value), {
    accepts: words.length === 1 ? words.join('') : `one of ${words.join(', ')}`,
    words: words as readonly string[],
  });
}

/** Both bounds included. */
export function integer(least: number, most: number): Shape<number> {
  return leaf((value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most, {
    accepts: `a whole number from ${least} to ${most}`,
    holds: 'integer',
  });
}

export function number(least: number, most = Infinity): Shape<number> {
  return leaf((value) => Number.isFinite(value) && Number(value) >= least && Number(value) <= most, {
    accepts: most === Infinity ? `a number from ${least} on` : `a number from ${least} to ${most}`,
    holds: 'number',
  });
}

/** An object of any members. */
export const anyObject = leaf<Record<string, unknown>>(isObject, {
  accepts: 'an object',
  holds: 'object',
});

export function list<T>(shape: Shape<T>): Shape<T[]> {
  const all: Shape<T[]> = (value, field) =>
    Array.isArray(value)
      ? value.flatMap((item, at) => shape(item, within(field, String(at))))
      : [{ field, code: 'invalid' }];
  return Object.assign(all, { element: shape, accepts: 'a list' });
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
  return Object.assign(shape, { members, accepts: 'an object' });
}

/** The shape that stands at a dotted field; undefined where the whole has none there. */
export function shapeAt(whole: Shape<unknown>, field: string): Shape<unknown> | undefined {
  let shape: Shape<unknown> | undefined = whole;
  for (const name of field === '' ? [] : field.split('.')) {
    const { members = {}, element }: Shape<unknown> = shape;
    const member: Members[string] | undefined = Object.hasOwn(members, name) ? members[name] : element;
    shape = typeof member === 'object' ? member.optional : member;
    if (shape === undefined) return undefined;
  }
  return shape;
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
