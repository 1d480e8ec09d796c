/**
 * Reads a ledger or a statement: looks ahead into it, makes a plan of how it is read, and hands over its lines in one pass, in flat memory.
 *
 * What no flag says is found in the first million characters. Where a doubt is left, a file is read once more as a whole, and for a stream
 * the person must say it. A line that later contradicts the plan is an error that names the flag to add.
 */
import { Problems } from '../../runtime/problems.js';
import type { LedgerLine } from '../line.js';
import { Body } from './body.js';
import { AmountCells, plainText, type ReadAmount, type CellRead } from '../../sheet/amount.js';
import { DayCells } from './day.js';
import { recordsOf, lookAhead, type LookAhead } from '../../sheet/look-ahead.js';
import type { FileSource } from '../../sheet/file-source.js';
import {
  type ReadingEnd,
  type ReadingWorld,
  type Statement,
  type StatementOptions,
  columnPlaces,
  type LedgerField,
  type PlannedColumn,
} from './plan.js';
import { planOf, type Planned } from './planning.js';
import type { SheetRecord } from '../../sheet/records.js';
import { settingsOf } from './settings.js';
import { Statuses } from './statuses.js';
import type { Direction } from '../../contract/operation.js';
import { excerpt, shortenedText } from '../../sheet/words.js';
import { directionWord } from './column-words.js';
import { CurrencyNamed, type CurrencyHints } from './currency.js';

/** @throws Failure `usage` where the map names no column or what was not said can't be found out; `bad_file` where it is no text */
export async function readStatement(
  source: FileSource,
  options: StatementOptions,
  world: ReadingWorld,
): Promise<Statement> {
  const settings = settingsOf(options);
  const ahead = await lookAhead(source, settings);
  const planned = await planOf(ahead, settings, source, world.currency ?? null);
  const reading = new Reading(source, ahead, planned, world);
  return { plan: planned.plan, lines: reading.lines(), ending: () => reading.ending };
}

class Reading {
  readonly #source: FileSource;
  readonly #ahead: LookAhead;
  readonly #planned: Planned;
  readonly #problems = new Problems();
  readonly #body: Body;
  readonly #statuses: Statuses;
  readonly #reader: LineReader;
  #lines = 0;
  #hasNegatives = false;
  #ending: ReadingEnd | null = null;

  constructor(source: FileSource, ahead: LookAhead, planned: Planned, world: ReadingWorld) {
    const { plan, orders, shape, hints, leftOut } = planned;
    const cells = {
      amounts: new AmountCells(plan.decimal),
      days: new DayCells(orders, world.zone),
      hints,
      leftOutCurrencies: leftOut.currency,
    };
    this.#source = source;
    this.#ahead = ahead;
    this.#planned = planned;
    this.#body = new Body(shape, this.#problems);
    this.#statuses = new Statuses(plan.columns, plan.words, leftOut.status);
    this.#reader = new LineReader(plan.columns, cells, this.#problems);
  }

  get ending(): ReadingEnd | null {
    return this.#ending;
  }

  async *lines(): AsyncGenerator<LedgerLine, void, void> {
    for await (const records of recordsOf(this.#ahead, this.#planned.cutter(), this.#problems))
      yield* this.#taken(records);
    this.#body.end();
    for (const { line, text } of this.#body.skipped) {
      const problem = this.#reader.leftOutProblem(text);
      if (problem !== null) this.#problems.add(line, null, problem);
    }
    await this.#source.requireUnchanged();
    this.#problems.throwIfAny(this.#source.name, 'Nothing was reconciled.');
    this.#ending = {
      lines: this.#lines,
      skipped: this.#body.skipped,
      skippedCount: this.#body.skippedCount,
      hasNegatives: this.#hasNegatives,
    };
  }

  /** The lines of some records; none any more once one can't be read. */
  #taken(records: readonly SheetRecord[]): readonly LedgerLine[] {
    const lines: LedgerLine[] = [];
    for (const record of records) {
      if (record.line < this.#planned.bodyFrom || !this.#body.isPayment(record)) continue;
      const status = this.#statuses.read(record.cells);
      if (status.kind === 'unpaid') this.#body.leaveOut(record, status.why);
      else if (status.kind === 'unknown') this.#problems.add(record.line, null, status.problem);
      const line = status.kind === 'paid' ? this.#reader.read(record) : null;
      if (line === null) continue;
      this.#lines += 1;
      this.#hasNegatives ||= line.isNegative;
      if (this.#problems.count === 0) lines.push(line);
    }
    return lines;
  }
}

/** A control character, a line end, or a character that was lost. */
const SPOILED = /[\p{Cc}\p{Cs}\ufffd]/u;
/** What lists of svc call these columns. */
const OWN = /(?:^|[._])(?:id|reference)$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** How cells of this file are read. */
interface Cells {
  readonly amounts: AmountCells;
  readonly days: DayCells;
  readonly hints: CurrencyHints;
  readonly leftOutCurrencies: readonly PlannedColumn[];
}

interface Sided extends ReadAmount {
  readonly direction: Direction | null;
}

class LineReader {
  readonly #places: Readonly<Record<LedgerField, number>>;
  readonly #names: ReadonlyMap<LedgerField, string>;
  readonly #cells: Cells;
  readonly #problems: Problems;
  readonly #currencies: CurrencyNamed;
  /** The sign of the first debit, and of the first amount of each direction: banks write all of one kind alike. */
  readonly #signs = new Map<Direction | 'debit', { readonly isNegative: boolean; readonly line: number }>();

  constructor(columns: readonly PlannedColumn[], cells: Cells, problems: Problems) {
    this.#places = columnPlaces(columns);
    this.#names = new Map(columns.map(({ field, name, index }) => [field, name || `column ${index + 1}`]));
    this.#cells = cells;
    this.#problems = problems;
    this.#currencies = new CurrencyNamed(columns, cells.hints, cells.leftOutCurrencies);
  }

  /** Null where something in it can't be read, which is noted. */
  read({ line, cells }: SheetRecord): LedgerLine | null {
    const before = this.#problems.count;
    const at = this.#places;
    const sided = at.amount === -1 ? this.#sided(line, cells) : this.#amount(line, cells);
    const id = this.#text(line, cells, 'id');
    const made = {
      line,
      id: id !== null && UUID.test(id) ? id.toLowerCase() : id,
      reference: this.#text(line, cells, 'reference'),
      bankReference: this.#text(line, cells, 'bank_reference'),
      direction: this.#direction(line, cells, sided) ?? sided?.direction ?? null,
      isNegative: sided?.isNegative ?? false,
      currency: this.#taken(line, 'currency', this.#currencies.read(line, cells, sided?.mark ?? null)),
      amount: sided?.amount ?? '0',
      date: this.#day(line, cells),
    };
    return this.#problems.count === before ? made : null;
  }

  /** What is wrong with a line that is no payment, once all are read; null for nothing. */
  leftOutProblem(text: string): string | null {
    return this.#currencies.problemOf(text);
  }

  #cell(cells: readonly string[], field: LedgerField): string {
    const at = this.#places[field];
    return at === -1 ? '' : (cells[at] ?? '');
  }

  #note(line: number, field: LedgerField, message: string): null {
    this.#problems.add(line, this.#names.get(field) ?? field, message);
    return null;
  }

  #taken<T>(line: number, field: LedgerField, read: CellRead<T>): T | null {
    return 'value' in read ? read.value : this.#note(line, field, read.problem);
  }

  #amount(line: number, cells: readonly string[]): Sided | null {
    const read = this.#taken(line, 'amount', this.#cells.amounts.read(this.#cell(cells, 'amount')));
    return read === null ? null : { ...read, direction: read.side };
  }

  #text(line: number, cells: readonly string[], field: LedgerField): string | null {
    const text = plainText(this.#cell(cells, field), OWN.test(this.#names.get(field) ?? ''));
    if (text === '') return null;
    if (SPOILED.test(text))
      return this.#note(line, field, 'holds a control character, a line end or a broken character');
    const shortened = shortenedText(text);
    return shortened === null ? text : this.#note(line, field, shortened);
  }

  #direction(line: number, cells: readonly string[], sided: Sided | null): Direction | null {
    const text = plainText(this.#cell(cells, 'direction'));
    if (text === '') return null;
    const said = directionWord(text);
    if (said === null)
      return this.#note(
        line,
        'direction',
        `${JSON.stringify(text.slice(0, 40))} says no direction; --map may leave the column out`,
      );
    if (sided === null) return said;
    const isOwn = sided.direction === null || sided.direction === said;
    const first = isOwn ? this.#otherSign(line, said, sided) : null;
    const wrong = !isOwn
      ? `is a ${said}, and its amount stands where those of a ${sided.direction} do`
      : first === null
        ? null
        : `is a ${said}, and its amount has another sign than that of line ${first}`;
    return wrong === null ? said : this.#note(line, 'direction', wrong);
  }

  #day(line: number, cells: readonly string[]): string | null {
    const cell = this.#cell(cells, 'date');
    return cell.trim() === '' ? null : this.#taken(line, 'date', this.#cells.days.read(cell));
  }

  /** Debit and credit: two columns of which one is filled. A zero beside what is filled says nothing. */
  #sided(line: number, cells: readonly string[]): Sided | null {
    const before = this.#problems.count;
    const debit = this.#side(line, 'debit', this.#cell(cells, 'debit'));
    const credit = this.#side(line, 'credit', this.#cell(cells, 'credit'));
    if (this.#problems.count > before) return null;
    const [out, into] = [debit?.amount ?? '0', credit?.amount ?? '0'];
    if (out !== '0' && into !== '0') {
      const other = this.#names.get('credit') ?? 'credit';
      return this.#note(line, 'debit', `${out} is in it and ${into} in ${other}: one of both is empty`);
    }
    const [side, direction] =
      into !== '0' || debit === null ? ([credit, 'payin'] as const) : ([debit, 'payout'] as const);
    if (side === null) {
      const field = this.#names.has('debit') ? 'debit' : 'credit';
      return this.#note(line, field, 'is empty: the line has no amount');
    }
    // The column says which way; a line of nothing goes none.
    return { ...side, isNegative: false, direction: side.amount === '0' ? null : direction };
  }

  #side(line: number, field: 'debit' | 'credit', cell: string): ReadAmount | null {
    // A dash stands for nothing.
    if (/^[\p{Pd}\u2212]?$/u.test(plainText(cell))) return null;
    const amount = this.#taken(line, field, this.#cells.amounts.read(cell));
    if (amount === null || amount.amount === '0') return amount;
    if (amount.side === (field === 'debit' ? 'payin' : 'payout'))
      return this.#note(line, field, `${excerpt(cell)} says the other direction`);
    if (field === 'credit') return amount.isNegative ? this.#note(line, field, 'is negative') : amount;
    const first = this.#otherSign(line, 'debit', amount);
    return first === null
      ? amount
      : this.#note(line, field, `has another sign than the one of line ${first}`);
  }

  /** The first line of its kind, where the amount there has another sign: it is one that was taken back. A zero has no sign. */
  #otherSign(line: number, kind: Direction | 'debit', { amount, isNegative }: ReadAmount): number | null {
    if (amount === '0') return null;
    const first = this.#signs.get(kind) ?? { isNegative, line };
    this.#signs.set(kind, first);
    return first.isNegative === isNegative ? null : first.line;
  }
}
