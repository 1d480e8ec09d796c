/** What was said of the file of a batch, understood. Pure. */
import { type Direction, partyOf } from '../../contract/operation.js';
import { type MapEntry, type MapRule, membersOf, refusedMap } from '../../sheet/column-map.js';
import { type SheetOptions, saidOfSheet } from '../../sheet/forms.js';
import type { SaidOfRows } from './row-file.js';

const UNDONE = 'Nothing was sent.';

/** @param fields the columns that a file may have @throws Failure `usage` for a value that means nothing */
export function saidOfRows(
  options: SheetOptions,
  direction: Direction,
  fields: Iterable<string>,
): SaidOfRows {
  const { map } = options;
  const rule = {
    undone: UNDONE,
    members: [...fields],
    free: 'metadata.',
    example: `reference=Ref,amount=Importe,${partyOf(direction)}.bank_code=Banco`,
  } as const;
  return { map: map === null ? null : entriesOf(map, rule), ...saidOfSheet(options, UNDONE) };
}

function entriesOf(map: string, rule: MapRule): readonly MapEntry[] {
  const entries = membersOf(map, rule).map(({ member, value }) => ({ field: member, column: value }));
  const columns = entries.map(({ column }) => column);
  const twice = columns.find((column, at) => columns.indexOf(column) !== at);
  if (twice !== undefined) throw refusedMap(rule, `The column ${JSON.stringify(twice)} is there twice.`);
  for (const field of ['reference', 'amount'])
    if (!entries.some((entry) => entry.field === field))
      throw refusedMap(rule, `It names no ${field}: add ${field}=COLUMN.`);
  return entries;
}
