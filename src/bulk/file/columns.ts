/** The columns of a file are body paths (sections 2.2 and 2.3): its header line, and the cells of a row as a request body. Pure. */
import { fieldOf, fieldsIn } from '../../contract/body-fields.js';
import { type Capabilities, methodsIn, NO_CATALOG } from '../../contract/catalog.js';
import { type Direction, partyOf } from '../../contract/operation.js';
import type { Optional, Shape } from '../../contract/shape.js';
import type { Problems } from '../../runtime/problems.js';
import { spoiledText } from './row-file.js';

export interface FileColumn {
  readonly name: string;
  readonly path: readonly string[];
  /** Where its member stands in the body. */
  readonly place: number;
  /** Whether its cells are numbers; else they are texts. */
  readonly isNumber: boolean;
  /** Where its cell stands in a row. */
  readonly index: number;
}

/** What the schema has beside the fields of the catalog. */
const KNOWN: Readonly<Record<Direction, readonly string[]>> = {
  payout: columnsOf('payout'),
  payin: columnsOf('payin'),
};

/**
 * The columns in the order of the body; what is wrong with the header is noted, and then nothing is sent. A column of another name is
 * read as the one that it surely means, and one that means nothing is left out, so that the rows tell of their own faults and not of
 * the header's again.
 */
export function readHeader(
  cells: readonly string[],
  direction: Direction,
  catalog: Capabilities,
  problems: Problems,
): FileColumn[] {
  const known = knownColumns(direction, catalog);
  let isListed = false;
  const seen = new Set<string>();
  const columns = cells.flatMap((cell, index) => {
    const mayBeDeclared = catalog === NO_CATALOG && cell.startsWith(`${partyOf(direction)}.`);
    const isKnown = known.has(cell) || isMetadata(cell) || mayBeDeclared;
    const name = isKnown ? cell : nearColumn(cell, direction, known);
    if (seen.has(cell)) problems.add(1, cell, 'the column is there twice');
    else if (!isKnown) {
      problems.add(1, cell, unknownText(cell, name, isListed ? null : known));
      isListed ||= name === null;
    }
    seen.add(cell);
    const isRead = name !== null && (isKnown || !cells.includes(name));
    return isRead ? [columnAt(name, index)] : [];
  });
  if (!columns.some(({ name }) => name === 'reference'))
    problems.add(1, 'reference', 'the column is missing: every row needs one of its own');
  return columns.sort(inBody);
}

/** All names of columns but those of metadata. */
export function knownColumns(direction: Direction, catalog: Capabilities): ReadonlySet<string> {
  const declared = catalog.countries
    .flatMap((country) => methodsIn(country, direction))
    .flatMap(({ fields }) => fields.map(({ name }) => `${partyOf(direction)}.${name}`));
  return new Set([...KNOWN[direction], ...declared]);
}

/** What may be there in any number has no columns of its own. */
function columnsOf(direction: Direction): string[] {
  const fields = fieldsIn(direction).filter(([, { holds }]) => holds !== 'anything');
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

/** The column of that name, which is a body path. */
export function columnAt(name: string, index: number): FileColumn {
  const path = pathOf(name);
  const { place, holds } = fieldOf(path[0] ?? '');
  return { name, path, place, isNumber: holds === 'number', index };
}

export function inBody(one: FileColumn, other: FileColumn): number {
  return one.place - other.place || (one.name < other.name ? -1 : 1);
}

/** A metadata name is one name: its dots are its own. */
function pathOf(name: string): string[] {
  return isMetadata(name) ? ['metadata', name.slice('metadata.'.length)] : name.split('.');
}

/** The column of another spelling, or without the name of the party before it; null where there is none. */
export function nearColumn(name: string, direction: Direction, known: ReadonlySet<string>): string | null {
  const fold = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');
  if (fold(name) === '') return null;
  const folded = [fold(name), fold(partyOf(direction) + name)];
  return [...known].find((candidate) => folded.includes(fold(candidate))) ?? null;
}

/** @param known null where they were listed already */
function unknownText(name: string, near: string | null, known: ReadonlySet<string> | null): string {
  if (name === '') return 'a column has no name';
  if (near !== null) return `unknown column; did you mean ${near}?`;
  return known === null ? 'unknown column' : `unknown column; the columns are ${[...known].join(', ')}`;
}

/** The body of the cells that hold anything; what is spoiled is noted and left out. */
export function bodyOfCells(
  cells: readonly string[],
  line: number,
  columns: readonly FileColumn[],
  problems: Problems,
): Record<string, unknown> {
  // Without a prototype: a column may be called anything.
  const body = Object.create(null) as Record<string, unknown>;
  for (const { name, path, index, isNumber } of columns) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    const spoiled = spoiledText(name, cell);
    if (spoiled !== null) problems.add(line, name, spoiled);
    else place(body, path, isNumber && /^[0-9]{1,4}$/.test(cell) ? Number(cell) : cell);
  }
  return body;
}

export function place(body: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let group = body;
  for (const name of path.slice(0, -1)) {
    const inner = (group[name] ??= Object.create(null)) as Record<string, unknown>;
    group = inner;
  }
  group[path.at(-1) ?? ''] = value;
}
