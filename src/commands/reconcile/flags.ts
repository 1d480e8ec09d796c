/** The flags of a reconciliation: how the file is read, what is compared, what may be overlooked, and what they mean. */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type * as Interfaces from '@oclif/core/interfaces';
import type { GlobalFlags } from '../../cli/command.js';
import { takes } from '../../cli/line/flags.js';
import { formFlags } from '../../cli/line/form-flags.js';
import { DIRECTIONS, type Direction } from '../../contract/operation.js';

export const ledgerArgs = {
  file: Args.string({
    description: 'A ledger or a statement: CSV with a header line, or NDJSON; - for standard input.',
    required: true,
    ignoreStdin: true,
    ...takes('file'),
  }),
};

const many = { multiple: true, multipleNonGreedy: true } as const;

export const reconcileFlags = {
  ...formFlags('What the columns are, or the name of a saved map; guessed from the header unless given.'),
  'date-format': Flags.string({ summary: 'How dates are written, such as DD/MM/YYYY.', helpValue: 'FORMAT' }),
  from: Flags.string({ summary: 'The first day that is compared, on both sides.', helpValue: 'DATE' }),
  to: Flags.string({ summary: 'The last day that is compared, on both sides.', helpValue: 'DATE' }),
  currency: Flags.string({ summary: 'The currency of lines that name none.', ...takes('currency') }),
  direction: Flags.string({
    summary: 'Compare only these, and take lines that say none, by no sign either, for such.',
    options: [...DIRECTIONS],
  }),
  tolerance: Flags.string({
    summary: 'Let amounts of a currency differ by so much; repeatable.',
    helpValue: 'CUR:AMOUNT',
    ...many,
  }),
  fee: Flags.string({
    summary: "Let amounts of a currency differ by such a share of the operation's; repeatable.",
    helpValue: 'CUR:PERCENT',
    ...many,
  }),
  days: Flags.string({ summary: 'Let dates differ by so many days.', helpValue: 'N' }),
  all: Flags.boolean({ summary: 'List what agrees too.' }),
  report: Flags.string({ summary: 'Write a report that a browser opens, in one file.', ...takes('file') }),
  offline: Flags.boolean({
    summary: 'Compare with what this machine knows already; ask the service nothing.',
  }),
};
export type ReconcileFlags = GlobalFlags & Interfaces.InferredFlags<typeof reconcileFlags>;

/** The only direction that is compared; null for both. */
export function directionIn({ direction }: Pick<ReconcileFlags, 'direction'>): Direction | null {
  return DIRECTIONS.find((known) => known === direction) ?? null;
}
