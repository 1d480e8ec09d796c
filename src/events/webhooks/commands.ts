import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { command } from '../../command/command.js';
import { receiverFlags, SERVICE_FLAGS, takes, repeatable } from '../../command/line/flags.js';
import { EVENT_TYPES, type EventType } from '../../contract/events.js';

const jobs = () => import('./verify.js');

const heededFlags = ['profile', 'live', 'sandbox', 'base-url'] as const;

const secretFile = (fallback: string) => ({
  'secret-file': Flags.string({ summary: `Signing secret [default: ${fallback}]`, ...takes('file') }),
});

const secretFlags = secretFile('SVC_WEBHOOK_SECRET, or the stored one');

export const WEBHOOKS = {
  listen: command({
    summary: 'Receive deliveries on this machine, verify them, and print each event once.',
    prints: { lines: ['SignedEvent'] },
    examples: ['svc webhooks listen', 'svc webhooks listen --port 3000 > events.ndjson'],
    heeds: heededFlags,
    flags: {
      port: Flags.string({ summary: 'Port; 0 for any free one', helpValue: 'N', default: '4020' }),
      ...secretFlags,
    },
    run: async ({ ports, flags }) => (await import('./listen.js')).listen(ports, flags),
  }),

  register: command({
    endpoint: 'webhooks.register',
    summary: 'Register the URL that receives the events; its secret is stored, and shown once.',
    examples: [
      'svc webhooks register --url https://shop.example/hooks',
      'svc webhooks register --url https://shop.example/hooks --jq .secret',
    ],
    heeds: SERVICE_FLAGS,
    flags: { url: Flags.string({ summary: 'https URL of the receiver', helpValue: 'URL', required: true }) },
    run: async (run) => (await import('./register.js')).registerUrl(run, run.flags.url),
  }),

  sign: command({
    summary: 'Sign an event from standard input, and print the headers as JSON.',
    prints: 'DeliveryHeaders',
    examples: [
      'svc webhooks sign < event.json',
      `svc webhooks sign --at 1790000000 --secret-file secret.txt --jq '."X-Firma"' < event.json`,
    ],
    heeds: heededFlags,
    flags: {
      ...secretFlags,
      at: Flags.string({ summary: 'Time of signing, in Unix seconds [default: now]', helpValue: 'UNIX' }),
    },
    run: async (run) => (await jobs()).sign(run),
  }),

  trigger: command({
    summary: 'Send signed sample events to a receiver; also faulty ones, which it must reject.',
    prints: 'TriggeredDeliveries',
    examples: [
      'svc webhooks trigger payin.failed --to http://localhost:3000/hooks',
      'svc webhooks trigger payout.confirmed --to http://localhost:3000/hooks --set amount=10.00',
      'svc webhooks trigger payin.failed --to http://localhost:3000/hooks --bad-signature',
    ],
    exits: [6, 10, 11],
    heeds: heededFlags,
    args: {
      type: Args.string({
        description: EVENT_TYPES.join(', '),
        required: true,
        options: [...EVENT_TYPES],
        ignoreStdin: true,
      }),
    },
    flags: {
      to: Flags.string({ summary: 'URL of the receiver', helpValue: 'URL', required: true }),
      set: Flags.string({
        summary: 'Replace a value in the data of the event; repeatable',
        helpValue: 'PATH=VALUE',
        ...repeatable,
      }),
      times: Flags.string({ summary: 'How many events, each with its own id', helpValue: 'N', default: '1' }),
      'bad-signature': Flags.boolean({ summary: 'Sign with another secret' }),
      old: Flags.boolean({ summary: 'Sign with a time ten minutes ago' }),
      duplicate: Flags.boolean({ summary: 'Send each event twice, with the same id' }),
      ...secretFile('SVC_WEBHOOK_SECRET, or the forwarding secret'),
      ...receiverFlags,
    },
    async run({ ports, args, flags }) {
      const { trigger } = await import('./trigger.js');
      await trigger(ports, args.type as EventType, flags);
    },
  }),

  verify: command({
    summary: 'Verify a delivery from standard input, and print its event.',
    prints: 'SignedEvent',
    description:
      'Standard input is the raw body, or a whole HTTP request as receivers log it. A flag wins over a header of the request. A header wins over a variable. Nothing is sent.',
    examples: [
      'svc webhooks verify --signature "$X_FIRMA" --timestamp "$X_TIMESTAMP" < body.json',
      'svc webhooks verify --at 1790000000 --explain --jq .type < request.http',
    ],
    exits: [17],
    heeds: heededFlags,
    flags: {
      signature: Flags.string({
        summary: 'X-Firma [default: of the request, or SVC_WEBHOOK_SIGNATURE]',
        helpValue: 'TEXT',
      }),
      timestamp: Flags.string({
        summary: 'X-Timestamp [default: of the request, or SVC_WEBHOOK_TIMESTAMP]',
        helpValue: 'UNIX',
      }),
      ...secretFlags,
      at: Flags.string({ summary: 'Time to verify at, in Unix seconds [default: now]', helpValue: 'UNIX' }),
      tolerance: Flags.string({
        summary: 'Seconds that the timestamp may be off',
        helpValue: 'SECONDS',
        default: '300',
      }),
      explain: Flags.boolean({ summary: 'Name the likely cause of a rejection' }),
    },
    run: async (run) => (await jobs()).verifyInput(run),
  }),
};
