/** Opens the file of a batch: as it is where it is of the plain form and nothing was said of it, else by a plan of how it is read. */
import type { Capabilities } from '../../contract/catalog.js';
import { type Direction, partyOf } from '../../contract/operation.js';
import { Failure } from '../../runtime/failure.js';
import { cutterFor, recordsAhead, lookAhead } from '../../sheet/look-ahead.js';
import { DecimalEvidence } from '../../sheet/amount.js';
import { type FileSource, openFileSource } from '../../sheet/file-source.js';
import { type SheetOptions, saidOfSheet } from '../../sheet/forms.js';
import { BrokenText } from '../../sheet/text.js';
import { isMetadata, knownColumns } from './columns.js';
import { plainFile } from './plain-rows.js';
import type { Beginning, RowFile, SaidOfRows } from './row-file.js';
import { openText } from './source.js';
import { type MapEntry, type MapRule, membersOf, refusedMap } from '../../sheet/column-map.js';

/**
 * The file; the caller closes it.
 * @throws Failure `bad_file` where it can't be read or can be read in several ways, `usage` for a flag that means nothing, `local_state` where the
 *   disk reports an error
 */
export async function openRowFile(
  path: string,
  options: SheetOptions,
  direction: Direction,
  catalog: Capabilities,
): Promise<RowFile> {
  const known = knownColumns(direction, catalog);
  const said = saidOfRows(options, direction, known);
  const isSaid = Object.values(said).some((value) => value !== null);
  const text = await openText(path);
  try {
    const source = await openFileSource(path, 'Nothing was sent.');
    try {
      const beginning = await beginningOf(source, said);
      if (isSaid || !isPlain(beginning, known)) {
        const { otherFile } = await import('./other-file.js');
        const file = await otherFile({ source, beginning, said, direction, catalog });
        await text.close();
        return file;
      }
    } catch (error) {
      await source.close();
      throw error;
    }
    await source.close();
    return plainFile(text, direction, catalog);
  } catch (error) {
    await text.close();
    throw error;
  }
}

/** What is not UTF-8 is most likely what Windows writes. */
async function beginningOf(source: FileSource, said: SaidOfRows): Promise<Beginning> {
  try {
    return { ahead: await lookAhead(source, said), brokenAt: null };
  } catch (error) {
    const isBroken = error instanceof Failure && error.facts.cause instanceof BrokenText;
    if (!isBroken || said.encoding !== null) throw error;
    const brokenAt = error.facts.details?.[0]?.field ?? '';
    return { ahead: await lookAhead(source, { ...said, encoding: 'latin1' }), brokenAt };
  }
}

/** Whether it is what needs no plan: also where it is damaged, so that its own reader says where. */
function isPlain({ ahead, brokenAt }: Beginning, known: ReadonlySet<string>): boolean {
  if (ahead.workbook !== null || ahead.encoding !== 'utf8' || brokenAt !== null) return false;
  const [start = ''] = ahead.pieces;
  if (start.trim() === '' || start.trimStart().startsWith('{')) return true;
  const evidence = new DecimalEvidence();
  let amountAt: number | null = null;
  for (const { line, cells } of recordsAhead(ahead, cutterFor(','))) {
    if (amountAt !== null) evidence.add(line, cells[amountAt] ?? '');
    else if (!isOurs(cells, known)) return false;
    else amountAt = cells.indexOf('amount');
    const { way } = evidence.verdict();
    if (way !== null) return way === 'point';
  }
  return true;
}

/** Whether it is a header of body paths, some of which may be wrong. */
function isOurs(cells: readonly string[], known: ReadonlySet<string>): boolean {
  const exact = cells.filter((cell) => known.has(cell) || isMetadata(cell));
  const hasPath = exact.some((cell) => cell.includes('.'));
  return exact.length === cells.length || (hasPath && exact.length * 2 >= cells.length);
}

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
