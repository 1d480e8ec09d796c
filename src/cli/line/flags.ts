/**
 * What a flag and an argument declare, and those that commands share, each defined once. Values stay text; the code that uses one gives it
 * a meaning.
 */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type { SheetOptions } from '../../sheet/forms.js';

const NAMES = {
  country: 'CC',
  currency: 'CUR',
  method: 'CODE',
  'payin-method': 'CODE',
  'payout-method': 'CODE',
  /** Of rows of a file: none that needs a code from a person. */
  'payin-rows-method': 'CODE',
  profile: 'NAME',
  /** A path inside a payer, and one inside a beneficiary. */
  'payin-field': 'PATH=VALUE',
  'payout-field': 'PATH=VALUE',
  file: 'FILE',
  /** What this machine knows: asked when it is completed. */
  operation: 'ID',
  batch: 'NAME',
} as const;

export type Taken = keyof typeof NAMES;

/** A part of the declaration: `Flags.string({ summary, ...takes('country') })`. Choices (`options`) say it by themselves. */
export function takes(taken: Taken): { readonly helpValue: string; readonly takes: Taken } {
  return { helpValue: NAMES[taken], takes: taken };
}

/** A part of the declaration: which values are offered and named, where others are taken too. */
export function offers(offered: readonly string[]): { readonly offered: readonly string[] } {
  return { offered };
}

/** What a flag and an argument both declare. */
interface DeclaredValue {
  /** The only values, */
  readonly options?: readonly string[] | undefined;
  /** or those that are named, where others are taken too, */
  readonly offered?: readonly string[] | undefined;
  /** or of which kind they are. */
  readonly takes?: Taken;
  readonly required?: boolean | undefined;
}

/** An argument of a command, as help, completion and the description of commands read it. */
export interface DeclaredArgument extends DeclaredValue {
  readonly description?: string | undefined;
}

/** A flag, as these and the errors of a command line read it. */
export interface DeclaredFlag extends DeclaredValue {
  readonly type: 'boolean' | 'option';
  readonly char?: string | undefined;
  readonly summary?: string | undefined;
  readonly helpValue?: string | readonly string[] | undefined;
  readonly helpGroup?: string | undefined;
  readonly multiple?: boolean | undefined;
  readonly hidden?: boolean | undefined;
  readonly default?: unknown;
}

/** The word that stands for a flag's value. */
export function valueWord(name: string, { helpValue }: Partial<DeclaredFlag>): string {
  return typeof helpValue === 'string' ? helpValue : name.toUpperCase();
}

/** Flags of these names as a command line gives them: each takes a text. */
export type Texts<Name extends string> = Readonly<Partial<Record<Name, string | undefined>>>;

const GLOBAL = { helpGroup: 'GLOBAL' } as const;

/** Flags of every command; they may stand before it as well as behind: `argv.ts` reads there which of them take a value. */
export const globalFlags = {
  profile: Flags.string({ char: 'p', summary: 'Use this profile', ...GLOBAL, ...takes('profile') }),
  live: Flags.boolean({ summary: 'Use the live environment: real money', ...GLOBAL }),
  sandbox: Flags.boolean({ summary: 'Use the sandbox environment (the default)', ...GLOBAL }),
  'base-url': Flags.string({
    summary: "The service's production address; the sandbox is below it, at /sandbox",
    helpValue: 'URL',
    ...GLOBAL,
  }),
  'insecure-loopback': Flags.boolean({
    summary: 'Allow a live key over http to this machine, for rehearsals',
    ...GLOBAL,
  }),
  'ca-file': Flags.string({ summary: 'Trust these certificates (PEM) only', ...GLOBAL, ...takes('file') }),
  'state-url': Flags.string({
    summary: 'Shared state: postgres://..., or "local" for files',
    helpValue: 'URL',
    ...GLOBAL,
  }),
  output: Flags.string({
    char: 'o',
    summary: 'Format of the output [default: table at a terminal, else json]',
    options: ['table', 'json', 'ndjson', 'csv'],
    ...GLOBAL,
  }),
  json: Flags.boolean({ summary: 'Same as -o json', ...GLOBAL }),
  jq: Flags.string({
    char: 'q',
    summary: 'Filter the JSON; strings are printed raw',
    helpValue: 'EXPR',
    ...GLOBAL,
  }),
  timeout: Flags.string({
    summary: 'Limit for one request [default: 30s]',
    helpValue: 'DURATION',
    ...GLOBAL,
  }),
  'no-input': Flags.boolean({ summary: 'Never ask', ...GLOBAL }),
  yes: Flags.boolean({
    summary: 'Answer yes to every confirmation; a guessed file is still asked about',
    ...GLOBAL,
  }),
  quiet: Flags.boolean({ summary: 'Print no notes on standard error', ...GLOBAL }),
  debug: Flags.boolean({
    summary: 'Show requests and answers on standard error; secrets are masked',
    ...GLOBAL,
  }),
  'no-color': Flags.boolean({ summary: 'Print no colours', ...GLOBAL }),
  utc: Flags.boolean({ summary: 'Show times of tables in UTC; JSON never changes', ...GLOBAL }),
};

/** Those that say where or what: a command that ignores one refuses it. */
export const PLACE_FLAGS = [
  'profile',
  'live',
  'sandbox',
  'base-url',
  'insecure-loopback',
  'ca-file',
  'state-url',
] as const satisfies readonly (keyof typeof globalFlags)[];
export type PlaceFlag = (typeof PLACE_FLAGS)[number];

/** Those of a command that asks the service, and keeps nothing. */
export const SERVICE_FLAGS = PLACE_FLAGS.filter((name) => name !== 'state-url');

/** As help shows them. */
export const globalGroups: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['WHERE', PLACE_FLAGS],
  ['OUTPUT', ['output', 'json', 'jq', 'utc', 'no-color', 'quiet', 'debug']],
  ['QUESTIONS AND TIME', ['yes', 'no-input', 'timeout']],
];

/** The same flags under a heading of help. */
export function grouped<F extends Readonly<Record<string, object>>>(helpGroup: string, flags: F): F {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, helpGroup }])) as F;
}

/** The id of an operation, as an argument. */
export const operationArgs = {
  id: Args.string({
    description: 'Id of the operation, or the start of one that svc knows',
    required: true,
    ignoreStdin: true,
    ...takes('operation'),
  }),
};

/** Waiting for the final state. */
export const waitFlags = {
  wait: Flags.boolean({ summary: 'Wait until the operation is final' }),
  'wait-timeout': Flags.string({
    summary: 'How long to wait [default: 10m]; implies --wait',
    helpValue: 'DURATION',
  }),
};

/** How a script learns what became of an operation that it reads. */
export const readFlags = {
  ...waitFlags,
  'exit-status': Flags.boolean({ summary: 'Exit with 8 if it is pending, 9 if it failed' }),
};

/** JSON from an argument, a file or standard input. */
export const dataFlags = {
  data: Flags.string({ summary: 'The body: JSON, @FILE, or - for standard input', helpValue: 'JSON' }),
  'data-file': Flags.string({ summary: 'The body from a file', ...takes('file') }),
};

/** A key of a profile: it comes on standard input and from nowhere else. */
export const keyFlags = {
  'key-stdin': Flags.boolean({ summary: 'Read the key from standard input' }),
  'insecure-storage': Flags.boolean({ summary: 'A live key may be in a private file' }),
};

/** Where a profile's shared state is has the global flag; its password comes on standard input and from nowhere else. */
export const stateFlags = {
  'state-password-stdin': Flags.boolean({
    summary: "Read the database's password from standard input",
  }),
};

/** Where something that is known stands in the way of a create. */
export const newPaymentFlag = Flags.string({
  summary: 'Pay again: this is not the payment of that operation or request',
  helpValue: 'ID|KEY',
});

/** Live, what sends a payment with a reference reads the events first. */
export const skipFeedCheckFlag = Flags.boolean({
  summary: 'Go on if events cannot be read (live: --yes)',
});

/** Where events may be delivered. */
export const receiverFlags = {
  'allow-remote': Flags.boolean({
    summary: 'Deliver to public https addresses too',
  }),
};

/** The heading of help over the flags that say how a file is written. */
export const FORM = 'HOW THE FILE IS READ';

/** The flags of every command that reads a file as people have it. @param map what a map says there */
export const formFlags = (map: string) =>
  grouped(FORM, {
    map: Flags.string({ summary: map, helpValue: 'FIELD=COLUMN,...' }),
    'save-map': Flags.string({ summary: 'Save how the file is read, for --map', helpValue: 'NAME' }),
    delimiter: Flags.string({ summary: 'comma, semicolon, tab or pipe', helpValue: 'D' }),
    decimal: Flags.string({ summary: 'Decimal mark of amounts', options: ['comma', 'point'] }),
    encoding: Flags.string({ summary: 'Encoding of the file', options: ['utf8', 'latin1', 'utf16'] }),
    sheet: Flags.string({ summary: 'Sheet of a workbook [default: the first]', helpValue: 'NAME' }),
  });

/** What those flags say; null for each that was not typed. */
export function formOptions(flags: Texts<keyof SheetOptions>): SheetOptions {
  const { map = null, delimiter = null, decimal = null, encoding = null, sheet = null } = flags;
  return { map, delimiter, decimal, encoding, sheet };
}
