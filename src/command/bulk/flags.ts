/** The flags of a bulk run, and what they mean. */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type * as Interfaces from '@oclif/core/interfaces';
import { AMOUNT_PATTERN } from '../../contract/money.js';
import { Failure } from '../../runtime/failure.js';
import type { GlobalFlags } from '../base.js';
import { durationMs } from '../line/duration.js';

/** The name of a batch, as an argument. */
export const batchArgs = {
  name: Args.string({ description: 'The name of the batch.', required: true, ignoreStdin: true }),
};

/** How rows are sent: for a run, a resume and a retry. */
export const sendingFlags = {
  concurrency: Flags.string({ summary: 'Rows under way at a time [default: 16].', helpValue: 'N' }),
  rate: Flags.string({ summary: 'At most so many sendings a second.', helpValue: 'N/s' }),
  wait: Flags.boolean({ summary: 'Follow every operation to its final state.' }),
  'wait-timeout': Flags.string({
    summary: 'How long to follow [default: 10m]; implies --wait.',
    helpValue: 'DURATION',
  }),
  'confirm-total': Flags.string({
    summary: 'Confirm what is sent; live, a script says it for each currency.',
    helpValue: 'CUR:AMOUNT',
    multiple: true,
    multipleNonGreedy: true,
  }),
};

/** A run from a file. */
export const bulkFlags = {
  batch: Flags.string({
    summary: 'The name of the batch; required live, else the name of the file.',
    helpValue: 'NAME',
  }),
  country: Flags.string({ summary: 'Country of rows that name none.', helpValue: 'CC' }),
  currency: Flags.string({ summary: 'Currency of rows that name none.', helpValue: 'CUR' }),
  method: Flags.string({ summary: 'Method of rows that name none.', helpValue: 'CODE' }),
  'allow-duplicates': Flags.boolean({
    summary: 'Let rows be that pay the same person the same amount under different references.',
  }),
  'allow-repeat': Flags.boolean({ summary: 'Let rows be that another batch here has too.' }),
  'dry-run': Flags.boolean({ summary: 'Validate the file and show the plan; send nothing.' }),
  ...sendingFlags,
};

export type SendingFlags = GlobalFlags & Interfaces.InferredFlags<typeof sendingFlags>;
export type BulkFlags = GlobalFlags &
  Interfaces.InferredFlags<typeof bulkFlags> & { readonly purpose?: string | undefined };

export interface Sending {
  readonly concurrency: number;
  readonly ratePerSecond: number | null;
  /** Null without `--wait`. */
  readonly waitMs: number | null;
  /** Confirmed totals by currency, decimal strings. */
  readonly confirmed: ReadonlyMap<string, string>;
}

const CONCURRENCY_MAX = 256;

/** @throws Failure `usage` */
export function readSendingFlags(flags: SendingFlags): Sending {
  const { concurrency = '16', rate, wait, 'wait-timeout': timeout } = flags;
  const count = /^[0-9]{1,4}$/.test(concurrency) ? Number(concurrency) : 0;
  if (count < 1 || count > CONCURRENCY_MAX) {
    throw usage(`--concurrency is a whole number from 1 to ${String(CONCURRENCY_MAX)}.`);
  }
  const perSecond = rate === undefined ? null : /^([0-9]{1,6}(?:[.][0-9]{1,3})?)(\/s)?$/.exec(rate)?.[1];
  if (perSecond === undefined || Number(perSecond ?? 1) <= 0)
    throw usage('--rate is a number of sendings a second, such as 20/s.');
  return {
    concurrency: count,
    ratePerSecond: perSecond === null ? null : Number(perSecond),
    waitMs: wait || timeout !== undefined ? durationMs(timeout ?? '10m', '--wait-timeout') : null,
    confirmed: readTotals(flags['confirm-total'] ?? []),
  };
}

function readTotals(texts: readonly string[]): Map<string, string> {
  const totals = new Map<string, string>();
  for (const text of texts) {
    const [currency = '', amount = ''] = text.split(':');
    if (!/^[A-Za-z]{3}$/.test(currency) || !AMOUNT_PATTERN.test(amount)) {
      throw usage('--confirm-total is a currency and an amount, such as VES:1500.00.');
    }
    if (totals.has(currency.toUpperCase()))
      throw usage(`--confirm-total names ${currency.toUpperCase()} twice.`);
    totals.set(currency.toUpperCase(), amount);
  }
  return totals;
}

function usage(message: string): Failure {
  return new Failure('usage', `${message} Nothing was sent.`);
}
