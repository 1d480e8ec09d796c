import * as Flags from '@oclif/core/flags';
import { command } from '../command/command.js';
import { LIMITS } from '../contract/limits.js';
import { grouped, receiverFlags, SERVICE_FLAGS, repeatable } from '../command/line/flags.js';

const jobs = () => import('./follow-feed.js');
const ids = () => import('../payments/operations/short-id.js');

const feedExitCodes = [6, 10, 11, 15];

const feedFlags = {
  ...grouped('WHICH EVENTS', {
    from: Flags.string({ summary: 'Where to start [default: start]', helpValue: 'start|now|CURSOR' }),
    type: Flags.string({
      summary: 'Only this type, such as payout.failed; repeatable',
      helpValue: 'TYPE',
      ...repeatable,
    }),
    reference: Flags.string({ summary: 'Only operations of this reference', helpValue: 'TEXT' }),
    id: Flags.string({ summary: 'Only this operation', helpValue: 'ID' }),
  }),
  ...grouped('HOW IT FOLLOWS', {
    checkpoint: Flags.string({
      summary: 'Store the position under NAME, and continue from it',
      helpValue: 'NAME',
    }),
    'no-follow': Flags.boolean({ summary: 'Stop at the end of the feed' }),
    interval: Flags.string({
      summary: 'Time between two looks for new events [default: 2s]',
      helpValue: 'DURATION',
    }),
  }),
  ...grouped('AS A SERVICE', {
    health: Flags.string({ summary: 'Serve /healthz and /metrics; 0: any port', helpValue: 'PORT' }),
    'health-host': Flags.string({ summary: 'Address of --health [default: 127.0.0.1]', helpValue: 'HOST' }),
    'max-lag': Flags.string({
      summary: '/healthz fails if further behind [default: 5m]',
      helpValue: 'DURATION',
    }),
    log: Flags.string({ summary: 'Format of the notes on standard error', options: ['text', 'json'] }),
  }),
};

export const EVENTS = {
  forward: command({
    summary: 'Deliver the events to your receiver as signed webhooks, in order.',
    prints: 'nothing',
    printsWith: { '--print-secret': { text: 'The secret' } },
    examples: [
      'svc events forward --print-secret',
      'svc events forward --to http://localhost:3000/hooks --checkpoint hooks',
      'svc events forward --to http://localhost:3000/hooks --checkpoint hooks --health 9180 --log json',
    ],
    exits: [...feedExitCodes, 5],
    needs: ['to'],
    flags: {
      ...grouped('WHERE THEY GO', {
        to: Flags.string({ summary: 'URL of the receiver', helpValue: 'URL' }),
        ...receiverFlags,
        'print-secret': Flags.boolean({ summary: 'Print the secret that signs them, and exit' }),
      }),
      ...feedFlags,
    },
    run: async (run) => (await jobs()).forwardEvents(await (await ids()).completeIdFlag(run, 'id')),
  }),

  list: command({
    endpoint: 'events.list',
    summary: 'List events in order: one page, or all.',
    printsWith: {
      '--output json': 'ListaDeEventos',
      '--json': 'ListaDeEventos',
      '--all': { lines: ['Evento'] },
    },
    examples: ['svc events list --limit 20', "svc events list --all --jq '.type'"],
    heeds: SERVICE_FLAGS,
    flags: {
      cursor: Flags.string({
        summary: 'Start after this cursor (next_cursor of a page)',
        helpValue: 'CURSOR',
      }),
      limit: Flags.string({
        summary: `Events per page, ${String(LIMITS.eventsPageMin)} to ${String(LIMITS.eventsPageMax)}`,
        helpValue: 'N',
      }),
      all: Flags.boolean({ summary: 'All pages, as NDJSON unless -o is given' }),
    },
    run: async (run) => (await import('../command/pages.js')).callPages(run),
  }),

  sync: command({
    summary: 'Read the new events now, ahead of a batch that checks them.',
    prints: 'FeedPosition',
    examples: ['svc events sync', 'svc events sync --jq .operations'],
    exits: [6, 10, 11],
    run: async (run) => (await import('./follow-feed.js')).syncEvents(run),
  }),

  tail: command({
    summary: 'Follow the events in order; each arrives at least once.',
    prints: { lines: ['Evento'] },
    printsWith: { '--exec': { text: 'What CMD prints' }, '--into': 'nothing' },
    examples: [
      'svc events tail --no-follow',
      'svc events tail --checkpoint orders --exec ./handle-event',
      'svc events tail --into sqlite:events.db --create --no-follow',
    ],
    exits: [...feedExitCodes, 5, 141],
    flags: {
      ...grouped('WHERE THEY GO', {
        exec: Flags.string({ summary: 'Run CMD with each event; exit 0 accepts it', helpValue: 'CMD' }),
        into: Flags.string({ summary: 'Write to tables: postgres://... or sqlite:FILE', helpValue: 'URL' }),
        create: Flags.boolean({ summary: 'Make the tables of --into if they are missing' }),
      }),
      ...feedFlags,
    },
    run: async (run) => (await jobs()).tailEvents(await (await ids()).completeIdFlag(run, 'id')),
  }),
};
