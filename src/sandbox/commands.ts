import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { command } from '../command/command.js';
import { offers, takes, repeatable } from '../command/line/flags.js';
import { SCOPES } from '../contract/access.js';
import { ENDPOINT_IDS } from '../contract/endpoints.js';
import { DELIVERY_FAULTS, FAULT_KINDS, ALIASES } from './store/faults.js';
import { DELIVERY_STATUSES } from './store/deliveries.js';
import { settingFlags } from './settings.js';

const loadAsk = () => import('./ask.js');
const loadExportImport = () => import('./export-import.js');

const controlCommand = {
  exits: [6, 7, 10, 11, 12],
  heeds: ['base-url'],
  namesGlobal: ['base-url'],
  globalSummaries: { 'base-url': 'The sandbox at this address [default: the one of this machine]' },
} as const;

const textFlag = (summary: string, helpValue: string) => Flags.string({ summary, helpValue });

const choiceFlag = (summary: string, options: readonly string[]) =>
  Flags.string({ summary, options: [...options] });

const argument = (description: string, more: { options?: string[]; required?: boolean } = {}) =>
  Args.string({ description, ignoreStdin: true, ...more });

const fileFlag = (summary: string, helpValue: string) =>
  Flags.string({ summary, ...takes('file'), helpValue });

const seedFlag = fileFlag('Begin with this state, as export printed it; reset goes back to it', 'FILE');

const pageFlags = {
  limit: textFlag('How many, 1 to 200 [default: 50]', 'N'),
  after: textFlag('Only after this one, oldest first', 'ID'),
  before: textFlag('Only before this one, newest first', 'ID'),
};

export const SANDBOX = {
  clock: command({
    ...controlCommand,
    summary: 'Show the time of the sandbox, or advance it.',
    prints: 'SandboxClock',
    examples: ['svc sandbox clock', 'svc sandbox clock advance 48h'],
    typedArguments: '[advance DURATION]',
    args: {
      action: argument('Move the clock forward', { options: ['advance'] }),
      duration: argument('How far: 30s, 5m, 48h, 2d'),
    },
    run: async (run) => (await loadAsk()).showOrMoveClock(run),
  }),

  deliveries: command({
    ...controlCommand,
    summary: 'List the deliveries to registered URLs, show one whole, or send one again.',
    prints: 'SandboxDeliveries',
    printsWith: { ID: 'SandboxDelivery', '--resend': 'SandboxDelivery' },
    description:
      'A running server sends them: svc sandbox start. With ID, svc shows that delivery, with both sides of each attempt.',
    examples: [
      'svc sandbox deliveries --status pending',
      'svc sandbox deliveries --operation $ID',
      "svc sandbox deliveries --limit 20 --jq '.deliveries[].result'",
    ],
    exits: [...controlCommand.exits, 5],
    args: { id: argument('Id of one delivery, or the start of one') },
    flags: {
      status: choiceFlag('Only this status', DELIVERY_STATUSES),
      operation: textFlag('Only of this operation', 'ID'),
      limit: textFlag('Only the newest, 1 to 200, newest first [default: all]', 'N'),
      resend: textFlag('Send this delivery again', 'ID'),
    },
    run: async (run) => (await loadAsk()).showOrResendDeliveries(run),
  }),

  exec: command({
    summary: 'Run a command beside a fresh sandbox of its own.',
    prints: { text: 'What the command prints' },
    description:
      'The sandbox is in memory, on a free port, and ends with the command. The command gets SVC_BASE_URL, SVC_API_KEY, SVC_SANDBOX_URL (ends in /sandbox), SVC_CONTROL_URL (ends in /_control) and SVC_HOME, a new empty folder: svc knows nothing of your profiles there. It gets no other SVC_ variable. Run by svc certify, the sandbox is one of the exam, and SVC_CERTIFY stays. With --live its key is a live one, and SVC_ENV=live and SVC_INSECURE_LOOPBACK=1 are set. No shell runs it. svc ends as the command ends. If the command fails, svc prints the requests that the sandbox refused, and why, and the deliveries that no receiver took.',
    examples: [
      'svc sandbox exec -- npm test',
      'svc sandbox exec --code 424242 --settle-after 60 -- npm test',
      'svc sandbox exec --seed state.json --keep end.json -- npm test',
      'svc sandbox exec --live -- npm test',
    ],
    exits: [11, 14, 126, 127],
    heeds: ['live'],
    words: 'needed',
    typedArguments: '[flags] -- COMMAND',
    args: { command: argument('A program and its arguments') },
    flags: {
      ...settingFlags,
      seed: seedFlag,
      keep: fileFlag('Write the state at the end here, for --seed', 'FILE'),
    },
    async run({ ports, words, flags }) {
      const { runBesideSandbox } = await import('./exec.js');
      await runBesideSandbox(ports, words, flags);
    },
  }),

  export: command({
    ...controlCommand,
    summary: 'Print the whole sandbox as one JSON document, to keep it.',
    prints: 'SandboxState',
    printsWith: { '--schema': 'JsonSchema' },
    description:
      'It has companies with keys and balances, operations, events, deliveries, URLs with their secrets, faults and the clock: keep it as you keep a key. The same state gives the same bytes.',
    examples: ['svc sandbox export > state.json', 'svc sandbox export --schema > state.schema.json'],
    flags: { schema: Flags.boolean({ summary: 'Print the JSON schema of such a document' }) },
    run: async (run) => (await loadExportImport()).exportState(run),
  }),

  fault: command({
    ...controlCommand,
    summary: 'Make the next requests of a route, or the next deliveries, fail in a chosen way.',
    prints: 'SandboxFaultArmed',
    printsWith: { '--list': 'SandboxFaults', '--clear': 'SandboxFaultsCleared' },
    description: 'A delivery fault loses no event: each one still arrives, well signed.',
    examples: [
      'svc sandbox fault --route balances --status 503',
      'svc sandbox fault --route payouts.create --kind drop-after',
      'svc sandbox fault --route payouts.create --status 502 --after',
      'svc sandbox fault --route payouts.create --failure rejected/other --count 2',
      'svc sandbox fault --route payins.confirm --pending',
      'svc sandbox fault --route events.list --delay 2s --skip 1',
      'svc sandbox fault --delivery duplicate',
      'svc sandbox fault --delivery hold --for 24h --count 10',
      'svc sandbox fault --list',
      'svc sandbox fault --clear',
    ],
    flags: {
      route: Flags.string({
        summary: 'An endpoint, such as payouts.create, or * for all',
        options: ['*', ...ENDPOINT_IDS, ...ALIASES],
        ...offers(['*', ...ENDPOINT_IDS]),
        helpValue: 'ROUTE',
      }),
      kind: choiceFlag('What happens [default: by --status, --failure, --delay]', FAULT_KINDS),
      status: textFlag('Answer with this status', 'N'),
      'retry-after': textFlag('With --status: the wait to ask for', 'DURATION'),
      after: Flags.boolean({ summary: 'With --status: carry the request out first' }),
      failure: textFlag('Fail the operation with this code and reason', 'CODE/REASON'),
      pending: Flags.boolean({
        summary: 'Keep the operation pending until you settle it: svc sandbox operations ID --settle',
      }),
      delay: textFlag('Hold the answer back', 'DURATION'),
      truncated: Flags.boolean({ summary: 'Carry the request out and cut the answer in the middle' }),
      silent: Flags.boolean({ summary: 'Carry the request out and never answer' }),
      skip: textFlag('Let so many requests of the route pass first', 'N'),
      match: textFlag('Only requests of this reference', 'REFERENCE'),
      delivery: choiceFlag('Of the next deliveries, not of requests', DELIVERY_FAULTS),
      for: textFlag('With --delivery: how long it lasts', 'DURATION'),
      list: Flags.boolean({ summary: 'Show what is armed' }),
      clear: Flags.boolean({ summary: 'Remove all faults, and let go what they hold' }),
      count: textFlag('How many it affects [default: 1]', 'N'),
    },
    run: async (run) => (await loadAsk()).armOrClearFaults(run),
  }),

  import: command({
    ...controlCommand,
    summary: 'Replace the whole sandbox by a document that export printed.',
    prints: 'SandboxImported',
    description:
      'svc checks the file first: one that is wrong changes nothing. Then it replaces everything at once, the clock too, and forgets what it knew of this sandbox, as reset does.',
    examples: ['svc sandbox import state.json', 'svc sandbox import - < state.json'],
    exits: [...controlCommand.exits, 14],
    args: { file: argument('The document, or - for standard input', { required: true }) },
    run: async (run) => (await loadExportImport()).importState(run),
  }),

  key: command({
    ...controlCommand,
    summary: 'Make an API key of the sandbox, and its company if it is new.',
    prints: 'SandboxKey',
    examples: [
      'svc sandbox key --company acme --scope operaciones:leer',
      'svc sandbox key --environment live --jq .api_key',
    ],
    flags: {
      company: textFlag('The company [default: default]', 'NAME'),
      scope: Flags.string({
        summary: 'Scope of the key; repeatable [default: all]',
        options: [...SCOPES],
        ...repeatable,
      }),
      environment: choiceFlag('live is for rehearsals [default: sandbox]', ['sandbox', 'live']),
      operator: Flags.boolean({ summary: 'Its operations are created_by an operator' }),
    },
    run: async (run) => (await loadAsk()).makeKey(run),
  }),

  operations: command({
    ...controlCommand,
    summary: 'List the operations of the sandbox, newest first, or decide one.',
    prints: 'SandboxOperations',
    printsWith: {
      '--settle': 'SandboxOperation',
      '--expire': 'SandboxOperation',
      ID: 'SandboxOperationWhole',
    },
    description: 'With ID, svc shows that operation, or decides it with --settle or --expire.',
    examples: [
      'svc sandbox operations --waits',
      'svc sandbox operations $ID --settle failed --failure limit_exceeded/daily_limit',
      'svc sandbox operations $ID --expire',
    ],
    exits: [...controlCommand.exits, 5],
    args: { id: argument('Id of one operation, or the start of one') },
    flags: {
      ...pageFlags,
      status: choiceFlag('Only this status', ['pending', 'confirmed', 'failed']),
      search: textFlag('Part of an id or a reference', 'TEXT'),
      waits: Flags.boolean({ summary: 'Only those that wait for a code, a payment or the bank' }),
      settle: choiceFlag('The answer of the bank', ['confirmed', 'failed']),
      failure: textFlag('With --settle failed: the reason', 'CODE/REASON'),
      expire: Flags.boolean({ summary: 'End its window, or its code, now' }),
    },
    run: async (run) => (await loadAsk()).showOrDecideOperations(run),
  }),

  payment: command({
    ...controlCommand,
    summary: "Let a payer's money arrive.",
    prints: 'SandboxAttribution',
    examples: [
      'svc sandbox payment --for $ID',
      'svc sandbox payment --method incoming_transfer --currency VES --amount 10.00 --bank-code 0102 ' +
        '--document-type V --document-number 12345678',
    ],
    flags: {
      for: textFlag('Exactly what this pay-in waits for', 'ID'),
      method: Flags.string({ summary: 'An incoming method', ...takes('method') }),
      currency: Flags.string({ summary: 'Currency', ...takes('currency') }),
      amount: textFlag('Amount', 'AMOUNT'),
      'bank-code': textFlag('Bank code of the sender', 'CODE'),
      phone: textFlag('Phone of the payer', 'PHONE'),
      'document-type': textFlag("Type of the payer's document", 'TYPE'),
      'document-number': textFlag("Number of the payer's document", 'NUMBER'),
    },
    run: async (run) => (await loadAsk()).makePayment(run),
  }),

  ping: command({
    ...controlCommand,
    summary: 'Send test.ping, a signed test delivery; not stored as an event.',
    prints: 'SandboxPing',
    examples: ['svc sandbox ping', 'svc sandbox ping --company default'],
    flags: {
      company: textFlag('The company [default: default]', 'NAME'),
      environment: choiceFlag('Its environment [default: sandbox]', ['sandbox', 'live']),
    },
    run: async (run) => (await loadAsk()).sendPing(run),
  }),

  requests: command({
    ...controlCommand,
    summary: 'Show the latest requests to the sandbox, and why one was refused.',
    prints: 'SandboxRequests',
    printsWith: { ID: 'SandboxRequestWhole', '--follow': { lines: ['SandboxRequest'] } },
    description:
      'svc keeps the last 1,000; keys and codes are masked. Without a server it keeps only those that changed something.',
    examples: [
      'svc sandbox requests --status 4xx',
      'svc sandbox requests --follow',
      'svc sandbox requests 12 --jq .request.body',
    ],
    exits: [...controlCommand.exits, 5, 141],
    args: { id: argument('Number of one request: show both its sides') },
    flags: {
      ...pageFlags,
      follow: Flags.boolean({ summary: 'Print each new request, until you stop it' }),
      status: textFlag('404, 4xx, or cut (ended by a fault)', 'STATUS'),
    },
    run: async (run) => (await loadAsk()).showRequests(run),
  }),

  reset: command({
    ...controlCommand,
    summary: 'Empty the sandbox; the key of its default company stays.',
    prints: 'SandboxReset',
    description:
      'A sandbox that was started with --seed goes back to that state, with its clock and key, whatever was imported since. A store that svc cannot use (damaged, or of a newer svc) is replaced, with a new key.',
    examples: ['svc sandbox reset', 'svc sandbox reset --jq .reset'],
    run: async (run) => (await loadAsk()).resetSandbox(run),
  }),

  start: command({
    summary: 'Serve the sandbox over HTTP on this machine.',
    prints: 'SandboxReady',
    examples: [
      'svc sandbox start --open',
      'svc sandbox start --port 0 --store :memory: --json',
      'svc sandbox start --allow-http-webhooks --settle-after 5',
      'svc sandbox start --store :memory: --seed state.json',
    ],
    exits: [14, 15],
    heeds: ['ca-file'],
    flags: {
      port: Flags.string({
        summary: 'Port on 127.0.0.1; 0 for any free one',
        helpValue: 'N',
        default: '4010',
      }),
      store: fileFlag('A file, or :memory: [default: in your data folder]', 'PATH'),
      ...settingFlags,
      'allow-http-webhooks': Flags.boolean({ summary: 'Accept http:// webhook URLs on this machine' }),
      open: Flags.boolean({ summary: 'Open its page in the browser; also of one that runs already' }),
      seed: seedFlag,
    },
    run: async (run) => (await import('./start.js')).serveSandbox(run),
  }),

  status: command({
    ...controlCommand,
    summary: 'Show the time of the sandbox, its code, and how much is in it.',
    prints: 'SandboxStatus',
    examples: ['svc sandbox status', 'svc sandbox status --jq .now'],
    exits: [10, 11],
    run: async (run) => (await loadAsk()).showStatus(run),
  }),
};
