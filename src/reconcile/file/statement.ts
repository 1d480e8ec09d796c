import type { Zone } from '../../runtime/clock.js';
import { Problems } from '../../runtime/problems.js';
import type { LedgerLine } from '../line.js';
import { Body } from './body.js';
import { AmountCells, plainText, type ReadAmount, type CellRead } from '../../sheet/amount.js';
import { DayCells } from './day.js';
import { recordsOf, lookAhead } from '../../sheet/look-ahead.js';
import type { FileSource } from '../../sheet/file-source.js';
import { columnPlaces } from './plan.js';
import type { ReadingEnd, StatementOptions, LedgerField } from './plan.js';
import { setupOf, type ReadingSetup } from './guess-plan.js';
import type { SheetRecord } from '../../sheet/records.js';
import { settingsOf } from './settings.js';
import { Statuses } from './statuses.js';
import type { Direction } from '../../contract/operation.js';
import { excerpt, lostDigitsText } from '../../sheet/words.js';
import { directionWord } from './column-words.js';
import { CurrencyReader } from './currency.js';

/** Do not act on any line until `lines` has been read to its end: a wrong line throws only there. */
export async function readStatement(
  source: FileSource,
  options: StatementOptions,
  world: { readonly zone: Zone; readonly currency?: string | null },
) {
  const settings = settingsOf(options);
  const ahead = await lookAhead(source, settings);
  const setup = await setupOf(ahead, settings, world.currency ?? null);
  const { plan, bodyFrom, ignored } = setup;
  const problems = new Problems();
  const body = new Body(setup, problems);
  const statusReader = new Statuses(plan.columns, plan.words, ignored.status);
  const reader = new LineReader(setup, world.zone, problems);
  let count = 0;
  let hasNegatives = false;
  let ending: ReadingEnd | null = null;
  const lineOf = (record: SheetRecord): LedgerLine | null => {
    if (record.line < bodyFrom || !body.checkPayment(record)) return null;
    const status = statusReader.read(record.cells);
    if (status.kind === 'paid') return reader.read(record);
    if (status.kind === 'unpaid') body.noteSkipped(record, status.why);
    else problems.add(record.line, null, status.problem);
    return null;
  };
  const lines = async function* (): AsyncGenerator<LedgerLine, void, void> {
    for await (const records of recordsOf(ahead, setup.cutter(), problems))
      for (const record of records) {
        const line = lineOf(record);
        if (line === null) continue;
        count += 1;
        hasNegatives ||= line.isNegative;
        if (problems.count === 0) yield line;
      }
    body.end();
    for (const { line, text } of body.skipped) {
      const problem = reader.currencies.problemOf(text);
      if (problem !== null) problems.add(line, null, problem);
    }
    await source.requireUnchanged();
    problems.throwIfAny(source.name, 'Nothing was reconciled.');
    ending = { lines: count, skipped: body.skipped, skippedCount: body.skippedCount, hasNegatives };
  };
  return { plan, lines: lines(), ending: (): ReadingEnd | null => ending };
}
export type Statement = Awaited<ReturnType<typeof readStatement>>;

const BROKEN_TEXT = /[\p{Cc}\p{Cs}\ufffd]/u;
const OWN_COLUMN = /(?:^|[._])(?:id|reference)$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

type DirectedAmount = ReadAmount & { readonly direction: Direction | null };

class LineReader {
  readonly #places: Readonly<Record<LedgerField, number>>;
  readonly #names: ReadonlyMap<LedgerField, string>;
  readonly #amounts: AmountCells;
  readonly #days: DayCells;
  readonly #problems: Problems;
  readonly currencies: CurrencyReader;
  readonly #signs = new Map<Direction | 'debit', { readonly isNegative: boolean; readonly line: number }>();

  constructor({ plan, orders, hints, ignored }: ReadingSetup, zone: Zone, problems: Problems) {
    const { columns, decimal } = plan;
    this.#places = columnPlaces(columns);
    this.#names = new Map(columns.map(({ field, name, index }) => [field, name || `column ${index + 1}`]));
    this.#amounts = new AmountCells(decimal);
    this.#days = new DayCells(orders, zone);
    this.#problems = problems;
    this.currencies = new CurrencyReader(columns, hints, ignored.currency);
  }

  read({ line, cells }: SheetRecord): LedgerLine | null {
    const problemsBefore = this.#problems.count;
    const places = this.#places;
    const amount = places.amount === -1 ? this.#debitOrCredit(line, cells) : this.#amount(line, cells);
    const id = this.#text(line, cells, 'id');
    const ledgerLine = {
      line,
      id: id !== null && UUID.test(id) ? id.toLowerCase() : id,
      reference: this.#text(line, cells, 'reference'),
      bankReference: this.#text(line, cells, 'bank_reference'),
      direction: this.#direction(line, cells, amount) ?? amount?.direction ?? null,
      isNegative: amount?.isNegative ?? false,
      currency: this.#valueOf(line, 'currency', this.currencies.read(line, cells, amount?.currency ?? null)),
      amount: amount?.amount ?? '0',
      date: this.#day(line, cells),
    };
    return this.#problems.count === problemsBefore ? ledgerLine : null;
  }

  #cell(cells: readonly string[], field: LedgerField): string {
    const at = this.#places[field];
    return at === -1 ? '' : (cells[at] ?? '');
  }

  #note(line: number, field: LedgerField, message: string): null {
    this.#problems.add(line, this.#names.get(field) ?? field, message);
    return null;
  }

  #valueOf<T>(line: number, field: LedgerField, read: CellRead<T>): T | null {
    return 'value' in read ? read.value : this.#note(line, field, read.problem);
  }

  #amount(line: number, cells: readonly string[]): DirectedAmount | null {
    const amount = this.#valueOf(line, 'amount', this.#amounts.read(this.#cell(cells, 'amount')));
    return amount === null ? null : { ...amount, direction: amount.side };
  }

  #text(line: number, cells: readonly string[], field: LedgerField): string | null {
    const text = plainText(this.#cell(cells, field), OWN_COLUMN.test(this.#names.get(field) ?? ''));
    if (text === '') return null;
    if (BROKEN_TEXT.test(text))
      return this.#note(line, field, 'holds a control character, a line end or a broken character');
    const problem = lostDigitsText(text);
    return problem === null ? text : this.#note(line, field, problem);
  }

  #direction(line: number, cells: readonly string[], amount: DirectedAmount | null): Direction | null {
    const text = plainText(this.#cell(cells, 'direction'));
    if (text === '') return null;
    const direction = directionWord(text);
    if (direction === null) {
      const quoted = JSON.stringify(text.slice(0, 40));
      return this.#note(line, 'direction', `${quoted} says no direction; --map may leave the column out`);
    }
    if (amount === null) return direction;
    const agrees = amount.direction === null || amount.direction === direction;
    const first = agrees ? this.#otherSignLine(line, direction, amount) : null;
    const problem = !agrees
      ? `is a ${direction}, and its amount stands where those of a ${amount.direction} do`
      : first === null
        ? null
        : `is a ${direction}, and its amount has another sign than that of line ${first}`;
    return problem === null ? direction : this.#note(line, 'direction', problem);
  }

  #day(line: number, cells: readonly string[]): string | null {
    const cell = this.#cell(cells, 'date');
    return cell.trim() === '' ? null : this.#valueOf(line, 'date', this.#days.read(cell));
  }

  #debitOrCredit(line: number, cells: readonly string[]): DirectedAmount | null {
    const problemsBefore = this.#problems.count;
    const debit = this.#side(line, 'debit', this.#cell(cells, 'debit'));
    const credit = this.#side(line, 'credit', this.#cell(cells, 'credit'));
    if (this.#problems.count > problemsBefore) return null;
    const [debitAmount, creditAmount] = [debit?.amount ?? '0', credit?.amount ?? '0'];
    if (debitAmount !== '0' && creditAmount !== '0') {
      const creditName = this.#names.get('credit') ?? 'credit';
      return this.#note(
        line,
        'debit',
        `${debitAmount} is in it and ${creditAmount} in ${creditName}: one of both is empty`,
      );
    }
    const [side, direction] =
      creditAmount !== '0' || debit === null ? ([credit, 'payin'] as const) : ([debit, 'payout'] as const);
    if (side === null) {
      const field = this.#names.has('debit') ? 'debit' : 'credit';
      return this.#note(line, field, 'is empty: the line has no amount');
    }
    return { ...side, isNegative: false, direction: side.amount === '0' ? null : direction };
  }

  #side(line: number, field: 'debit' | 'credit', cell: string): ReadAmount | null {
    // A dash means an empty cell.
    if (/^[\p{Pd}\u2212]?$/u.test(plainText(cell))) return null;
    const amount = this.#valueOf(line, field, this.#amounts.read(cell));
    if (amount === null || amount.amount === '0') return amount;
    if (amount.side === (field === 'debit' ? 'payin' : 'payout'))
      return this.#note(line, field, `${excerpt(cell)} says the other direction`);
    if (field === 'credit') return amount.isNegative ? this.#note(line, field, 'is negative') : amount;
    const first = this.#otherSignLine(line, 'debit', amount);
    return first === null
      ? amount
      : this.#note(line, field, `has another sign than the one of line ${first}`);
  }

  #otherSignLine(line: number, kind: Direction | 'debit', { amount, isNegative }: ReadAmount): number | null {
    if (amount === '0') return null;
    const first = this.#signs.get(kind) ?? { isNegative, line };
    this.#signs.set(kind, first);
    return first.isNegative === isNegative ? null : first.line;
  }
}
