import { stripVTControlCharacters } from 'node:util';
import { enumerated } from '../../contract/on-screen.js';
import { Failure, usageFailure } from '../../runtime/failure.js';
import { type DeclaredFlag, valueWord } from './flags.js';
import { switchText } from './argv.js';
import { FLAG_HABITS } from './habits.js';
import { nearest } from './vocabulary.js';

export interface TypedCommand {
  readonly id: string;
  readonly flags: Readonly<Record<string, DeclaredFlag>>;
  readonly example: string | undefined;
  readonly argv: readonly string[];
  readonly refusedFlags: readonly string[];
}

interface ParserError {
  readonly message: string;
  readonly flags?: readonly string[];
  readonly args?: readonly (string | { readonly name: string; readonly description?: string })[];
}

export function parserFailure(error: unknown, typed: TypedCommand): Failure {
  if (error instanceof Failure) return error;
  const parserError: ParserError = error instanceof Error ? error : { message: String(error) };
  const failure = missingFlags(parserError, typed) ?? otherToolCommand(parserError, typed);
  if (failure !== null) return failure;
  const message =
    unknownFlag(parserError, typed) ??
    missingValue(parserError, typed) ??
    wrongChoice(parserError, typed) ??
    repeatedFlag(parserError) ??
    missingArgument(parserError, typed) ??
    surplusArgument(parserError, typed) ??
    sentenceOf(parserError.message);
  return usageFailure(message, error);
}

export function ignoredFlags(id: string, names: readonly string[]): Failure {
  const flagsText = names.map((name) => `--${name}`).join(' and ');
  return usageFailure(`"svc ${id}" ignores ${flagsText}. Leave ${names.length === 1 ? 'it' : 'them'} out.`);
}

function unknownFlag({ flags = [] }: ParserError, typed: TypedCommand): string | null {
  const [flag] = flags;
  if (flag === undefined) return null;
  const names = Object.keys(typed.flags).filter((flagName) => !typed.refusedFlags.includes(flagName));
  const name = flag.replace(/^-+/, '');
  const nearestName = flag.startsWith('--') ? nearest(name, names) : null;
  const habit = FLAG_HABITS.get(name) ?? '';
  // A person may type a flag's value as a flag: "--failed" means "--state failed".
  const [ownerFlag] =
    Object.entries(typed.flags).find(([, { options = [] }]) => options.includes(name)) ?? [];
  const fallback = ownerFlag === undefined ? nearestName : `${ownerFlag} ${name}`;
  const suggestedFlag = names.includes(habit) ? habit : fallback;
  const hint = suggestedFlag === null ? `See "svc ${typed.id} --help".` : `Did you mean --${suggestedFlag}?`;
  return `"svc ${typed.id}" has no flag ${flag}. ${hint}`;
}

function otherToolCommand({ flags = [] }: ParserError, { id }: TypedCommand): Failure | null {
  if (id !== 'webhooks listen' || flags[0] !== '--forward-to') return null;
  const message = '"svc webhooks listen" has no flag --forward-to. In svc this is: svc events forward';
  return new Failure('usage', message, { nextCommand: 'svc events forward --help' });
}

/** The message is parsed, because the parser has no error class for missing flags. */
function missingFlags({ message }: ParserError, { id, flags, example }: TypedCommand): Failure | null {
  const names = [...message.matchAll(/Missing required flag ([\w-]+)/g)].map(([, name = '']) => name);
  if (names.length === 0) return null;
  const missingText = names.map((name) => `--${name} (${meaningOf(flags[name]?.summary)})`).join(' and ');
  const text = `${missingText} ${names.length === 1 ? 'is' : 'are'} missing.`;
  if (example === undefined) return usageFailure(`${text} See "svc ${id} --help".`);
  const otherCommand = { when: 'For example', line: example };
  return new Failure('usage', `${text} Nothing was sent.`, { otherCommand });
}

function missingValue({ message }: ParserError, typed: TypedCommand): string | null {
  const [, name = '', choices] =
    /^Flag --([\w-]+) expects (?:a value|one of these values: (.*))$/.exec(message) ?? [];
  if (name === '') return null;
  if (choices !== undefined) return `--${name} needs a value: ${enumerated(choices.split(', '), 'or')}.`;
  const flag: Partial<DeclaredFlag> = typed.flags[name] ?? {};
  return `--${name} needs a value: --${name} ${valueWord(name, flag)} (${meaningOf(flag.summary)}).`;
}

function wrongChoice({ message }: ParserError, { flags }: TypedCommand): string | null {
  const [, flag, value = '', list = ''] =
    /^Expected (?:(--[\w-]+)=)?([^]*) to be one of: (.*)$/m.exec(message) ?? [];
  if (list === '') return null;
  const choices = flags[flag?.slice(2) ?? '']?.offered ?? list.split(', ');
  const suggestedChoice = nearest(value, choices);
  const hint = suggestedChoice === null ? '' : ` Did you mean ${suggestedChoice}?`;
  const problem = flag === undefined ? `"${value}" is not valid` : `${flag} cannot be "${value}"`;
  return `${problem}: use ${enumerated(choices, 'or')}.${hint}`;
}

function repeatedFlag({ message }: ParserError): string | null {
  const [, flag] = /^Flag (--[\w-]+) can only be specified once/.exec(message) ?? [];
  return flag === undefined ? null : `Give ${flag} only once.`;
}

function missingArgument({ args = [] }: ParserError, typed: TypedCommand): string | null {
  const [missingArg] = args;
  if (missingArg === undefined || typeof missingArg === 'string') return null;
  const { name, description = '' } = missingArg;
  return `${name.toUpperCase()} is missing: ${meaningOf(description)}. See "svc ${typed.id} --help".`;
}

/** The surplus argument may be the value in `--switch=value`, which the parser reports as an argument. */
function surplusArgument({ args = [] }: ParserError, { id, flags, argv }: TypedCommand): string | null {
  const [surplusWord] = args;
  if (typeof surplusWord !== 'string') return null;
  const switchWithValue = argv.find((word) => word.startsWith('--') && word.endsWith(`=${surplusWord}`));
  const previousWord = /^(true|false|yes|no|on|off|[01])$/i.test(surplusWord)
    ? argv[argv.lastIndexOf(surplusWord) - 1]
    : '';
  const name = switchWithValue?.slice(0, -surplusWord.length - 1) ?? previousWord ?? '';
  if (flags[name.slice(2)]?.type === 'boolean') return switchText(name, surplusWord);
  const missingFlag = Object.entries(flags).find(
    ([flag, { required }]) => required === true && !argv.some((word) => word.split('=')[0] === `--${flag}`),
  );
  const help =
    flags[surplusWord]?.type === 'boolean' ? `Did you mean --${surplusWord}?` : `See "svc ${id} --help".`;
  const hint = missingFlag === undefined ? help : `Put --${missingFlag[0]} before it.`;
  return `"svc ${id}" has no argument for "${surplusWord}". ${hint}`;
}

function meaningOf(summary = ''): string {
  return summary.replace(/\.$/, '').replace(/^[A-Z](?=[a-z ])/, (first) => first.toLowerCase());
}

function sentenceOf(text: string): string {
  const lines = stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.trim());
  const message = lines.filter((line) => line !== '' && !line.startsWith('See more help')).join(' ');
  return `${message}${/[.!?]$/.test(message) ? '' : '.'}`;
}
