/** What was said of the file of a batch, understood. Pure. */
import type { Direction } from '../../contract/operation.js';
import { type MapEntry, type MapRule, membersOf, refusedMap } from '../../sheet/column-map.js';
import { delimiterOf, encodingOf, decimalMarkOf } from '../../sheet/said.js';
import type { RowFileOptions, SaidOfRows } from './row-file.js';

const UNDONE = 'Nothing was sent.';

/** @param fields the columns that a file may have @throws Failure `usage` for a value that means nothing */
export function saidOfRows(
  { map, delimiter, decimal, encoding, sheet }: RowFileOptions,
  direction: Direction,
  fields: Iterable<string>,
): SaidOfRows {
  return {
    map: map === null ? null : entriesOf(map, { ...ruleOf(direction), members: [...fields] }),
    delimiter: delimiter === null ? null : delimiterOf(delimiter, UNDONE),
    decimal: decimal === null ? null : decimalMarkOf(decimal, UNDONE),
    encoding: encoding === null ? null : encodingOf(encoding, UNDONE),
    sheet,
  };
}

function ruleOf(direction: Direction): Omit<MapRule, 'members'> {
  const party = direction === 'payout' ? 'beneficiary' : 'payer';
  return {
    undone: UNDONE,
    free: 'metadata.',
    example: `reference=Ref,amount=Importe,${party}.bank_code=Banco`,
  };
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
