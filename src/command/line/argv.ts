import { Failure, usageFailure } from '../../runtime/failure.js';
import { holdsStatePassword, typedPasswordFailure } from '../../storage/postgres/source.js';
import { globalFlags } from './flags.js';
import { type Habit, nearest, suggestion, type Vocabulary } from './vocabulary.js';

const VALUE_FLAGS = spellingsOf('option');
const SWITCH_FLAGS = spellingsOf('boolean');

export type Intent =
  | { readonly kind: 'version' }
  | { readonly kind: 'help'; readonly path: string }
  | { readonly kind: 'run'; readonly id: string; readonly argv: readonly string[] };

export function readArgv(argv: readonly string[], vocabulary: Vocabulary): Intent {
  refuseKeys(argv);
  const passwordAt = argv.findIndex(holdsStatePassword);
  if (passwordAt !== -1) {
    const isIntoFlag = `${argv[passwordAt - 1] ?? ''} ${argv[passwordAt] ?? ''}`.includes('--into');
    throw typedPasswordFailure(
      'An address of PostgreSQL',
      isIntoFlag ? 'SVC_INTO_PASSWORD' : 'SVC_STATE_PASSWORD',
    );
  }
  const { ids } = vocabulary;
  const { words, movedFlags, rest: argumentsLeft } = splitLeading(argv, vocabulary);
  const [firstWord] = words;
  const isVersionFlag = argumentsLeft[0] === '--version' || argumentsLeft[0] === '-v';
  if (words.length === 0 && isVersionFlag) return { kind: 'version' };
  if (firstWord === 'version' && (words.length === 1 || isVersionFlag)) return { kind: 'version' };
  if (firstWord === 'help') {
    const flagAt = argumentsLeft.findIndex((argument) => argument.startsWith('-'));
    const argumentWords = argumentsLeft.slice(0, flagAt === -1 ? argumentsLeft.length : flagAt);
    const pathWords = [...words.slice(1), ...argumentWords];
    return { kind: 'help', path: helpPath(canonicalWords(pathWords, vocabulary), vocabulary) };
  }
  if (words.length === 2 && words[1] === 'help' && isTopic(firstWord ?? '', ids))
    return { kind: 'help', path: helpPath([firstWord ?? ''], vocabulary) };
  const id = commandIn(words, ids);
  const flagsAndArguments = beforeDashes([...movedFlags, ...argumentsLeft]);
  if (flagsAndArguments.includes('--help') || flagsAndArguments.includes('-h'))
    return { kind: 'help', path: helpPath(words, vocabulary) };
  if (id !== null)
    return { kind: 'run', id, argv: [...words.slice(id.split(' ').length), ...movedFlags, ...argumentsLeft] };
  if (words.length === 0 && argumentsLeft.length === 0) return { kind: 'help', path: '' };
  if (words.length === 0) {
    const [flag = ''] = argumentsLeft;
    const [name = '', ...valueParts] = flag.split('=');
    throw new Failure(
      'usage',
      SWITCH_FLAGS.has(name)
        ? `${switchText(name, valueParts.join('='))} Nothing was sent.`
        : `Unknown flag before the command: ${flag}. See "svc --help".`,
    );
  }
  if (isTopic(words.join(' '), ids)) {
    if (argumentsLeft.length === 0) return { kind: 'help', path: words.join(' ') };
    const text = `Give a command after "svc ${words.join(' ')}". See "svc ${words.join(' ')} --help".`;
    throw new Failure('usage', text);
  }
  throw unknownCommand(words, vocabulary);
}

function spellingsOf(type: 'option' | 'boolean'): Set<string> {
  const flags: [string, { type: string; char?: string }][] = Object.entries(globalFlags);
  const flagsOfType = flags.filter(([, flag]) => flag.type === type);
  return new Set(
    flagsOfType.flatMap(([name, { char }]) => [`--${name}`, ...(char === undefined ? [] : [`-${char}`])]),
  );
}

/** A switch takes no value, because `--live=false` must not become `--live`. */
export function switchText(name: string, value: string): string {
  const remedy = /^(1|true|yes|on)$/i.test(value)
    ? `use ${name} alone`
    : `leave it out, or use ${name} alone`;
  return `${name} takes no value: ${/^(0|false|no|off)$/i.test(value) ? 'leave it out' : remedy}.`;
}

function refuseKeys(argv: readonly string[]): void {
  const isKey = (argument: string): boolean => /svc_(live|test)_/i.test(argument);
  // Any value of `--api-key` is refused, because other tools take an API key there.
  if (!argv.some(isKey) && !beforeDashes(argv).some((argument) => /^--api-?key(=|$)/i.test(argument))) return;
  throw new Failure(
    'usage',
    'An argument contains an API key. Every user of this machine can read the arguments of a command. ' +
      'Nothing was sent. Set SVC_API_KEY or SVC_API_KEY_FILE, or use "svc profiles set-key NAME". ' +
      'If you typed the key into a shell, replace it.',
  );
}

function splitLeading(argv: readonly string[], vocabulary: Vocabulary) {
  const { ids } = vocabulary;
  const words: string[] = [];
  const movedFlags: string[] = [];
  let at = 0;
  while (at < argv.length) {
    const argument = argv[at] ?? '';
    const name = argument.split('=', 1)[0] ?? '';
    if (
      SWITCH_FLAGS.has(argument) ||
      (VALUE_FLAGS.has(name) && argument.includes('=')) ||
      (argument.length > 2 && VALUE_FLAGS.has(argument.slice(0, 2)))
    ) {
      movedFlags.push(argument);
      at += 1;
    } else if (VALUE_FLAGS.has(argument)) {
      movedFlags.push(...argv.slice(at, at + 2));
      at += 2;
    } else if (argument.startsWith('-')) {
      break;
    } else {
      const longerWords = canonicalWords([...words, argument], vocabulary);
      if (commandIn(words, ids) !== null && !isTopic(longerWords.join(' '), ids)) break;
      words.splice(0, words.length, ...longerWords);
      at += 1;
      if (words.length >= 3) break;
    }
  }
  return { words, movedFlags, rest: argv.slice(at) };
}

function canonicalWords(words: readonly string[], { plurals, aliases }: Vocabulary): string[] {
  const [first, verb = '', ...rest] = words;
  if (first === undefined) return [];
  const pair = `${plurals.get(first) ?? first} ${verb}`.trim();
  return [...(aliases.get(pair) ?? pair).split(' '), ...rest];
}

function commandIn(words: readonly string[], ids: readonly string[]): string | null {
  for (let length = words.length; length > 0; length -= 1) {
    const id = words.slice(0, length).join(' ');
    if (ids.includes(id)) return id;
  }
  return null;
}

function isTopic(path: string, ids: readonly string[]): boolean {
  return path === '' || ids.some((id) => id === path || id.startsWith(`${path} `));
}

export const HELP_PAGES: readonly string[] = ['flags', 'all'];
const FLAG_PAGES = ['environment', 'variables', 'env', 'exit-codes', 'options', 'formatting'];

function helpPath(words: readonly string[], vocabulary: Vocabulary): string {
  const { ids } = vocabulary;
  const path = commandIn(words, ids) ?? words.join(' ');
  if (FLAG_PAGES.includes(path)) return 'flags';
  if (!isTopic(path, ids) && !HELP_PAGES.includes(path)) throw unknownCommand(words, vocabulary);
  return path;
}

export function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}

const FILE_NAME = /\.(csv|tsv|txt|xlsx|xls|ndjson|jsonl)$/i;

function unknownCommand(words: readonly string[], vocabulary: Vocabulary): Failure {
  // A word with four digits is hidden, because it may be an id or a one-time code.
  const typedText = words.map((word) => (/[0-9]{4}/.test(word) ? '...' : word)).join(' ');
  const [noun = '', verb = ''] = words;
  const isFile = ['batches', 'payouts', 'payins'].includes(noun) && FILE_NAME.test(verb);
  const habit: Habit | undefined = isFile
    ? { id: noun === 'payins' ? 'payins batch' : 'payouts batch' }
    : (vocabulary.habits.get(`${noun} ${verb}`) ?? vocabulary.habits.get(noun));
  if (habit !== undefined) {
    const line = ['svc', habit.id, habit.flags ?? []].flat().join(' ');
    const message = [habit.why ?? [], `In svc this is: ${line}`].flat().join(' ');
    return new Failure('usage', message, { nextCommand: `${line} --help` });
  }
  const oneWordIds = vocabulary.ids.filter((id) => !id.includes(' '));
  const suggestedId = suggestion(typedText, vocabulary.ids) ?? nearest(words[0] ?? '', oneWordIds);
  const page = isTopic(words[0] ?? '', vocabulary.ids) ? `svc ${words[0] ?? ''} --help` : 'svc help all';
  const hint = suggestedId === null ? `See "${page}".` : `Did you mean "svc ${suggestedId}"?`;
  return usageFailure(`There is no command "svc ${typedText}". ${hint}`);
}
