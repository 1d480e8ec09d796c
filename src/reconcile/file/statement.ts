/**
 * Reads a ledger or a statement: looks ahead into it, makes a plan of how it is read, and hands over its lines in one pass, in flat memory.
 *
 * What was not said is found out in the first million characters; where they leave a doubt, a file is read through once more for that,
 * and a stream is asked about. What contradicts the plan later can't be read, and says which flag reads it.
 */
import { Problems } from '../../runtime/problems.js';
import type { LedgerLine } from '../line.js';
import { Body } from './body.js';
import { AmountCells } from '../../sheet/amount.js';
import { DayCells } from './day.js';
import { LineReader } from './line-reader.js';
import { recordsOf, lookAhead, type LookAhead } from '../../sheet/look-ahead.js';
import type { FileSource } from '../../sheet/file-source.js';
import type { ReadingEnd, ReadingWorld, ReadStatement } from './plan.js';
import { planOf, type Planned } from './planning.js';
import type { SheetRecord } from '../../sheet/records.js';
import { settingsOf } from './settings.js';
import { Statuses } from './statuses.js';

export const readStatement: ReadStatement = async (source, options, world) => {
  const settings = settingsOf(options);
  const ahead = await lookAhead(source, settings);
  const planned = await planOf(ahead, settings, source, world.currency ?? null);
  const reading = new Reading(source, ahead, planned, world);
  return { plan: planned.plan, lines: reading.lines(), ending: () => reading.ending };
};

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
      const line = this.#isPaid(record) ? this.#reader.read(record) : null;
      if (line === null) continue;
      this.#lines += 1;
      this.#hasNegatives ||= line.isNegative;
      if (this.#problems.count === 0) lines.push(line);
    }
    return lines;
  }

  #isPaid(record: SheetRecord): boolean {
    const read = this.#statuses.read(record.cells);
    if (read.kind === 'unpaid') this.#body.leaveOut(record, read.why);
    else if (read.kind === 'unknown') this.#problems.add(record.line, null, read.problem);
    return read.kind === 'paid';
  }
}
