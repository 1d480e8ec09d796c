/** The file of a command is loaded when the command runs. A new command is registered only here. */
import { HABITS } from './command/line/habits.js';
import { type Habit, type NounEntry, vocabularyOf, commandId } from './command/line/vocabulary.js';
import type { EndpointId, Noun, Topic } from './contract/endpoints.js';
import type { SvcCommandClass } from './command/command.js';

const plainReads = async () => (await import('./command/reads.js')).PLAIN_READS;
const payments = () => import('./payments/commands.js');
const batches = () => import('./batches/commands.js');

const NOUNS = {
  api: nounCommand(null, async () => (await import('./payments/api/commands.js')).API),
  balances: nounCommand('balance', async () => (await plainReads()).balances),
  banks: nounCommand('bank', async () => (await plainReads()).banks),
  batches: noun(
    ['batch', 'Many operations from a file'],
    verbs(
      [
        'apply',
        'approve',
        'export',
        'drop',
        'forget',
        'list',
        'resolve',
        'resume',
        'retry',
        'review',
        'status',
      ],
      async () => (await batches()).BATCHES,
    ),
  ),
  capabilities: nounCommand('capability', async () => (await plainReads()).capabilities),
  certify: noun(
    [null, 'Exams of your own code: the receiver of deliveries, and the code that pays'],
    verbs(['client', 'list', 'receiver'], async () => (await import('./certify/commands.js')).CERTIFY),
  ),
  complete: nounCommand(null, async () => (await import('./command/completion/commands.js')).COMPLETE),
  completion: nounCommand(null, async () => (await import('./command/completion/commands.js')).COMPLETION),
  doctor: nounCommand(null, async () => (await import('./setup/doctor/commands.js')).DOCTOR),
  events: noun(
    ['event', 'What happened, in order'],
    verbs(['forward', 'list', 'sync', 'tail'], async () => (await import('./events/commands.js')).EVENTS),
  ),
  lock: nounCommand(null, async () => (await import('./setup/lock.js')).LOCK),
  methods: nounCommand('method', async () => (await plainReads()).methods),
  operations: noun(
    ['operation', 'List and find payouts and pay-ins'],
    verbs(['find', 'list'], async () => (await import('./payments/operations/commands.js')).OPERATIONS),
  ),
  payins: noun(
    ['payin', 'Collect money from a person'],
    {
      ...verbs(['batch'], async () => (await batches()).PAYIN_BATCH),
      ...verbs(['cancel', 'confirm', 'create', 'get', 'resend'], async () => (await payments()).PAYINS),
    },
    { 'resend-code': 'resend' },
  ),
  payouts: noun(['payout', 'Send money to a person'], {
    ...verbs(['batch'], async () => (await batches()).PAYOUT_BATCH),
    ...verbs(['cancel', 'create', 'get'], async () => (await payments()).PAYOUTS),
  }),
  policy: noun(
    [null, 'What may be sent live from this machine'],
    verbs(['check', 'show'], async () => (await import('./setup/policy/commands.js')).POLICY),
  ),
  profiles: noun(
    ['profile', 'Addresses and keys, each under a name'],
    verbs(
      ['add', 'list', 'remove', 'set', 'set-key', 'set-state', 'show', 'use'],
      async () => (await import('./setup/profiles/commands.js')).PROFILES,
    ),
  ),
  reconcile: nounCommand(null, async () => (await import('./reconcile/commands.js')).RECONCILE),
  requests: noun(
    ['request', 'Requests without an answer: list, repeat, resolve, forget'],
    verbs(
      ['forget', 'list', 'repeat', 'resolve', 'show'],
      async () => (await import('./payments/requests/commands.js')).REQUESTS,
    ),
  ),
  sandbox: noun(
    [null, 'The embedded sandbox: the whole service on this machine'],
    verbs(
      [
        'clock',
        'deliveries',
        'exec',
        'export',
        'fault',
        'import',
        'key',
        'operations',
        'payment',
        'ping',
        'requests',
        'reset',
        'start',
        'status',
      ],
      async () => (await import('./sandbox/commands.js')).SANDBOX,
    ),
  ),
  schema: nounCommand(null, async () => (await import('./setup/schema/commands.js')).SCHEMA),
  state: noun(
    [null, 'Shared state in PostgreSQL'],
    verbs(['init', 'status'], async () => (await import('./setup/state/commands.js')).STATE),
  ),
  transactions: noun(
    ['transaction', 'One operation, pay-in or payout'],
    verbs(['get', 'trace'], async () => (await payments()).TRANSACTIONS),
  ),
  webhooks: noun(
    ['webhook', 'Receive, verify and send webhooks'],
    verbs(
      ['listen', 'register', 'sign', 'verify', 'trigger'],
      async () => (await import('./events/webhooks/commands.js')).WEBHOOKS,
    ),
  ),
} satisfies Record<string, NounEntry> & Record<Noun, { singular: string }> & Record<Topic, { about: string }>;

/** `REGISTRY` does not compile if the command of an endpoint is missing. */
type CommandOf<Id> = Id extends `${infer Noun}.${infer Verb}` ? `${Noun} ${Verb}` : Id;
export type CommandId = IdOf<typeof NOUNS>;

export const REGISTRY: Readonly<Record<CommandId | CommandOf<EndpointId>, Loader>> = loadersOf(NOUNS);
export const COMMAND_IDS = Object.keys(REGISTRY) as readonly CommandId[];

export const VOCABULARY = vocabularyOf(
  NOUNS,
  HABITS satisfies Readonly<Record<string, Habit & { readonly id: CommandId }>>,
);

export type Loader = () => Promise<SvcCommandClass>;

export function verbs<const V extends string>(
  names: readonly V[],
  load: () => Promise<Readonly<Record<V, SvcCommandClass>>>,
): Readonly<Record<V, Loader>> {
  const loaders = names.map((verb) => [verb, async () => (await load())[verb]] as const);
  return Object.fromEntries(loaders) as Readonly<Record<V, Loader>>;
}

export function noun<S extends string | null, const Commands extends Readonly<Record<string, Loader>>>(
  [singular, about]: readonly [S, about: string],
  commands: Commands,
  aliases: Readonly<Record<string, keyof Commands & string>> = {},
) {
  return { singular, about, commands, aliases };
}

export function nounCommand<S extends string | null>(singular: S, load: Loader) {
  return { singular, about: null, commands: { '': load }, aliases: {} };
}

export type IdOf<Nouns extends Readonly<Record<string, NounEntry>>> = {
  [N in keyof Nouns & string]: {
    [V in keyof Nouns[N]['commands'] & string]: V extends '' ? N : `${N} ${V}`;
  }[keyof Nouns[N]['commands'] & string];
}[keyof Nouns & string];

export function loadersOf<Nouns extends Readonly<Record<string, NounEntry>>>(
  nouns: Nouns,
): Readonly<Record<IdOf<Nouns>, Loader>> {
  const loaders = Object.entries(nouns).flatMap(([noun, { commands }]) =>
    Object.entries(commands).map(([verb, load]) => [commandId(noun, verb), load]),
  );
  return Object.fromEntries(loaders) as Readonly<Record<IdOf<Nouns>, Loader>>;
}
