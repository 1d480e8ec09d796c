/** The pages of help, put together from what the commands declare: pure, the same live and at build time. */
import { endpoint } from '../../contract/endpoints.js';
import type { Entry, SvcCommandClass } from '../command.js';
import type { Vocabulary } from '../line/vocabulary.js';
import { exitCodesOf, exitWords } from './exit-codes.js';
import type { HelpPage, HelpSection } from './layout.js';

/** Choices longer than this are named in words and not beside the flag. */
const CHOICES_MAX = 30;

interface FlagLike {
  readonly char?: string | undefined;
  readonly summary?: string | undefined;
  readonly helpValue?: string | readonly string[] | undefined;
  readonly options?: readonly string[] | undefined;
  readonly helpGroup?: string | undefined;
  readonly hidden?: boolean | undefined;
  readonly required?: boolean | undefined;
  readonly type: 'boolean' | 'option';
  readonly multiple?: boolean | undefined;
}

/** The page of `svc` itself: what people do first, then every topic and command of one word. */
export function rootPage(entries: readonly Entry[], { topics }: Vocabulary, version: string): HelpPage {
  const words = [...new Set(entries.map(([id]) => id.split(' ')[0] ?? id))].map((name): [string, string] => {
    const alone = entries.find(([id]) => id === name);
    return [name, topics.get(name) ?? alone?.[1].summary ?? ''];
  });
  return [
    text(`svc ${version}: collections and payouts from the command line`),
    {
      kind: 'commands',
      title: 'WHAT PEOPLE DO FIRST',
      commands: FIRST_STEPS.map(([want, type]) => ({ want, type })),
    },
    rows('COMMANDS', words),
    text(
      'With nothing configured every command works on the embedded sandbox: no account, no server, no key.\n' +
        'See "svc TOPIC --help" and "svc COMMAND --help".',
    ),
  ];
}

/** The page of a topic: its commands with what each does. */
export function topicPage(topic: string, entries: readonly Entry[], { topics }: Vocabulary): HelpPage {
  return [
    text(`${topics.get(topic) ?? topic}.`),
    rows(
      'COMMANDS',
      entries.map(([id, command]): [string, string] => [`svc ${id}`, command.summary ?? '']),
    ),
    text(`See "svc ${topic} COMMAND --help".`),
  ];
}

/** The page of a command. */
export function commandPage([id, command]: Entry): HelpPage {
  const flags = Object.entries(command.flags as Record<string, FlagLike>);
  const global = Object.entries(command.baseFlags as Record<string, FlagLike>);
  const args = Object.entries(command.args).map(([name, arg]): [string, string] => [
    name.toUpperCase(),
    arg.description ?? '',
  ]);
  return [
    text(command.summary ?? ''),
    text(command.description ?? ''),
    { kind: 'commands', title: 'USAGE', commands: [{ type: usageLine(id, command) }] },
    rows('ARGUMENTS', args),
    rows('FLAGS', flagRows(flags)),
    rows('GLOBAL FLAGS', flagRows(global)),
    { kind: 'commands', title: 'EXAMPLES', commands: command.examples.map((type) => ({ type })) },
    { kind: 'flow', title: 'ENDPOINT', pieces: endpointPieces(command) },
    { kind: 'flow', title: 'EXIT CODES', pieces: exitWords(exitCodesOf(command)) },
  ];
}

function text(words: string): HelpSection {
  return { kind: 'text', text: words };
}

function rows(title: string, pairs: readonly (readonly [string, string])[]): HelpSection {
  return { kind: 'rows', title, rows: pairs };
}

/** How a command is typed: its arguments, and whether it takes flags. */
function usageLine(id: string, command: SvcCommandClass): string {
  const args = Object.entries(command.args).map(([name, { required }]) =>
    required === true ? name.toUpperCase() : `[${name.toUpperCase()}]`,
  );
  const flags = Object.keys(command.flags).length > 0 ? ['[flags]'] : [];
  return ['svc', id, ...args, ...flags].join(' ');
}

function endpointPieces(command: SvcCommandClass): string[] {
  if (command.endpoint === null) return [];
  const { method, path, scope } = endpoint(command.endpoint);
  return [`${method} ${path}`, `scope: ${scope ?? 'any valid key'}`];
}

function flagRows(flags: readonly (readonly [string, FlagLike])[]): [string, string][] {
  return flags
    .filter(([, flag]) => flag.hidden !== true)
    .map(([name, flag]) => {
      const value = flag.type === 'option' ? ` ${valueOf(name, flag)}` : '';
      const short = flag.char === undefined ? '    ' : `-${flag.char}, `;
      return [`${short}--${name}${value}`, `${flag.summary ?? ''}${choicesOf(flag)}`];
    });
}

function valueOf(name: string, flag: FlagLike): string {
  const choices = flag.options?.join('|') ?? '';
  if (choices !== '' && choices.length <= CHOICES_MAX) return choices;
  return typeof flag.helpValue === 'string' ? flag.helpValue : name.toUpperCase();
}

function choicesOf({ options = [] }: FlagLike): string {
  return options.join('|').length <= CHOICES_MAX ? '' : ` One of: ${options.join(', ')}.`;
}

/** What they want, and what they type. */
export const FIRST_STEPS: readonly (readonly [want: string, type: string])[] = [
  ['Collect money', 'svc payins create --method debit_otp --interactive'],
  ['Confirm it with the code', 'svc payins confirm ID'],
  [
    'Send money',
    'svc payouts create --method mobile_payment --country VE --currency VES --amount 10.00 --beneficiary document.type=V ' +
      '--beneficiary document.number=12345678 --beneficiary bank_code=0102 --beneficiary account_number=04121234567',
  ],
  ['See what happened', 'svc events list --all'],
  ['Use your own account', 'svc profiles add NAME --base-url URL'],
];
