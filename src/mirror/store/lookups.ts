/** Finds operations of a company by id and by reference, a block at a time. To be called in a transaction, with everything indexed. */
import type { Direction } from '../../contract/methods.js';
import type { Database } from '../../runtime/database.js';
import type { KnownOperation } from '../mirror.js';
import {
  columnsOf,
  foldedOf,
  idMark,
  operationOf,
  shortReferenceMark,
  storedId,
  type MirrorRecord,
} from './records.js';

const byMarks = (table: 'ids' | 'refs'): string =>
  `SELECT ${columnsOf('o')} FROM json_each(?) m CROSS JOIN ${table} i ON i.mark = m.value CROSS JOIN operations o ON o.row = i.row`;

/** By the ids as they were given. @throws RangeError for a row that is not what was written */
export function selectByIds(
  db: Database,
  company: number,
  ids: readonly string[],
): Map<string, KnownOperation> {
  const marks = marksOf(ids, (id) => idMark(company, storedId(id)));
  const known = new Map<string, KnownOperation>();
  for (const record of db.query<MirrorRecord>(byMarks('ids')).iterate(marks))
    if (record.company === company) known.set(record.id, operationOf(record));
  return new Map(
    ids.flatMap((id) => {
      const operation = known.get(storedId(id));
      return operation === undefined ? [] : [[id, operation] as const];
    }),
  );
}

/** By folded reference, in the order of their events. @throws RangeError for a row that is not what was written */
export function selectByReferences(
  db: Database,
  company: number,
  direction: Direction,
  references: readonly string[],
): Map<string, KnownOperation[]> {
  const wanted = new Set(references);
  const found = new Map<string, KnownOperation[]>();
  const marks = marksOf(references, (reference) => shortReferenceMark(company, direction, reference));
  for (const record of db.query<MirrorRecord>(byMarks('refs')).iterate(marks)) {
    const operation = operationOf(record);
    const folded = foldedOf(record);
    // Two references may share a mark.
    if (record.company !== company || operation.direction !== direction) continue;
    if (folded === null || !wanted.has(folded)) continue;
    const known = found.get(folded);
    if (known === undefined) found.set(folded, [operation]);
    else known.push(operation);
  }
  for (const operations of found.values()) operations.sort(inOrder);
  return found;
}

/** Each once, as a statement takes a list. */
function marksOf(texts: readonly string[], markOf: (text: string) => number): string {
  return JSON.stringify([...new Set(texts.map(markOf))]);
}

function inOrder(a: KnownOperation, b: KnownOperation): number {
  return a.occurredAtMs - b.occurredAtMs || (a.id < b.id ? -1 : 1);
}
