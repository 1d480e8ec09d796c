import type { WorkFile } from '../../runtime/work-file.js';
import { EITHER, FAILED, PAYIN, PAYOUT } from './entries.js';
import { type Group, type GroupLine, type GroupOperation, compareEntries } from './compare.js';
import type { PlacementState } from './placement.js';
import type { Side } from './tally.js';
import type { MatchKey } from '../finding.js';

const GROUP_MAX = 4096;
const TAKEN_MAX = 1024;

export type NameMatch =
  | { readonly kind: 'group'; readonly group: Group }
  | { readonly kind: 'many'; readonly lines: readonly number[]; readonly operations: readonly number[] };

export interface LineDefaults {
  readonly currency: string | null;
  readonly hasNegatives: boolean;
}

type MemberRow = readonly [
  key: string,
  side: 0 | 1,
  row: number,
  lineOrStatus: number,
  direction: 0 | 1 | null,
  sign: 0 | 1 | null,
  currency: string | null,
  amount: string | null,
  day: number | null,
];

interface SideRows {
  readonly rows: MemberRow[];
  readonly openNumbers: number[];
  takenCount: number;
}

class GroupCollector {
  #operations = emptySide();
  #lines = emptySide();
  #live = new Set<GroupOperation['direction']>();

  constructor(
    private readonly file: WorkFile,
    private readonly placement: PlacementState,
    private readonly defaults: LineDefaults,
  ) {}

  add(row: MemberRow): void {
    const [, side, number, lineOrStatus, direction] = row;
    const isLine = side === 1;
    if (isLine && isEmpty(this.#operations)) return;
    if (!isLine && lineOrStatus !== FAILED && direction !== null) this.#live.add(direction);
    const sideRows = isLine ? this.#lines : this.#operations;
    const partner = this.placement.partner(isLine ? 'here' : 'there', number);
    if (partner === 0) sideRows.openNumbers.push(number);
    else sideRows.takenCount += 1;
    if (partner === 0 ? sideRows.openNumbers.length <= GROUP_MAX : sideRows.takenCount <= TAKEN_MAX)
      sideRows.rows.push(row);
  }

  take(): NameMatch | null {
    const [lines, operations, live] = [this.#lines, this.#operations, this.#live];
    if (isEmpty(operations)) return null;
    [this.#operations, this.#lines, this.#live] = [emptySide(), emptySide(), new Set()];
    if (isEmpty(lines) || lines.openNumbers.length + operations.openNumbers.length === 0) return null;
    if (Math.max(lines.openNumbers.length, operations.openNumbers.length) <= GROUP_MAX) {
      const isPair = lines.rows.length === 1 && operations.rows.length === 1;
      const here = this.#usedRows(lines).map((row) => this.#lineOf(row, isPair));
      const there = this.#usedRows(operations).map((row) => this.#operationOf(row, isPair));
      const group = { lines: here.sort(compareEntries), operations: there.sort(compareEntries), live };
      return { kind: 'group', group };
    }
    if (lines.openNumbers.length === 0 || operations.openNumbers.length === 0) return null;
    return { kind: 'many', lines: lines.openNumbers, operations: operations.openNumbers };
  }

  #usedRows({ rows, takenCount }: SideRows): readonly MemberRow[] {
    const side = rows[0]?.[1] === 1 ? 'here' : 'there';
    return takenCount <= TAKEN_MAX
      ? rows
      : rows.filter(([, , row]) => this.placement.partner(side, row) === 0);
  }

  #lineOf([, , row, line, direction, sign, currency, amount, day]: MemberRow, isPair: boolean): GroupLine {
    const signedDirection = this.defaults.hasNegatives ? (sign === 1 ? PAYOUT : PAYIN) : EITHER;
    return {
      ...{ row, line, amount, day, direction: direction ?? signedDirection },
      ...{ currency: currency ?? this.defaults.currency, ...this.#partnerOf('here', row, isPair) },
    };
  }

  #operationOf([, , row, status, direction, , currency, amount, day]: MemberRow, isPair: boolean) {
    return {
      ...{ row, status: status as GroupOperation['status'], amount, day, direction: direction ?? PAYIN },
      ...{ currency, ...this.#partnerOf('there', row, isPair) },
    };
  }

  #partnerOf(side: Side, row: number, isPair: boolean) {
    const partner = this.placement.partner(side, row);
    if (isPair) return { partner, bank: null, order: '' };
    const sql = `SELECT id, reference, bank_reference FROM ${side} WHERE row = ?`;
    const names = this.file.query<(string | null)[]>(sql).get(row) ?? [];
    return { partner, bank: names.at(-1) ?? null, order: JSON.stringify(names) };
  }
}

function emptySide(): SideRows {
  return { rows: [], openNumbers: [], takenCount: 0 };
}

function isEmpty({ openNumbers, takenCount }: SideRows): boolean {
  return openNumbers.length === 0 && takenCount === 0;
}

export function* walkGroups(
  file: WorkFile,
  key: MatchKey,
  placement: PlacementState,
  defaults: LineDefaults,
): Generator<NameMatch | null> {
  const collector = new GroupCollector(file, placement, defaults);
  let count = 0;
  let name: string | null = null;
  const sql =
    `SELECT ${key}, 0, row, status, direction, NULL, currency, amount, day FROM there WHERE ${key} IS NOT NULL ` +
    `UNION ALL SELECT ${key}, 1, row, line, direction, sign, currency, amount, day FROM here WHERE ${key} IS NOT NULL ORDER BY 1, 2`;
  for (const row of file.query<MemberRow>(sql).iterate()) {
    count += 1;
    if (count % 20_000 === 0) yield null;
    if (row[0] !== name) {
      const match = collector.take();
      if (match !== null) yield match;
      name = row[0];
    }
    collector.add(row);
  }
  const match = collector.take();
  if (match !== null) yield match;
}
