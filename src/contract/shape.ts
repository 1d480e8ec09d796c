/** Replaces zod, because this code loads at every start and must be quick. */
import type { Detail } from './errors.js';

export interface Shape<T> {
  (value: unknown, field: string): Detail[];
  readonly type?: T;
  readonly members?: Members;
  readonly words?: readonly string[];
  readonly accepts?: string;
  readonly element?: Shape<unknown>;
  readonly jsonType?: 'string' | 'integer' | 'number' | 'object';
  readonly pattern?: RegExp;
}

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

export type Shaped<S> = S extends Shape<infer T> ? T : never;

const leaf = <T>(
  isFit: (value: unknown) => boolean,
  traits: Pick<Shape<unknown>, 'accepts' | 'jsonType' | 'pattern' | 'words'>,
): Shape<T> =>
  Object.assign(
    (value: unknown, field: string): Detail[] => (isFit(value) ? [] : [{ field, code: 'invalid' }]),
    traits,
  );

export const text = leaf<string>((value) => typeof value === 'string', {
  accepts: 'text',
  jsonType: 'string',
});

/** `pattern` must not be global, because `test` would then begin where the last match ended. */
export function textLike(pattern: RegExp, accepts = 'text'): Shape<string> {
  const shape = textThat((value) => pattern.test(value), accepts);
  return Object.assign(shape, { pattern });
}

export function textThat(isFit: (value: string) => boolean, accepts: string): Shape<string> {
  return leaf((value) => typeof value === 'string' && isFit(value), { accepts, jsonType: 'string' });
}

export function oneOf<const Word extends string | boolean>(words: readonly Word[]): Shape<Word> {
  const allowed: ReadonlySet<unknown> = new Set(words);
  return leaf<Word>((value) => allowed.has(value), {
    accepts: words.length === 1 ? words.join('') : `one of ${words.join(', ')}`,
    words: words as readonly string[],
  });
}

export function integer(least: number, most: number): Shape<number> {
  return leaf((value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most, {
    accepts: `a whole number from ${least} to ${most}`,
    jsonType: 'integer',
  });
}

export function number(least: number, most = Infinity): Shape<number> {
  return leaf((value) => Number.isFinite(value) && Number(value) >= least && Number(value) <= most, {
    accepts: most === Infinity ? `a number from ${least} on` : `a number from ${least} to ${most}`,
    jsonType: 'number',
  });
}

export const anyObject = leaf<Record<string, unknown>>(isObject, {
  accepts: 'an object',
  jsonType: 'object',
});

export function list<T>(shape: Shape<T>): Shape<T[]> {
  const listShape: Shape<T[]> = (value, field) =>
    Array.isArray(value)
      ? value.flatMap((item, at) => shape(item, joinPath(field, String(at))))
      : [{ field, code: 'invalid' }];
  return Object.assign(listShape, { element: shape, accepts: 'a list' });
}

export function optional<T>(shape: Shape<T>): Optional<T> {
  return { optional: shape };
}

export function object<const M extends Members>(members: M): Shape<ObjectOf<M>> {
  const entries = Object.entries(members);
  const shape: Shape<ObjectOf<M>> = (value, field) => {
    if (!isObject(value)) return [{ field, code: 'invalid' }];
    const memberDetails = entries.flatMap(([name, member]): Detail[] => {
      const path = joinPath(field, name);
      const memberValue = Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined;
      if (typeof member !== 'function')
        return memberValue === undefined ? [] : member.optional(memberValue, path);
      return memberValue === undefined || memberValue === ''
        ? [{ field: path, code: 'required' }]
        : member(memberValue, path);
    });
    const unknownNames = Object.keys(value).filter((name) => !Object.hasOwn(members, name));
    return [
      ...memberDetails,
      ...unknownNames.map((name): Detail => ({ field: joinPath(field, name), code: 'unknown' })),
    ];
  };
  return Object.assign(shape, { members, accepts: 'an object' });
}

export function shapeAt(root: Shape<unknown>, field: string): Shape<unknown> | undefined {
  let shape: Shape<unknown> | undefined = root;
  for (const name of field === '' ? [] : field.split('.')) {
    const { members = {}, element }: Shape<unknown> = shape;
    const member: Members[string] | undefined = Object.hasOwn(members, name) ? members[name] : element;
    shape = typeof member === 'object' ? member.optional : member;
    if (shape === undefined) return undefined;
  }
  return shape;
}

export function detailsOf(shape: Shape<unknown>, body: unknown): Detail[] {
  return shape(body, '');
}

export function withoutNulls(
  value: Readonly<Record<string, unknown>>,
  untouchedNames: readonly string[] = [],
): Record<string, unknown> {
  const nonNullMembers = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(
    nonNullMembers.map(([name, inner]) => [
      name,
      isObject(inner) && !untouchedNames.includes(name) ? withoutNulls(inner, untouchedNames) : inner,
    ]),
  );
}

export function joinPath(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textIn(body: unknown, path: string): string {
  const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);
  const value = path.split('.').reduce(memberOf, body);
  return typeof value === 'string' ? value : '';
}
