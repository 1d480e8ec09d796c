import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { command } from '../../command/command.js';
import { SERVICE_FLAGS, takes } from '../../command/line/flags.js';

export const SCHEMA = command({
  summary: 'Print the contract for programs: OpenAPI, JSON Schema, or the commands of svc.',
  prints: 'OpenApi',
  printsWith: { '--yaml': { text: 'The same as YAML' }, '--commands': 'Commands', WHAT: 'JsonSchema' },
  description:
    'Without WHAT: the whole API as OpenAPI 3.1. WHAT is an endpoint with a body, such as payouts.create, or "events" for deliveries. ' +
    '--method asks the service for its catalog; nothing else asks for anything.',
  examples: [
    'svc schema > openapi.json',
    'svc schema --yaml > openapi.yaml',
    'svc schema payouts.create --method mobile_payment',
    'svc schema events',
    "svc schema --commands --jq '.commands[].id'",
  ],
  exits: [10, 11],
  heeds: SERVICE_FLAGS,
  args: {
    what: Args.string({
      description: 'An endpoint with a body, or "events"',
      required: false,
      ignoreStdin: true,
    }),
  },
  flags: {
    method: Flags.string({ summary: 'The body as this method takes it now', ...takes('method') }),
    country: Flags.string({ summary: 'The country of the method', ...takes('country') }),
    currency: Flags.string({ summary: 'The currency of the method', ...takes('currency') }),
    yaml: Flags.boolean({ summary: 'Print YAML' }),
    commands: Flags.boolean({ summary: 'Describe the commands of svc: flags, exit codes, errors' }),
  },
  run: async (run) => (await import('./print.js')).printSchema(run, run.args.what),
});
