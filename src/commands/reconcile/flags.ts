/** The flags of a reconciliation: how the file is read, what is compared, what may be overlooked, and what they mean. */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type * as Interfaces from '@oclif/core/interfaces';
import type { GlobalFlags } from '../../cli/command.js';
import { grouped, takes } from '../../cli/line/flags.js';
import { FORM, formFlags } from '../../cli/line/form-flags.js';
import { DIRECTIONS, type Direction } from '../../contract/operation.js';

export const ledgerArgs = {
  file: Args.string({
    description: 'CSV or a workbook (.xlsx) with a header line, or NDJSON; - for standard input',
    required: true,
    ignoreStdin: true,
    ...takes('file'),
  }),
};

const many = { multiple: true, multipleNonGreedy: true } as const;

export const reconcileFlags = {
  ...formFlags('Columns of the fields, or a saved map'),
  ...grouped(FORM, {
    'date-format': Flags.string({ summary: 'Form of dates, such as DD/MM/YYYY', helpValue: 'FORMAT' }),
    currency: Flags.string({ summary: 'Currency of lines without one', ...takes('currency') }),
  }),
  ...grouped('WHAT IS COMPARED', {
    from: Flags.string({ summary: 'First day to compare', helpValue: 'DATE' }),
    to: Flags.string({ summary: 'Last day to compare', helpValue: 'DATE' }),
    direction: Flags.string({
      summary: 'Only this direction; lines without one count as it',
      options: [...DIRECTIONS],
    }),
    offline: Flags.boolean({
      summary: 'Ask the service nothing; use what is known here',
    }),
  }),
  ...grouped('WHAT MAY DIFFER', {
    tolerance: Flags.string({
      summary: 'Allow amounts to differ by AMOUNT; repeatable',
      helpValue: 'CUR:AMOUNT',
      ...many,
    }),
    fee: Flags.string({
      summary: 'Allow amounts to differ by PERCENT; repeatable',
      helpValue: 'CUR:PERCENT',
      ...many,
    }),
    days: Flags.string({ summary: 'Allow dates to differ by N days', helpValue: 'N' }),
  }),
  ...grouped('OUTPUT', {
    all: Flags.boolean({ summary: 'List the lines that agree too' }),
    report: Flags.string({ summary: 'Write a report for the browser', ...takes('file') }),
  }),
};
export type ReconcileFlags = GlobalFlags & Interfaces.InferredFlags<typeof reconcileFlags>;

/** The only direction that is compared; null for both. */
export function directionIn({ direction }: Pick<ReconcileFlags, 'direction'>): Direction | null {
  return DIRECTIONS.find((known) => known === direction) ?? null;
}
