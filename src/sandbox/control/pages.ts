/** Lists of the control api in pages: behind an id, or before one; how many; and what follows. */
import type { Detail } from '../../contract/errors.js';
import { readLimit, readQuery, type QueryValues } from '../http/query.js';
import type { HttpRefusal } from '../message.js';
import { invalid, type ControlCall } from './call.js';

/** Instead of an id behind `before`: from the newest on. */
const NEWEST = 'newest';
const PAGE_DEFAULT = 50;
const PAGE_MAX = 200;

/** Where a page begins, by a position that only grows; newest first where it goes back. */
export type From = { readonly after: number } | { readonly before: number };

export interface AskedPage<Name extends string> {
  readonly values: QueryValues<Name>;
  readonly from: From;
  readonly limit: number;
}

/**
 * What a page was asked for, or what is wrong with that.
 * `order=newest` begins at the newest.
 * @param names the parameters of this list beside `after`, `before`, `limit` and `order`
 * @param placeOf the position of an id; null for what is none
 */
export function askedPage<Name extends string>(
  { query }: Pick<ControlCall, 'query'>,
  names: readonly Name[],
  placeOf: (id: string) => number | null,
): AskedPage<Name> | HttpRefusal {
  const own = ['after', 'before', 'limit', 'order'] as const;
  const values = readQuery<Name | (typeof own)[number]>(query, [...own, ...names]);
  if ('refusal' in values) return values;
  const { after, before, order, limit: limitText } = values;
  const limit = readLimit(limitText, PAGE_DEFAULT, 1, PAGE_MAX);
  const afterPlace = after === undefined ? 0 : placeOf(after);
  const beforePlace =
    before === NEWEST ? Number.MAX_SAFE_INTEGER : before === undefined ? 0 : placeOf(before);
  const details: Detail[] = [];
  if (afterPlace === null) details.push({ field: 'after', code: 'invalid' });
  if (beforePlace === null || (after !== undefined && before !== undefined))
    details.push({ field: 'before', code: 'invalid' });
  if (order !== undefined && order !== 'newest') details.push({ field: 'order', code: 'invalid' });
  if (limit === null) details.push({ field: 'limit', code: 'invalid' });
  if (details.length > 0 || limit === null) return invalid(details);
  const isBack = before !== undefined || (order === 'newest' && after === undefined);
  const from = isBack
    ? { before: before === undefined ? Number.MAX_SAFE_INTEGER : (beforePlace ?? 0) }
    : { after: afterPlace ?? 0 };
  return { values: values, from, limit };
}

/** The elements of a page out of one more than it may have, and the id that the next one follows. */
export function pageOf<T, Id>(
  found: readonly T[],
  limit: number,
  idOf: (element: T) => Id,
): { readonly elements: readonly T[]; readonly next: Id | null } {
  const elements = found.slice(0, limit);
  const last = elements.at(-1);
  return { elements, next: found.length > limit && last !== undefined ? idOf(last) : null };
}
