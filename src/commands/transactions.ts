/** `svc transactions`: one operation, of either direction. */
import { callEndpoint } from '../cli/call/endpoint-call.js';
import { command } from '../cli/command.js';
import { withWholeId } from '../cli/feed/short-id.js';
import { operationArgs, readFlags } from '../cli/line/flags.js';

export const TRANSACTIONS = {
  get: command({
    endpoint: 'transactions.get',
    summary: 'Show an operation, pay-in or payout.',
    examples: ['svc transactions get $ID', 'svc transactions get $ID --wait --exit-status'],
    args: operationArgs,
    flags: readFlags,
    async run(typed) {
      const run = await withWholeId(typed);
      await callEndpoint(run, () => ({ id: run.args.id }));
    },
  }),

  trace: command({
    summary: 'Show what became of an operation, step by step.',
    examples: ['svc transactions trace $ID', "svc transactions trace $ID --jq '.timeline[]'"],
    exits: [5, 10, 11],
    args: operationArgs,
    async run(typed) {
      const run = await withWholeId(typed);
      const { traceOperation } = await import('./transactions/time-line.js');
      await traceOperation(run, run.args.id);
    },
  }),
};
