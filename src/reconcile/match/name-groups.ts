/** The lines and operations that share a name, as the work file hands them out. Few are kept at a time: memory stays flat. */
import type { WorkFile } from '../../runtime/work-file.js';
import { EITHER, FAILED, PAYIN, PAYOUT } from './entries.js';
import { type Group, type GroupLine, type GroupOperation, inTurn } from './comparing.js';
import type { PlacementState } from './placement.js';
import type { Side } from './tally.js';
import type { MatchKey } from '../finding.js';

/** Of more open lines, or operations, that share a name each may be any: nothing is compared by it. */
const GROUP_MAX = 4096;
/** Of more that are taken already none is looked at. */
const TAKEN_MAX = 1024;

export type Met =
  | { readonly kind: 'group'; readonly group: Group }
  /** The rows of all that is open. */
  | { readonly kind: 'many'; readonly lines: readonly number[]; readonly operations: readonly number[] };

/** What a line that does not say it is taken for. */
export interface LineDefaults {
  readonly currency: string | null;
  /** Whether a sign says a direction. */
  readonly hasNegatives: boolean;
}

type MemberRow = readonly [
  key: string,
  /** 0 for an operation, 1 for a line. */
  side: 0 | 1,
  row: number,
  /** Of a line its number, of an operation its status. */
  what: number,
  direction: 0 | 1 | null,
  sign: 0 | 1 | null,
  currency: string | null,
  amount: string | null,
  day: number | null,
];

/** Of one side: what is kept, the rows of all that is open, and how many are taken. */
interface Kept {
  readonly rows: MemberRow[];
  readonly open: number[];
  taken: number;
}

class Gathered {
  #operations = nothing();
  #lines = nothing();
  #live = new Set<GroupOperation['direction']>();

  constructor(
    private readonly file: WorkFile,
    private readonly standing: PlacementState,
    private readonly defaults: LineDefaults,
  ) {}

  add(row: MemberRow): void {
    const [, side, number, what, direction] = row;
    const isLine = side === 1;
    if (isLine && isEmpty(this.#operations)) return;
    if (!isLine && what !== FAILED && direction !== null) this.#live.add(direction);
    const kept = isLine ? this.#lines : this.#operations;
    const partner = this.standing.partner(isLine ? 'here' : 'there', number);
    if (partner === 0) kept.open.push(number);
    else kept.taken += 1;
    if (partner === 0 ? kept.open.length <= GROUP_MAX : kept.taken <= TAKEN_MAX) kept.rows.push(row);
  }

  /** What was gathered, where both sides have some and anything of it is open; then the next name begins. */
  take(): Met | null {
    const [lines, operations, live] = [this.#lines, this.#operations, this.#live];
    if (isEmpty(operations)) return null;
    [this.#operations, this.#lines, this.#live] = [nothing(), nothing(), new Set()];
    if (isEmpty(lines) || lines.open.length + operations.open.length === 0) return null;
    if (Math.max(lines.open.length, operations.open.length) <= GROUP_MAX) {
      const isPlain = lines.rows.length === 1 && operations.rows.length === 1;
      const group: Group = {
        lines: this.#looked(lines)
          .map((row) => this.#lineOf(row, isPlain))
          .sort(inTurn),
        operations: this.#looked(operations)
          .map((row) => this.#operationOf(row, isPlain))
          .sort(inTurn),
        live,
      };
      return { kind: 'group', group };
    }
    // Lines that are many, of an operation that is not left: it is no question which of them is meant.
    if (lines.open.length === 0 || operations.open.length === 0) return null;
    return { kind: 'many', lines: lines.open, operations: operations.open };
  }

  #looked({ rows, taken }: Kept): readonly MemberRow[] {
    const side = rows[0]?.[1] === 1 ? 'here' : 'there';
    return taken <= TAKEN_MAX ? rows : rows.filter(([, , row]) => this.standing.partner(side, row) === 0);
  }

  #lineOf([, , row, line, direction, sign, currency, amount, day]: MemberRow, isPlain: boolean): GroupLine {
    const signed = this.defaults.hasNegatives ? (sign === 1 ? PAYOUT : PAYIN) : EITHER;
    return {
      ...{
        row,
        line,
        direction: direction ?? signed,
        currency: currency ?? this.defaults.currency,
        amount,
        day,
      },
      partner: this.standing.partner('here', row),
      ...(isPlain ? PLAIN : this.#namesOf('here', row)),
    };
  }

  #operationOf(
    [, , row, status, direction, , currency, amount, day]: MemberRow,
    isPlain: boolean,
  ): GroupOperation {
    return {
      ...{
        row,
        status: status as GroupOperation['status'],
        direction: direction ?? PAYIN,
        currency,
        amount,
        day,
      },
      partner: this.standing.partner('there', row),
      ...(isPlain ? PLAIN : this.#namesOf('there', row)),
    };
  }

  #namesOf(side: Side, row: number): { bank: string | null; order: string } {
    const sql = `SELECT id, reference, bank_reference FROM ${side} WHERE row = ?`;
    const names = this.file.query<(string | null)[]>(sql).get(row) ?? [];
    return { bank: names.at(-1) ?? null, order: JSON.stringify(names) };
  }
}

const PLAIN = { bank: null, order: '' };

function nothing(): Kept {
  return { rows: [], open: [], taken: 0 };
}

function isEmpty({ open, taken }: Kept): boolean {
  return open.length === 0 && taken === 0;
}

/** Every name that both sides have and of which anything is open; null now and then, so that others can have their turn. */
export function* walkGroups(
  file: WorkFile,
  key: MatchKey,
  standing: PlacementState,
  defaults: LineDefaults,
): Generator<Met | null> {
  const gathered = new Gathered(file, standing, defaults);
  let count = 0;
  let name: string | null = null;
  // Operations come first: of lines whose name no operation has nothing is kept.
  const sql =
    `SELECT ${key}, 0, row, status, direction, NULL, currency, amount, day FROM there WHERE ${key} IS NOT NULL ` +
    `UNION ALL SELECT ${key}, 1, row, line, direction, sign, currency, amount, day FROM here WHERE ${key} IS NOT NULL ORDER BY 1, 2`;
  for (const row of file.query<MemberRow>(sql).iterate()) {
    count += 1;
    if (count % 20_000 === 0) yield null;
    if (row[0] !== name) {
      const met = gathered.take();
      if (met !== null) yield met;
      name = row[0];
    }
    gathered.add(row);
  }
  const met = gathered.take();
  if (met !== null) yield met;
}
