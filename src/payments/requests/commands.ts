import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { command } from '../../command/command.js';
import { skipFeedCheckFlag } from '../../command/line/flags.js';
import { idBeginning, isUuid } from '../../contract/notation.js';
import { Failure } from '../../runtime/failure.js';

const KEY_ARG = { description: 'Idempotency key', ignoreStdin: true };
const optionalKeyArgs = { key: Args.string(KEY_ARG) };

const sameCompanyFlag = Flags.boolean({
  summary: 'The key is of the company that sent it (live: add --yes)',
});

export const REQUESTS = {
  forget: command({
    summary: 'Remove open requests from this machine; nothing is sent.',
    prints: 'RequestsForgotten',
    description:
      'A request that is forgotten may have paid, and nobody can repeat it. At a terminal svc asks first; live, you type the total. Without a terminal it needs --yes.',
    examples: ['svc requests forget $KEY --yes', 'svc requests forget --all --yes'],
    exits: [5],
    namesGlobal: ['yes'],
    args: optionalKeyArgs,
    flags: { all: Flags.boolean({ summary: 'Every open request' }) },
    async run(run) {
      requireOneOrAll(run.args.key, run.flags.all);
      const { forgetRequests } = await import('./forget.js');
      await forgetRequests(run, run.args.key ?? null);
    },
  }),

  list: command({
    summary: 'List the requests without an answer: their outcome is unknown.',
    prints: 'RequestList',
    examples: ['svc requests list', "svc requests list --jq '.requests[].idempotency_key'"],
    run: async (run) => (await import('./list.js')).listRequests(run),
  }),

  repeat: command({
    summary: 'Send an open request again: the same key, the same bytes, the same address.',
    prints: 'Operacion',
    printsWith: { '--all': { lines: ['Operacion'] } },
    description:
      'With --all svc repeats each, and names those it must not repeat. It exits with 12 if an outcome stays unknown, else 13, else 10 or 11, else 0. Live at a terminal, svc asks before each.',
    examples: [
      'svc requests repeat $KEY',
      'svc requests repeat $KEY --jq .status',
      'svc requests repeat --all',
    ],
    exits: [5, 6, 7, 9, 10, 11, 12],
    namesGlobal: ['live'],
    args: optionalKeyArgs,
    flags: {
      all: Flags.boolean({ summary: 'Every open request, the oldest first' }),
      'same-company': sameCompanyFlag,
      'skip-feed-check': skipFeedCheckFlag,
    },
    async run(run) {
      requireOneOrAll(run.args.key, run.flags.all);
      const { key } = run.args;
      if (key === undefined) await (await import('./repeat.js')).repeatAll(run);
      else await (await import('./repeat.js')).repeatRequest(run, key);
    },
  }),

  resolve: command({
    summary: 'Say what became of an open request; nothing is sent.',
    prints: 'RequestResolved',
    description: 'An operation said to be confirmed and failed is read once, and needs no KEY.',
    examples: ['svc requests resolve $KEY --operation $ID', 'svc requests resolve $KEY --not-paid'],
    exits: [5, 10, 11],
    args: optionalKeyArgs,
    flags: {
      operation: Flags.string({
        summary: 'It became this operation (same direction and reference)',
        helpValue: 'ID',
      }),
      'not-paid': Flags.boolean({ summary: 'It was not paid; svc asks the service first' }),
      'same-company': sameCompanyFlag,
    },
    async run(run) {
      const { operation, 'not-paid': isNotPaid } = run.flags;
      const isOneFlag = operation === undefined ? isNotPaid : !isNotPaid;
      if (!isOneFlag) throw new Failure('usage', 'Add --operation ID or --not-paid. Nothing was changed.');
      if (operation === undefined && run.args.key === undefined)
        throw new Failure('usage', 'Name the KEY that was not paid. Nothing was changed.');
      if (operation !== undefined && !isUuid(operation) && idBeginning(operation) === null)
        throw new Failure('usage', '--operation must be the id of an operation. Nothing was changed.');
      const { completeIdFlag } = await import('../operations/short-id.js');
      const { resolveRequest } = await import('./resolve.js');
      await resolveRequest(await completeIdFlag(run, 'operation'), run.args.key);
    },
  }),

  show: command({
    summary: 'Show an open request and its exact body.',
    prints: 'RequestWhole',
    examples: ['svc requests show $KEY', 'svc requests show $KEY --jq .body'],
    exits: [5],
    args: { key: Args.string({ ...KEY_ARG, required: true }) },
    run: async (run) => (await import('./list.js')).showRequest(run, run.args.key),
  }),
};

function requireOneOrAll(key: string | undefined, isAll: boolean): void {
  const isOneChoice = key === undefined ? isAll : !isAll;
  if (!isOneChoice) throw new Failure('usage', 'Name one key of "svc requests list", or add --all.');
}
