import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type { SheetOptions } from '../../sheet/forms.js';

const VALUE_NAMES = {
  country: 'CC',
  currency: 'CUR',
  method: 'CODE',
  'payin-method': 'CODE',
  'payout-method': 'CODE',
  'payin-rows-method': 'CODE',
  profile: 'NAME',
  'payin-field': 'PATH=VALUE',
  'payout-field': 'PATH=VALUE',
  file: 'FILE',
  operation: 'ID',
  batch: 'NAME',
} as const;

export type ValueKind = keyof typeof VALUE_NAMES;

export const repeatable = { multiple: true, multipleNonGreedy: true } as const;

export function takes(kind: ValueKind): { readonly helpValue: string; readonly takes: ValueKind } {
  return { helpValue: VALUE_NAMES[kind], takes: kind };
}

export function offers(values: readonly string[]): { readonly offered: readonly string[] } {
  return { offered: values };
}

interface DeclaredValue {
  readonly options?: readonly string[] | undefined;
  readonly offered?: readonly string[] | undefined;
  readonly takes?: ValueKind;
  readonly required?: boolean | undefined;
}

export interface DeclaredArgument extends DeclaredValue {
  readonly description?: string | undefined;
}

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

export function valueWord(name: string, { helpValue }: Partial<DeclaredFlag>): string {
  return typeof helpValue === 'string' ? helpValue : name.toUpperCase();
}

export type Texts<Name extends string> = Readonly<Partial<Record<Name, string | undefined>>>;

export const globalFlags = grouped('GLOBAL', {
  profile: Flags.string({ char: 'p', summary: 'Use this profile', ...takes('profile') }),
  live: Flags.boolean({ summary: 'Use the live environment: real money' }),
  sandbox: Flags.boolean({ summary: 'Use the sandbox environment (the default)' }),
  'base-url': Flags.string({
    summary: "The service's production address; the sandbox is below it, at /sandbox",
    helpValue: 'URL',
  }),
  'insecure-loopback': Flags.boolean({
    summary: 'Allow a live key over http to this machine, for rehearsals',
  }),
  'ca-file': Flags.string({ summary: 'Trust these certificates (PEM) only', ...takes('file') }),
  'state-url': Flags.string({
    summary: 'Shared state: postgres://..., or "local" for files',
    helpValue: 'URL',
  }),
  output: Flags.string({
    char: 'o',
    summary: 'Format of the output [default: table at a terminal, else json]',
    options: ['table', 'json', 'ndjson', 'csv'],
  }),
  json: Flags.boolean({ summary: 'Same as -o json' }),
  jq: Flags.string({ char: 'q', summary: 'Filter the JSON; strings are printed raw', helpValue: 'EXPR' }),
  timeout: Flags.string({ summary: 'Limit for one request [default: 30s]', helpValue: 'DURATION' }),
  'no-input': Flags.boolean({ summary: 'Never ask' }),
  yes: Flags.boolean({ summary: 'Answer yes to every confirmation; a guessed file is still asked about' }),
  quiet: Flags.boolean({ summary: 'Print no notes on standard error' }),
  debug: Flags.boolean({ summary: 'Show requests and answers on standard error; secrets are masked' }),
  'no-color': Flags.boolean({ summary: 'Print no colours' }),
  utc: Flags.boolean({ summary: 'Show times of tables in UTC; JSON never changes' }),
});

/** A command refuses the flags of this list that it does not use. */
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

export const SERVICE_FLAGS = PLACE_FLAGS.filter((name) => name !== 'state-url');

export const globalGroups: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['WHERE', PLACE_FLAGS],
  ['OUTPUT', ['output', 'json', 'jq', 'utc', 'no-color', 'quiet', 'debug']],
  ['QUESTIONS AND TIME', ['yes', 'no-input', 'timeout']],
];

export function grouped<F extends Readonly<Record<string, object>>>(helpGroup: string, flags: F): F {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, helpGroup }])) as F;
}

export const operationArgs = {
  id: Args.string({
    description: 'Id of the operation, or the start of one that svc knows',
    required: true,
    ignoreStdin: true,
    ...takes('operation'),
  }),
};

export const waitFlags = {
  wait: Flags.boolean({ summary: 'Wait until the operation is final' }),
  'wait-timeout': Flags.string({
    summary: 'How long to wait [default: 10m]; implies --wait',
    helpValue: 'DURATION',
  }),
};

export const readFlags = {
  ...waitFlags,
  'exit-status': Flags.boolean({ summary: 'Exit with 8 if it is pending, 9 if it failed' }),
};

export const dataFlags = {
  data: Flags.string({ summary: 'The body: JSON, @FILE, or - for standard input', helpValue: 'JSON' }),
  'data-file': Flags.string({ summary: 'The body from a file', ...takes('file') }),
};

/** No flag takes the key itself, because every user of the machine can read the arguments of a command. */
export const keyFlags = {
  'key-stdin': Flags.boolean({ summary: 'Read the key from standard input' }),
  'insecure-storage': Flags.boolean({ summary: 'A live key may be in a private file' }),
};

export const stateFlags = {
  'state-password-stdin': Flags.boolean({ summary: "Read the database's password from standard input" }),
};

export const newPaymentFlag = Flags.string({
  summary: 'Pay again: this is not the payment of that operation or request',
  helpValue: 'ID|KEY',
});

export const skipFeedCheckFlag = Flags.boolean({ summary: 'Go on if events cannot be read (live: --yes)' });

export const receiverFlags = {
  'allow-remote': Flags.boolean({ summary: 'Deliver to public https addresses too' }),
};

export const FORM_HEADING = 'HOW THE FILE IS READ';

export const formFlags = (mapSummary: string) =>
  grouped(FORM_HEADING, {
    map: Flags.string({ summary: mapSummary, helpValue: 'FIELD=COLUMN,...' }),
    'save-map': Flags.string({ summary: 'Save how the file is read, for --map', helpValue: 'NAME' }),
    delimiter: Flags.string({ summary: 'comma, semicolon, tab or pipe', helpValue: 'D' }),
    decimal: Flags.string({ summary: 'Decimal mark of amounts', options: ['comma', 'point'] }),
    encoding: Flags.string({ summary: 'Encoding of the file', options: ['utf8', 'latin1', 'utf16'] }),
    sheet: Flags.string({ summary: 'Sheet of a workbook [default: the first]', helpValue: 'NAME' }),
  });

export function formOptions(flags: Texts<keyof SheetOptions>): SheetOptions {
  const { map = null, delimiter = null, decimal = null, encoding = null, sheet = null } = flags;
  return { map, delimiter, decimal, encoding, sheet };
}
