/**
 * The flags and arguments that commands share, each defined once, and what a value of one is. Values stay text; whoever uses one gives
 * it a meaning.
 */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';

const NAMES = {
  country: 'CC',
  currency: 'CUR',
  method: 'CODE',
  profile: 'NAME',
  /** A path inside a payer or a beneficiary. */
  field: 'PATH=VALUE',
  file: 'FILE',
} as const;

export type Taken = keyof typeof NAMES;

/** A part of the declaration: `Flags.string({ summary, ...takes('country') })`. Choices (`options`) say it by themselves. */
export function takes(taken: Taken): { readonly helpValue: string; readonly takes: Taken } {
  return { helpValue: NAMES[taken], takes: taken };
}

const GLOBAL = 'GLOBAL';

/** Flags of every command; they may stand before it as well as behind: `argv.ts` reads there which of them take a value. */
export const globalFlags = {
  profile: Flags.string({ char: 'p', summary: 'Use this profile.', helpGroup: GLOBAL, ...takes('profile') }),
  live: Flags.boolean({ summary: 'Use the live environment: real money.', helpGroup: GLOBAL }),
  sandbox: Flags.boolean({ summary: 'Use the sandbox environment (the default).', helpGroup: GLOBAL }),
  'base-url': Flags.string({
    summary: "The service's production address; the sandbox is this plus /sandbox.",
    helpValue: 'URL',
    helpGroup: GLOBAL,
  }),
  'insecure-loopback': Flags.boolean({
    summary: 'Let a live key travel over http to this machine, for rehearsals.',
    helpGroup: GLOBAL,
  }),
  'ca-file': Flags.string({
    summary: "Trust these certificates (PEM), and not the system's.",
    helpGroup: GLOBAL,
    ...takes('file'),
  }),
  'state-url': Flags.string({
    summary: 'The PostgreSQL database in which machines share their state; local for files.',
    helpValue: 'URL',
    helpGroup: GLOBAL,
  }),
  output: Flags.string({
    char: 'o',
    summary: 'How to print: table on a terminal and json elsewhere, unless given.',
    options: ['table', 'json', 'ndjson', 'csv'],
    helpGroup: GLOBAL,
  }),
  json: Flags.boolean({ summary: 'The same as -o json.', helpGroup: GLOBAL }),
  jq: Flags.string({
    char: 'q',
    summary: 'Filter the JSON; strings are printed raw.',
    helpValue: 'EXPR',
    helpGroup: GLOBAL,
  }),
  timeout: Flags.string({
    summary: 'Limit for one request [default: 30s].',
    helpValue: 'DURATION',
    helpGroup: GLOBAL,
  }),
  'no-input': Flags.boolean({ summary: 'Never ask anything.', helpGroup: GLOBAL }),
  yes: Flags.boolean({ summary: 'Answer yes to every confirmation.', helpGroup: GLOBAL }),
  quiet: Flags.boolean({ summary: 'No notes on standard error.', helpGroup: GLOBAL }),
  debug: Flags.boolean({
    summary: 'Show requests and answers on standard error, secrets masked.',
    helpGroup: GLOBAL,
  }),
  'no-color': Flags.boolean({ summary: 'No colours.', helpGroup: GLOBAL }),
  utc: Flags.boolean({
    summary: 'Show times in UTC and not in your zone, in tables; JSON is never changed.',
    helpGroup: GLOBAL,
  }),
};

/** The id of an operation, as an argument. */
export const operationArgs = {
  id: Args.string({
    description: "The operation's id (a uuid), or the beginning of one that is known here.",
    required: true,
    ignoreStdin: true,
  }),
};

/** Waiting for the final state. */
export const waitFlags = {
  wait: Flags.boolean({ summary: 'Poll the operation until it is final.' }),
  'wait-timeout': Flags.string({
    summary: 'How long to wait [default: 10m]; implies --wait.',
    helpValue: 'DURATION',
  }),
};

/** How a script learns that an operation it reads has failed. */
export const readFlags = {
  ...waitFlags,
  'exit-status': Flags.boolean({ summary: 'Exit with 9 where the operation is failed.' }),
};

/** JSON from an argument, a file or standard input. */
export const dataFlags = {
  data: Flags.string({ summary: 'The body: JSON, @FILE, or - for standard input.', helpValue: 'JSON' }),
  'data-file': Flags.string({ summary: 'The body from a file.', ...takes('file') }),
};

/** A key of a profile: it comes on standard input and from nowhere else. */
export const keyFlags = {
  'key-stdin': Flags.boolean({ summary: 'Read the key from standard input.' }),
  'insecure-storage': Flags.boolean({
    summary: 'Without a system key store: keep a live key in a file that only you can read.',
  }),
};

/** Where a profile's shared state is has the global flag; its password comes on standard input and from nowhere else. */
export const stateFlags = {
  'state-password-stdin': Flags.boolean({
    summary: 'Read the password of --state-url from standard input.',
  }),
};

/** Where something that is known stands in the way of a create. */
export const newPaymentFlag = Flags.string({
  summary:
    'Pay once more: this is another payment than that operation or request, which is the newest of its reference.',
  helpValue: 'ID|KEY',
});
