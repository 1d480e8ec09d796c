import { fieldOf, fieldsIn } from '../../contract/body-fields.js';
import { type Capabilities, methodsIn, NO_CATALOG } from '../../contract/catalog.js';
import { type Direction, partyOf } from '../../contract/operation.js';
import type { Optional, Shape } from '../../contract/shape.js';
import type { Problems } from '../../runtime/problems.js';
import { damageOfText } from './row-file.js';

export interface FileColumn {
  readonly name: string;
  readonly path: readonly string[];
  readonly bodyPosition: number;
  readonly isNumber: boolean;
  readonly index: number;
}

const SCHEMA_COLUMNS = { payout: columnsOf('payout'), payin: columnsOf('payin') };

export function readHeader(
  cells: readonly string[],
  direction: Direction,
  catalog: Capabilities,
  problems: Problems,
): FileColumn[] {
  const fields = knownColumns(direction, catalog);
  let isListed = false;
  const usedNames = new Set<string>();
  const columns = cells.flatMap((cell, index) => {
    const mayBeDeclared = catalog === NO_CATALOG && cell.startsWith(`${partyOf(direction)}.`);
    const isKnown = fields.has(cell) || isMetadata(cell) || mayBeDeclared;
    const name = isKnown ? cell : nearColumn(cell, direction, fields);
    if (usedNames.has(cell)) problems.add(1, cell, 'the column is there twice');
    else if (!isKnown) {
      problems.add(1, cell, unknownText(cell, name, isListed ? null : fields));
      isListed ||= name === null;
    }
    usedNames.add(cell);
    const isRead = name !== null && (isKnown || !cells.includes(name));
    return isRead ? [columnAt(name, index)] : [];
  });
  if (!columns.some(({ name }) => name === 'reference'))
    problems.add(1, 'reference', 'the column is missing: every row needs one of its own');
  return columns.sort(byBodyOrder);
}

export function knownColumns(direction: Direction, catalog: Capabilities): ReadonlySet<string> {
  const catalogNames = catalog.countries
    .flatMap((country) => methodsIn(country, direction))
    .flatMap(({ fields }) => fields.map(({ name }) => `${partyOf(direction)}.${name}`));
  return new Set([...SCHEMA_COLUMNS[direction], ...catalogNames]);
}

function columnsOf(direction: Direction): string[] {
  const fields = fieldsIn(direction).filter(([, { kind }]) => kind !== 'anything');
  return fields.flatMap(([name, { shape }]) => pathsOf(name, shape));
}

function pathsOf(name: string, member: Shape<unknown> | Optional<unknown>): string[] {
  const { members } = typeof member === 'function' ? member : member.optional;
  if (members === undefined) return [name];
  return Object.entries(members).flatMap(([inner, part]) => pathsOf(`${name}.${inner}`, part));
}

export function isMetadata(name: string): boolean {
  return name.startsWith('metadata.') && name.length > 'metadata.'.length;
}

export function columnAt(name: string, index: number): FileColumn {
  const path = isMetadata(name) ? ['metadata', name.slice('metadata.'.length)] : name.split('.');
  const { position, kind } = fieldOf(path[0] ?? '');
  return { name, path, bodyPosition: position, isNumber: kind === 'number', index };
}

export function byBodyOrder(one: FileColumn, other: FileColumn): number {
  return one.bodyPosition - other.bodyPosition || (one.name < other.name ? -1 : 1);
}

export function nearColumn(name: string, direction: Direction, fields: ReadonlySet<string>): string | null {
  const fold = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');
  if (fold(name) === '') return null;
  const foldedNames = [fold(name), fold(partyOf(direction) + name)];
  return [...fields].find((candidate) => foldedNames.includes(fold(candidate))) ?? null;
}

function unknownText(name: string, near: string | null, fields: ReadonlySet<string> | null): string {
  if (name === '') return 'a column has no name';
  if (near !== null) return `unknown column; did you mean ${near}?`;
  return fields === null ? 'unknown column' : `unknown column; the columns are ${[...fields].join(', ')}`;
}

export function bodyOfCells(
  cells: readonly string[],
  line: number,
  columns: readonly FileColumn[],
  problems: Problems,
): Record<string, unknown> {
  // Gives `body` no prototype, because a column may have any name, such as `__proto__`.
  const body = Object.create(null) as Record<string, unknown>;
  for (const { name, path, index, isNumber } of columns) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    const damage = damageOfText(name, cell);
    if (damage !== null) problems.add(line, name, damage);
    else setMember(body, path, isNumber && /^[0-9]{1,4}$/.test(cell) ? Number(cell) : cell);
  }
  return body;
}

export function setMember(body: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let group = body;
  for (const name of path.slice(0, -1))
    group = (group[name] ??= Object.create(null)) as Record<string, unknown>;
  group[path.at(-1) ?? ''] = value;
}
