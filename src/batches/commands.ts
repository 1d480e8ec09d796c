import * as Flags from '@oclif/core/flags';
import { ROW_STATES, STATE_WORDS, statesOf } from '../storage/batches/row-state.js';
import {
  applyFlags,
  batchArgs,
  bulkFlags,
  continuingFlags,
  fileArgs,
  planArgs,
  planFlags,
  sendingExitCodes,
  signersFlag,
  sshKey,
} from './flags.js';
import { command } from '../command/command.js';
import { grouped, takes, repeatable } from '../command/line/flags.js';
import { idBeginning, isUuid } from '../contract/notation.js';
import type { Direction } from '../contract/operation.js';
import { allRowsFlags, rowsMethodFlag } from '../payments/body-flags.js';
import { Failure } from '../runtime/failure.js';

const lists = () => import('./list.js');

const ROWS_SCHEMA = 'BatchRows';
const OUTCOME_GROUP = { helpGroup: 'WHAT BECAME OF IT' };

const againstFlag = {
  against: Flags.string({
    summary: 'Earlier plan to compare with; repeatable',
    ...repeatable,
    ...takes('file'),
  }),
};

export const BATCHES = {
  apply: command({
    summary: 'Send a plan that other people approved, and nothing else.',
    prints: 'BatchSummary',
    examples: ['svc batches apply payroll.plan', 'svc batches apply payroll.plan --wait'],
    exits: [...sendingExitCodes, 14],
    namesGlobal: ['live'],
    args: planArgs,
    flags: applyFlags,
    run: async (run) => (await import('./apply.js')).applyPlan(run, run.args.plan),
  }),

  approve: command({
    summary: 'Approve a plan with your ssh key, once you have typed its total.',
    prints: 'ApprovedPlan',
    description:
      'It shows what "svc batches review" shows, and writes the signature beside the plan. It sends nothing and needs no API key. Who made a plan does not approve it.',
    examples: [
      'svc batches approve payroll.plan --ssh-key ~/.ssh/id_ed25519',
      'svc batches approve payroll.plan --against earlier.plan --ssh-key ~/.ssh/id_ed25519_sk',
    ],
    exits: [14],
    heeds: [],
    args: planArgs,
    flags: {
      'ssh-key': Flags.string({ ...sshKey, required: true }),
      ...againstFlag,
      ...signersFlag,
      'confirm-total': Flags.string({
        summary: 'Total of the plan, in place of typing it; once per currency',
        helpValue: 'CUR:AMOUNT',
        ...repeatable,
      }),
    },
    run: async (run) => (await import('./approve.js')).approvePlan(run, run.args.plan),
  }),

  drop: command({
    summary: 'Remove the unsent rows of a batch, so that you can send a corrected file.',
    prints: 'BatchDropped',
    examples: ['svc batches drop $BATCH', 'svc batches drop $BATCH --jq .rows_dropped'],
    exits: [5, 15],
    args: batchArgs,
    run: async (run) => (await import('./drop.js')).dropBatch(run, run.args.name),
  }),

  export: command({
    summary: 'Print the rows of a batch and what became of each: a table at a terminal, else CSV.',
    prints: { text: 'CSV: a header, then a line for each row' },
    printsWith: {
      '--output ndjson': { lines: ['BatchRow'] },
      '--output json': ROWS_SCHEMA,
      '--json': ROWS_SCHEMA,
      '--jq': ROWS_SCHEMA,
    },
    examples: [
      'svc batches export $BATCH > results.csv',
      'svc batches export $BATCH --state failed,rejected',
      'svc batches export $BATCH --state failed -o ndjson',
    ],
    exits: [5],
    args: batchArgs,
    flags: {
      state: Flags.string({
        summary: 'Only rows in these states, separated by commas',
        options: STATE_WORDS,
        ...repeatable,
        delimiter: ',',
      }),
    },
    async run(run) {
      const { exportBatch } = await import('./export.js');
      const { state: stateWords } = run.flags;
      const selectedStates = STATE_WORDS.filter((word) => stateWords?.includes(word)).flatMap(statesOf);
      const states = ROW_STATES.filter((state) => stateWords === undefined || selectedStates.includes(state));
      await exportBatch(run, run.args.name, states);
    },
  }),

  forget: command({
    summary: 'Remove the request bodies of a finished batch, with their personal data.',
    prints: 'BatchForgotten',
    examples: ['svc batches forget $BATCH', 'svc batches forget $BATCH --jq .bodies_removed'],
    exits: [5, 15],
    args: batchArgs,
    run: async (run) => (await import('./drop.js')).forgetBatch(run, run.args.name),
  }),

  list: command({
    summary: 'List the batches, and how each stands.',
    prints: 'BatchList',
    examples: ['svc batches list', "svc batches list --jq '.batches[].batch'"],
    run: async (run) => (await lists()).listBatches(run),
  }),

  resolve: command({
    summary: 'Say what became of a row that needs review.',
    prints: 'BatchSummary',
    description:
      'Nothing is sent. With --not-paid svc asks the service first; then the row counts as failed, and "svc batches retry" sends it again.',
    examples: [
      'svc batches resolve $BATCH --reference emp-0001 --operation $ID',
      'svc batches resolve $BATCH --reference emp-0002 --not-paid',
    ],
    exits: [5, 10, 11, 15],
    needs: ['reference'],
    args: batchArgs,
    flags: {
      reference: Flags.string({
        summary: 'Reference of the row',
        helpValue: 'REF',
        required: true,
        ...OUTCOME_GROUP,
      }),
      operation: Flags.string({
        summary: 'The row became this operation (of the same reference)',
        helpValue: 'ID',
        ...OUTCOME_GROUP,
      }),
      'not-paid': Flags.boolean({ summary: 'The row was not paid', ...OUTCOME_GROUP }),
      'skip-feed-check': continuingFlags['skip-feed-check'],
      'same-company': continuingFlags['same-company'],
    },
    async run(run) {
      const { operation, 'not-paid': isNotPaid } = run.flags;
      const isOneFlag = operation === undefined ? isNotPaid : !isNotPaid;
      if (!isOneFlag) throw new Failure('usage', 'Add --operation ID or --not-paid. Nothing was changed.');
      if (operation !== undefined && !isUuid(operation) && idBeginning(operation) === null) {
        const message =
          '--operation takes the id of an operation, or 6 or more of its first characters. Nothing was changed.';
        throw new Failure('usage', message);
      }
      const { completeIdFlag } = await import('../payments/operations/short-id.js');
      const { resolveRow } = await import('./resolve.js');
      await resolveRow(await completeIdFlag(run, 'operation'), run.args.name);
    },
  }),

  resume: command({
    summary: 'Send what was not sent or not answered, with the same keys: nothing is paid twice.',
    prints: 'BatchSummary',
    examples: ['svc batches resume $BATCH', 'svc batches resume $BATCH --wait'],
    exits: sendingExitCodes,
    namesGlobal: ['live'],
    args: batchArgs,
    flags: continuingFlags,
    run: async (run) => (await import('./resume.js')).resumeBatch(run, run.args.name),
  }),

  retry: command({
    summary: 'Send the failed and rejected rows again, as new operations, and no other row.',
    prints: 'BatchSummary',
    examples: ['svc batches retry $BATCH', 'svc batches retry $BATCH --wait'],
    exits: sendingExitCodes,
    namesGlobal: ['live'],
    args: batchArgs,
    flags: {
      ...grouped('WHICH ROWS', {
        failed: Flags.boolean({ summary: 'The rows that failed or were rejected; no longer needed' }),
      }),
      ...continuingFlags,
    },
    run: async (run) => (await import('./resume.js')).retryBatch(run, run.args.name),
  }),

  review: command({
    summary: 'Look at a plan before you approve it: what it pays, and what is other than before.',
    prints: 'PlanReview',
    description: 'It needs no key and no network, and sends nothing.',
    examples: [
      'svc batches review payroll.plan',
      'svc batches review payroll.plan --against earlier.plan',
      'svc batches review payroll.plan --jq .totals',
    ],
    exits: [14],
    heeds: [],
    args: planArgs,
    flags: { ...againstFlag, ...signersFlag },
    run: async (run) => (await import('./approve.js')).reviewPlan(run, run.args.plan),
  }),

  status: command({
    summary: 'Show how a batch stands, in rows and in money.',
    prints: 'BatchStatus',
    examples: ['svc batches status $BATCH', 'svc batches status $BATCH --jq .not_sent'],
    exits: [5],
    args: batchArgs,
    run: async (run) => (await lists()).showBatch(run, run.args.name),
  }),
};

const sendFile = (direction: Direction, summary: string, examples: string[]) =>
  command({
    summary,
    prints: 'BatchSummary',
    printsWith: {
      '--template': { text: 'An example file: CSV' },
      '--dry-run': 'BatchDryRun',
      ...(direction === 'payout' && { '--plan': 'Plan' }),
    },
    examples,
    exits: [...sendingExitCodes, 14],
    namesGlobal: ['live'],
    args: fileArgs,
    flags: {
      ...bulkFlags,
      ...grouped('WHAT IS PAID', { method: rowsMethodFlag(direction), ...allRowsFlags(direction) }),
      ...(direction === 'payout' && planFlags),
    },
    async run(run) {
      const { runFileOrTemplate } = await import('./send-file.js');
      await runFileOrTemplate(run, direction, run.args.file);
    },
  });

export const PAYIN_BATCH = {
  batch: sendFile('payin', 'Collect from everyone in a file; safe to stop and to run again.', [
    'svc payins batch fees.csv --batch fees-2026-09',
    'svc payins batch fees.csv --country VE --currency VES --method direct_debit --wait',
  ]),
};

export const PAYOUT_BATCH = {
  batch: sendFile('payout', 'Pay everyone in a file; safe to stop and to run again.', [
    'svc payouts batch payroll.csv --batch payroll-2026-09',
    'svc payouts batch payroll.csv --country VE --currency VES --method mobile_payment --dry-run',
    'svc payouts batch --template --method bank_transfer > payroll.csv',
    'svc payouts batch payroll.csv --batch payroll-2026-09 --plan payroll.plan --ssh-key ~/.ssh/id_ed25519',
  ]),
};
