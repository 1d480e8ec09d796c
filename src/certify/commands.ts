import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { command } from '../command/command.js';
import { receiverFlags, takes, repeatable } from '../command/line/flags.js';

const examFlags = {
  only: Flags.string({
    summary: 'Run only the cases whose id begins with ID; repeatable',
    helpValue: 'ID',
    ...repeatable,
  }),
  skip: Flags.string({
    summary: 'Leave out the cases whose id begins with ID; repeatable',
    helpValue: 'ID',
    ...repeatable,
  }),
  strict: Flags.boolean({ summary: 'Advice counts as failed', default: false }),
  jobs: Flags.string({ summary: 'How many cases run at the same time', helpValue: 'N', default: '1' }),
  junit: Flags.string({ summary: 'Write the report as JUnit XML too', ...takes('file') }),
};

export const CERTIFY = {
  client: command({
    summary: 'Examine a command that pays: lost answers, errors, refusals, deliveries twice.',
    prints: 'ExamReport',
    description:
      'COMMAND runs once for each case, beside a sandbox of its own, as svc sandbox exec runs it; SVC_CERTIFY is set. Each run is compared with two clean runs, by what the sandbox saw. Your profiles, stores and keys are not used. Case ids: svc certify list client.',
    examples: [
      'svc certify client -- npm test',
      'svc certify client --jobs 4 --points 1 -- npm test',
      "svc certify client --before 'npm run seed' --rerun -- npm test",
    ],
    exits: [19, 126, 127],
    heeds: [],
    words: 'needed',
    typedArguments: '[flags] -- COMMAND',
    args: { command: Args.string({ description: 'A program and its arguments', ignoreStdin: true }) },
    flags: {
      before: Flags.string({
        summary: 'Runs in a shell before each run: resets what COMMAND remembers',
        helpValue: 'COMMAND',
      }),
      rerun: Flags.boolean({
        summary: 'COMMAND may be started again after a failure: test that too',
        default: false,
      }),
      points: Flags.string({
        summary: 'Put each fault on at most N payments of each route',
        helpValue: 'N',
        default: '2',
      }),
      limit: Flags.string({
        summary: 'Stop a run after this time, or after ten times a clean run if that is longer',
        helpValue: 'DURATION',
        default: '60s',
      }),
      keep: Flags.boolean({
        summary: 'With one case: keep its sandbox and its page open until Ctrl-C',
        default: false,
      }),
      ...examFlags,
    },
    run: async (run) => (await import('./exam-client.js')).certifyClient(run, run.words),
  }),

  list: command({
    summary: 'List every case of the exams, with its section of the contract.',
    prints: 'ExamCases',
    examples: ['svc certify list', "svc certify list receiver --jq '.[].id'"],
    heeds: [],
    args: {
      exam: Args.string({
        description: 'receiver or client',
        options: ['receiver', 'client'],
        ignoreStdin: true,
      }),
    },
    run: async ({ ports, flags, args }) => (await import('./list.js')).listCases(ports, flags, args.exam),
  }),

  receiver: command({
    summary: 'Examine a receiver of deliveries: right ones, forged ones, the same one twice.',
    prints: 'ExamReport',
    description:
      'COMMANDs run in a shell, with SVC_OPERATION_ID, SVC_REFERENCE, SVC_EVENT_ID, SVC_TYPE, SVC_AMOUNT and SVC_CURRENCY. Cases with an effect ship goods: never examine a receiver of production.',
    examples: [
      'svc certify receiver --to http://localhost:3000/hooks --effect ./order-state',
      'svc certify receiver --to http://localhost:3000/hooks --skip twice --skip ping',
    ],
    exits: [11, 19],
    heeds: [],
    flags: {
      to: Flags.string({ summary: 'URL of the receiver', helpValue: 'URL', required: true }),
      effect: Flags.string({
        summary: "Prints the receiver's state for one operation; compared before and after",
        helpValue: 'COMMAND',
      }),
      given: Flags.string({
        summary: 'Makes an operation known to the receiver before its delivery',
        helpValue: 'COMMAND',
      }),
      settle: Flags.string({
        summary: 'The longest wait for an effect',
        helpValue: 'DURATION',
        default: '3s',
      }),
      'secret-file': Flags.string({
        summary: 'Signing secret [default: SVC_WEBHOOK_SECRET, or the one of events forward]',
        ...takes('file'),
      }),
      ...receiverFlags,
      ...examFlags,
    },
    run: async (run) => (await import('./exam-receiver.js')).certifyReceiver(run),
  }),
};
