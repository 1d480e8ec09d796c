/** The cells of a row as a request body. Pure. */
import type { Problems } from '../../runtime/problems.js';
import type { FileColumn } from './columns.js';
import { spoiledText } from './file-row.js';

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

function place(body: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let group = body;
  for (const name of path.slice(0, -1)) {
    const inner = (group[name] ??= Object.create(null)) as Record<string, unknown>;
    group = inner;
  }
  group[path.at(-1) ?? ''] = value;
}
