import { Failure } from '../runtime/failure.js';
import type { Undone } from './file-source.js';
import type { SheetColumn } from './forms.js';
import { excerpt, unaccented } from './words.js';

export interface MapEntry<Field extends string = string> {
  readonly field: Field;
  readonly column: string | number;
}

export interface MapRule {
  readonly undone: Undone;
  readonly members: readonly string[];
  readonly freePrefix: string | null;
  readonly example: string;
}

const EXCERPT_MAX = 60;
const QUOTED = /"((?:[^"]|"")*)"\s*(?:,|$)/y;

export function membersOf(text: string, rule: MapRule): readonly MapEntry[] {
  const freeNames = rule.freePrefix === null ? [] : [`${rule.freePrefix}[^\\s=,"]+`];
  const members = [...rule.members].sort((one, other) => other.length - one.length);
  const names = [...members, ...freeNames].join('|').replaceAll('.', '[.]');
  const pattern = new RegExp(`\\s*(${names})\\s*=\\s*`, 'iy');
  const following = new RegExp(`\\s*,\\s*(?:${names})\\s*=`, 'i');
  const entries: MapEntry[] = [];
  for (let at = 0; at < text.length;) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) {
      const rest = excerpt(text.slice(at), EXCERPT_MAX);
      throw refusedMap(rule, `${rest} does not begin with a member and an equals sign.`);
    }
    const name = match[1] ?? '';
    const field = rule.members.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;
    if (entries.some((entry) => entry.field === field)) throw refusedMap(rule, `${field} is there twice.`);
    const start = pattern.lastIndex;
    QUOTED.lastIndex = start;
    const quotedName = QUOTED.exec(text);
    if (quotedName !== null) {
      entries.push({ field, column: (quotedName[1] ?? '').replaceAll('""', '"') });
      at = QUOTED.lastIndex;
      continue;
    }
    const end = start + (following.exec(text.slice(start))?.index ?? text.length - start);
    const column = text.slice(start, end).trim();
    const unknownName = /,\s*([a-z_. ]+)=/i.exec(column)?.[1];
    if (unknownName !== undefined) {
      const why = 'is not a member; a name with a comma and an equals sign is quoted.';
      throw refusedMap(rule, `${excerpt(unknownName, EXCERPT_MAX)} ${why}`);
    }
    if (column === '') throw refusedMap(rule, `${field} names no column.`);
    entries.push({ field, column: /^[1-9][0-9]{0,3}$/.test(column) ? Number(column) : column });
    const comma = text.indexOf(',', end);
    at = comma === -1 ? text.length : comma + 1;
  }
  return entries;
}

export function columnFinder(header: readonly string[]): (name: string) => readonly number[] {
  const indexesOf = (cells: readonly string[], name: string): readonly number[] =>
    cells.flatMap((cell, index) => (cell === name ? [index] : []));
  let folded: readonly string[] | null = null;
  return (name) => {
    const exactIndexes = indexesOf(header, name);
    if (exactIndexes.length > 0) return exactIndexes;
    folded ??= header.map(foldName);
    return indexesOf(folded, foldName(name));
  };
}

function foldName(name: string): string {
  return unaccented(name).replace(/\s+/g, ' ').trim();
}

export function formatColumns(columns: readonly SheetColumn[], header: readonly string[]): readonly string[] {
  const find = columnFinder(header);
  return columns.map(({ field, name: cell, index }) => {
    const name = cell.replace(/\s+/g, ' ').trim();
    const isPlain = name !== '' && name.isWellFormed() && !/[\p{Cc}\p{Cf}\ufffd]/u.test(name);
    const indexes = isPlain ? find(name) : [];
    if (indexes.length !== 1 || indexes[0] !== index) return `${field}=${index + 1}`;
    return `${field}=${/[",=]|^[0-9]+$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name}`;
  });
}

export function refusedMap({ undone, members, example }: MapRule, why: string): Failure {
  return new Failure('usage', `--map cannot be read. ${why} ${undone}`, {
    advice: [`Its members: ${members.join(', ')}. For example: --map '${example}'`],
  });
}
