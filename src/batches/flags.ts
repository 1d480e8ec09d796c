import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type * as Interfaces from '@oclif/core/interfaces';
import { formFlags, grouped, repeatable, skipFeedCheckFlag, takes } from '../command/line/flags.js';
import { VALID_FOR_DEFAULT } from '../contract/limits.js';
import { AMOUNT_PATTERN } from '../contract/money.js';
import { usageFailure } from '../runtime/failure.js';
import type { GlobalFlags } from '../command/command.js';
import { allRowsFlags } from '../payments/body-flags.js';
import type { JoinTerms } from '../storage/batches/worker.js';
import { durationMs } from '../runtime/typed-time.js';

const requiredArg = { required: true, ignoreStdin: true } as const;

export const batchArgs = {
  name: Args.string({ description: 'Name of the batch', ...requiredArg, ...takes('batch') }),
};

export const fileArgs = {
  file: Args.string({
    description: 'CSV or a workbook (.xlsx) with a header line, or NDJSON',
    required: false,
    ignoreStdin: true,
    ...takes('file'),
  }),
};

export const planArgs = {
  plan: Args.string({
    description: 'The plan that "svc payouts batch FILE --plan PLAN" wrote',
    ...requiredArg,
    ...takes('file'),
  }),
};

export const sendingExitCodes = [3, 5, 8, 10, 11, 12, 15];

const paceFlags = grouped('HOW IT IS SENT', {
  concurrency: Flags.string({ summary: 'Rows in progress at a time [default: 16]', helpValue: 'N' }),
  rate: Flags.string({ summary: 'Send at most N per second', helpValue: 'N/s' }),
  wait: Flags.boolean({ summary: 'Wait until every operation is final' }),
  'wait-timeout': Flags.string({
    summary: 'How long to wait [default: 10m]; implies --wait',
    helpValue: 'DURATION',
  }),
});

const consentFlags = grouped('SAFETY', {
  'confirm-total': Flags.string({
    summary: 'Total to send; required in live scripts, once per currency',
    helpValue: 'CUR:AMOUNT',
    ...repeatable,
  }),
  'skip-paid': Flags.boolean({ summary: 'Skip rows that have exactly one matching payment' }),
  'skip-feed-check': skipFeedCheckFlag,
  'first-here': Flags.boolean({ summary: 'Live: nothing of it left elsewhere for 4 days' }),
  company: Flags.string({ summary: 'Send only for this company (three letters)', helpValue: 'ABC' }),
});

const sendingFlags = { ...paceFlags, ...consentFlags };

export const continuingFlags = {
  ...sendingFlags,
  ...grouped('SAFETY', {
    'same-company': Flags.boolean({ summary: "The key is of the batch's company (live: --yes)" }),
  }),
};

export const signersFlag = {
  signers: Flags.string({ summary: 'List of those who may sign, as in ssh-keygen(1)', ...takes('file') }),
};

export const applyFlags = {
  ...grouped('WHO APPROVED IT', {
    signature: Flags.string({
      summary: 'A signature of the plan [default: PLAN.*.sig beside it]',
      ...repeatable,
      ...takes('file'),
    }),
    approvals: Flags.string({ summary: 'How many people must have approved it, at least', helpValue: 'N' }),
    ...signersFlag,
  }),
  ...continuingFlags,
};

export const bulkFlags = {
  ...grouped('WHAT IS PAID', {
    batch: Flags.string({
      summary: 'Name of the batch, required live [default: name of the file]',
      helpValue: 'NAME',
    }),
    ...allRowsFlags('both'),
    template: Flags.boolean({ summary: 'Print an example file for the method' }),
  }),
  ...formFlags('Columns of the fields, or a saved map'),
  ...paceFlags,
  ...grouped('SAFETY', {
    'dry-run': Flags.boolean({ summary: 'Check the file, show the plan, send nothing' }),
    'allow-duplicates': Flags.boolean({ summary: 'Allow rows that pay the same account and amount' }),
    'new-since': Flags.string({ summary: 'Ignore payments made before TIME', helpValue: 'TIME' }),
  }),
  ...consentFlags,
};

export const sshKey = { summary: 'The ssh key that signs; a .pub: by ssh-agent', ...takes('file') } as const;

export const planFlags = grouped('APPROVAL', {
  plan: Flags.string({
    summary: 'Write a plan to this file, for others to approve; send nothing',
    ...takes('file'),
  }),
  'ssh-key': Flags.string(sshKey),
  'valid-for': Flags.string({
    summary: `How long the plan may be sent [default: ${VALID_FOR_DEFAULT}]`,
    helpValue: 'DURATION',
  }),
});

export type CheckFlags = GlobalFlags & {
  readonly 'skip-feed-check'?: boolean | undefined;
  readonly 'same-company'?: boolean | undefined;
};
export type SendingFlags = CheckFlags & Interfaces.InferredFlags<typeof sendingFlags>;
export type BulkFlags = GlobalFlags & Interfaces.InferredFlags<typeof bulkFlags>;

export type PlanFlags = Partial<Interfaces.InferredFlags<typeof planFlags>> & {
  readonly 'dry-run'?: boolean;
};

const CONCURRENCY_MAX = 256;

export interface SendingOptions extends JoinTerms {
  readonly concurrency: number;
  readonly waitMs: number | null;
  readonly confirmedTotals: ReadonlyMap<string, string>;
  readonly skipsPaid: boolean;
}

export function readSendingFlags(flags: SendingFlags): SendingOptions {
  const { concurrency = '16', rate, wait, 'wait-timeout': timeout } = flags;
  const count = /^[0-9]{1,4}$/.test(concurrency) ? Number(concurrency) : 0;
  if (count < 1 || count > CONCURRENCY_MAX)
    throw usageFailure(`--concurrency is a whole number from 1 to ${String(CONCURRENCY_MAX)}.`);
  const perSecond = rate === undefined ? null : /^([0-9]{1,6}(?:[.][0-9]{1,3})?)(\/s)?$/.exec(rate)?.[1];
  if (perSecond === undefined || Number(perSecond ?? 1) <= 0)
    throw usageFailure('--rate is a number of requests a second, such as 20/s.');
  return {
    concurrency: count,
    ratePerSecond: perSecond === null ? null : Number(perSecond),
    waitMs: wait || timeout !== undefined ? durationMs(timeout ?? '10m', '--wait-timeout') : null,
    confirmedTotals: readTotals(flags['confirm-total'] ?? []),
    skipsPaid: flags['skip-paid'],
    clearsStop: false,
  };
}

export function readTotals(texts: readonly string[]): Map<string, string> {
  const totals = new Map<string, string>();
  for (const text of texts) {
    const [currency = '', amount = ''] = text.split(':');
    if (!/^[A-Za-z]{3}$/.test(currency) || !AMOUNT_PATTERN.test(amount))
      throw usageFailure('--confirm-total is a currency and an amount, such as VES:1500.00.');
    if (totals.has(currency.toUpperCase()))
      throw usageFailure(`--confirm-total names ${currency.toUpperCase()} twice.`);
    totals.set(currency.toUpperCase(), amount);
  }
  return totals;
}
