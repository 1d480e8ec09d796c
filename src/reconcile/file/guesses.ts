/** What the lines of a file say about decimals and dates, where nobody said it. */
import { Failure } from '../../runtime/failure.js';
import { Problems } from '../../runtime/problems.js';
import { Body, type BodyShape } from './body.js';
import { formatOf } from './cell-reading.js';
import { columnPlaces } from './column-places.js';
import { DayEvidence, DecimalEvidence, type Doubt } from './evidence.js';
import type { StatementRecord } from './records.js';

export class Guesses {
  readonly decimals = new DecimalEvidence();
  readonly days = new DayEvidence();
  readonly #body: Body;
  readonly #amounts: readonly number[];
  readonly #date: number;

  constructor(shape: BodyShape) {
    // What is wrong with a line is said when the lines are read.
    this.#body = new Body(shape, new Problems());
    const { amount, debit, credit, date } = columnPlaces(shape.columns);
    this.#amounts = [amount, debit, credit].filter((at) => at !== -1);
    this.#date = date;
  }

  add(records: readonly StatementRecord[]): void {
    for (const record of records) {
      if (!this.#body.isPayment(record)) continue;
      for (const at of this.#amounts) this.decimals.add(record.line, record.cells[at] ?? '');
      if (this.#date !== -1) this.days.add(record.line, record.cells[this.#date] ?? '');
    }
  }
}

/** What is asked for because the file does not say it. @param note what may help beside the flags; empty for nothing */
export function undecided(name: string, asked: readonly string[], note: string): Failure {
  const flags = asked.length > 1 ? 'these flags' : 'this flag';
  return new Failure(
    'usage',
    `${name} can be read in more than one way. Nothing was reconciled: add ${flags}.`,
    {
      items: asked,
      advice: note === '' ? [] : [note],
    },
  );
}

export function decimalQuestion({ line, text, ways }: Doubt<'comma' | 'point'>): string {
  const readings = ways.map(([way, value]) => `${value} with --decimal ${way}`);
  return `line ${line}: ${JSON.stringify(text.trim())} is ${readings.join(', ')}`;
}

export function dayQuestion({ line, text, ways }: Doubt<'DMY' | 'MDY' | 'YMD'>): string {
  const isShort = !/[0-9]{4}/.test(text);
  const readings = ways.map(([way, day]) => `${day} with --date-format ${formatOf(way, isShort)}`);
  return `line ${line}: ${JSON.stringify(text.trim())} is ${readings.join(', ')}`;
}
