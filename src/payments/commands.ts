import * as Flags from '@oclif/core/flags';
import { command } from '../command/command.js';
import { payinFlags, payoutFlags } from './body-flags.js';
import { operationArgs, readFlags, waitFlags } from '../command/line/flags.js';
import { mayConverse } from '../command/line/terminal.js';
import type { Direction } from '../contract/operation.js';

const calls = () => import('../command/call.js');
const shortIds = () => import('./operations/short-id.js');

const cancel = (direction: Direction, summary: string) =>
  command({
    endpoint: `${direction}s.cancel`,
    summary,
    examples: [`svc ${direction}s cancel $ID`, `svc ${direction}s cancel $ID --jq .status`],
    namesGlobal: ['live'],
    args: operationArgs,
    async run(typedRun) {
      const { completeTypedId, withDirectionHint } = await shortIds();
      const run = await completeTypedId(typedRun, 'shown');
      const { cancelOperation } = await import('./confirm.js');
      await withDirectionHint(run, () => cancelOperation(run, run.args.id));
    },
  });

const create = (
  direction: Direction,
  summary: string,
  declaration: { flags: typeof payinFlags | typeof payoutFlags; needs: string[]; examples: string[] },
) =>
  command({
    endpoint: `${direction}s.create`,
    summary,
    printsWith: { '--dry-run': 'DryRun' },
    ...declaration,
    namesGlobal: ['live'],
    run: async (run) => (await import('./create.js')).createOperation(run),
  });

const get = (noun: Direction | 'transaction', summary: string) =>
  command({
    endpoint: `${noun}s.get`,
    summary,
    examples: [`svc ${noun}s get $ID`, `svc ${noun}s get $ID --wait --exit-status`],
    args: operationArgs,
    flags: readFlags,
    async run(typedRun) {
      const { completeTypedId, withDirectionHint } = await shortIds();
      const run = await completeTypedId(typedRun);
      const { callEndpoint } = await calls();
      await withDirectionHint(run, () => callEndpoint(run, () => ({ id: run.args.id })));
    },
  });

export const PAYINS = {
  cancel: cancel('payin', 'Cancel a pay-in that still waits for its payment.'),

  confirm: command({
    endpoint: 'payins.confirm',
    summary: 'Confirm a pay-in with the code of its payer; a wrong code ends it.',
    examples: [
      'svc payins confirm $ID --code 123456',
      'printf 123456 | svc payins confirm $ID --code - --wait',
    ],
    exits: [8, 9],
    namesGlobal: ['live'],
    args: operationArgs,
    flags: {
      code: Flags.string({
        summary: 'The code, or - for standard input; at a terminal svc asks',
        helpValue: 'CODE',
      }),
      ...waitFlags,
    },
    async run(typedRun) {
      const run = await (await shortIds()).completeTypedId(typedRun, 'shown');
      const { args, flags, ports } = run;
      const { converse, printFlowEnd } = await import('./dialogue/may-ask.js');
      const { callOpen, judgeCall, openEndpoint, readCode } = await calls();
      const sessionRun = await openEndpoint(run);
      const mayAsk = flags.code === undefined && mayConverse(ports, flags);
      if (mayAsk) await judgeCall(sessionRun, { id: args.id });
      const subject = { direction: 'payin', draft: null, id: args.id } as const;
      const flowEnd = mayAsk ? await converse(sessionRun, subject) : null;
      if (flowEnd !== null) return printFlowEnd(sessionRun, flowEnd);
      await callOpen(sessionRun, async () => {
        const code = await readCode(flags.code, ports);
        return { id: args.id, body: Buffer.from(JSON.stringify({ code })), secrets: [code] };
      });
    },
  }),

  create: create('payin', 'Collect money from a person.', {
    flags: payinFlags,
    needs: ['method', 'amount', 'payer'],
    examples: [
      'svc payins create --method debit_otp --country VE --currency VES --amount 10.00 --payer document.type=V ' +
        '--payer document.number=12345678 --payer bank_code=0102 --payer phone=04121234567',
      'svc payins create --method debit_otp --interactive',
      'svc payins create --data @payin.json --wait',
    ],
  }),

  get: get('payin', 'Show a pay-in.'),

  resend: command({
    endpoint: 'payins.resend',
    summary: 'Send the payer a new code; the old one stops working.',
    examples: ['svc payins resend $ID', 'svc payins resend $ID --jq .status'],
    namesGlobal: ['live'],
    args: operationArgs,
    async run(typedRun) {
      const run = await (await shortIds()).completeTypedId(typedRun, 'shown');
      await (await calls()).callEndpoint(run, () => ({ id: run.args.id }));
    },
  }),
};

export const PAYOUTS = {
  cancel: cancel('payout', 'Cancel a payout that is not executed yet.'),

  create: create('payout', 'Send money to a person.', {
    flags: payoutFlags,
    needs: ['method', 'amount', 'beneficiary'],
    examples: [
      'svc payouts create --method mobile_payment --country VE --currency VES --amount 10.00 ' +
        '--beneficiary document.type=V --beneficiary document.number=12345678 --beneficiary bank_code=0102 ' +
        '--beneficiary account_number=04121234567',
      'svc payouts create --method mobile_payment --interactive',
      'svc payouts create --data @payout.json --idempotency-key invoice-2048',
    ],
  }),

  get: get('payout', 'Show a payout.'),
};

export const TRANSACTIONS = {
  get: get('transaction', 'Show an operation, pay-in or payout.'),

  trace: command({
    summary: 'Show what became of an operation, step by step.',
    prints: 'OperationTrace',
    examples: ['svc transactions trace $ID', "svc transactions trace $ID --jq '.timeline[]'"],
    exits: [5, 10, 11],
    args: operationArgs,
    async run(typedRun) {
      const run = await (await shortIds()).completeTypedId(typedRun);
      const { traceOperation } = await import('./operations/trace.js');
      await traceOperation(run, run.args.id);
    },
  }),
};
