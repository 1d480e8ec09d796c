/** Ids as short as commands take them, for tables that have no room for whole ones. Pure. */
import { isUuid } from '../contract/notation.js';
import type { Cell } from './table.js';

const LENGTH_MIN = 8;
/** So many characters alike are no chance: ids that begin with the time. */
const ALIKE_MIN = 5;
/** Others that are not in the list begin as these do. */
const APART = 3;

/** Each id with a beginning that no other of them has, all of one length; what is no uuid stays whole. */
export function idCells(ids: readonly string[]): Cell[] {
  const length = lengthFor(ids.filter(isUuid));
  return ids.map((id) => (isUuid(id) ? { text: id, short: id.slice(0, length) } : id));
}

function lengthFor(ids: readonly string[]): number {
  const sorted = [...new Set(ids.map((id) => id.toLowerCase()))].sort();
  const alike = sorted.reduce((most, id, at) => Math.max(most, alikeIn(id, sorted[at - 1] ?? '')), 0);
  const length = alike >= ALIKE_MIN ? Math.max(LENGTH_MIN, alike + APART) : LENGTH_MIN;
  // None ends with a dash.
  return sorted.some((id) => id[length - 1] === '-') ? length + 1 : length;
}

function alikeIn(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}
