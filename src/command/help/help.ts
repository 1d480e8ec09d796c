import { endpoint } from '../../contract/endpoints.js';
import type { CommandEntry, SvcCommandClass } from '../command.js';
import { type DeclaredFlag, globalFlags, globalGroups, valueWord } from '../line/flags.js';
import type { Vocabulary } from '../line/vocabulary.js';
import { EXIT_MEANINGS, exitCodesOf, exitRows, EXIT_WORDS, isExtraCode } from './exit-codes.js';
import type { HelpPage, HelpSection } from './layout.js';

const CHOICES_MAX = 30;
const SUMMARY_CHOICES_MAX = 12;

type NamedFlag = readonly [name: string, flag: DeclaredFlag];

const MORE_HELP: readonly [string, string] = ['Global flags and exit codes', 'svc help flags'];

const VARIABLES: readonly (readonly [string, string])[] = [
  ['SVC_PROFILE', 'As --profile'],
  ['SVC_ENV', 'live or sandbox, as --live or --sandbox'],
  ['SVC_BASE_URL', 'As --base-url'],
  ['SVC_API_KEY', 'The key; SVC_API_KEY_FILE names a file with it'],
  ['SVC_OUTPUT', 'As --output, where a command has that format'],
  ['SVC_STATE', 'As --state-url'],
  ['SVC_WEBHOOK_SECRET', 'The signing secret of webhooks'],
  ['SVC_HOME', 'A folder for all files of svc'],
  ['NO_COLOR', 'As --no-color'],
];

export function rootPage(entries: readonly CommandEntry[], version: string): HelpPage {
  const summaries = new Map(entries.map(([id, { summary = '' }]) => [id, summary]));
  return [
    textSection(`svc ${version}: collections and payouts from the command line`),
    ...FIRST_COMMANDS.map(([title, ids]) => {
      const pairs = ids.map((id): [string, string] => [`svc ${id}`, summaries.get(id) ?? '']);
      return rowsSection(title, pairs);
    }),
    textSection('With nothing configured, svc uses its embedded sandbox: no account, no server, no key.'),
    factsSection([['All commands', 'svc help all'], ['One command', 'svc payouts create --help'], MORE_HELP]),
  ];
}

export function allCommandsPage(entries: readonly CommandEntry[], { topics }: Vocabulary): HelpPage {
  const pairs = entries.map(([id, { summary = '' }]): [string, string] => [`svc ${id}`, summary]);
  const oneWordPairs = pairs.filter(([line]) => !line.includes(' ', 'svc '.length));
  const groups = [...topics.keys()].map((topic) => {
    const topicPairs = pairs.filter(([line]) => line.startsWith(`svc ${topic} `));
    return rowsSection(topic.toUpperCase(), topicPairs);
  });
  return [
    textSection('All commands of svc.'),
    ...groups,
    rowsSection('OTHER COMMANDS', oneWordPairs),
    factsSection([MORE_HELP]),
  ];
}

export function flagsPage(): HelpPage {
  const flags = Object.entries(globalFlags);
  return [
    textSection('Flags of every command. They may stand before or after its name.'),
    ...globalGroups.map(([title, names]) => {
      const groupFlags = flags.filter(([name]) => names.includes(name));
      return rowsSection(title, flagRows(groupFlags, true));
    }),
    textSection('A command refuses a flag of WHERE that it does not use.'),
    rowsSection('VARIABLES', VARIABLES),
    textSection('A flag counts before its variable, and a variable before the profile.'),
    rowsSection('EXIT CODES', exitRows(Object.keys(EXIT_MEANINGS).map(Number))),
  ];
}

export function topicPage(topic: string, entries: readonly CommandEntry[], { topics }: Vocabulary): HelpPage {
  const [[firstCommand] = ['']] = entries;
  const pairs = entries.map(([id, command]): [string, string] => [`svc ${id}`, command.summary ?? '']);
  return [
    textSection(`${topics.get(topic) ?? topic}.`),
    rowsSection('COMMANDS', pairs),
    factsSection([['One command', `svc ${firstCommand} --help`], MORE_HELP]),
  ];
}

export function commandPage([id, command]: CommandEntry): HelpPage {
  const args = Object.entries(command.args).map(([name, arg]): [string, string] => [
    arg.options?.length === 1 ? String(arg.options[0]) : name.toUpperCase(),
    arg.description ?? '',
  ]);
  const codes = exitCodesOf(command)
    .filter(isExtraCode)
    .map((code) => `${code} ${EXIT_WORDS[code] ?? ''}`);
  const endpointRow = command.endpoint === null ? null : endpoint(command.endpoint);
  const endpointPieces =
    endpointRow === null
      ? []
      : [`${endpointRow.method} ${endpointRow.path}`, `scope ${endpointRow.scope ?? 'of any key'}`];
  const tables = [...(args.length === 0 ? [] : [rowsSection('ARGUMENTS', args)]), ...flagSections(command)];
  return [
    textSection(command.summary ?? ''),
    withoutGap(textSection(command.description ?? '')),
    { kind: 'commands', title: 'USAGE', commands: [{ type: usageLine(id, command) }] },
    withoutGap({ kind: 'commands', title: 'EXAMPLES', commands: command.examples.map((type) => ({ type })) }),
    ...tables.map((table, at) => (at === 0 ? table : withoutGap(table))),
    withoutGap(factsSection([['Endpoint', ...endpointPieces], ['Exit codes', ...codes], MORE_HELP])),
  ];
}

function withoutGap(section: HelpSection): HelpSection {
  return { ...section, joined: true };
}

function textSection(words: string): HelpSection {
  return { kind: 'text', text: words };
}

function rowsSection(title: string, pairs: readonly (readonly [string, string])[]): HelpSection {
  return { kind: 'rows', title, rows: pairs };
}

function factsSection(
  labelledPieces: readonly (readonly [label: string, ...pieces: string[]])[],
): HelpSection {
  const filledFacts = labelledPieces.filter(([, ...pieces]) => pieces.length > 0);
  return { kind: 'facts', facts: filledFacts.map(([label, ...pieces]) => ({ label, pieces })) };
}

function flagSections(command: SvcCommandClass): HelpSection[] {
  const ownFlags = Object.entries(command.flags);
  const summaries = command.globalSummaries as Readonly<Record<string, string>>;
  const namedGlobals = Object.entries(command.baseFlags)
    .filter(([name]) => (command.namesGlobal as readonly string[]).includes(name))
    .map(([name, flag]): NamedFlag => {
      const summary = summaries[name] ?? flag.summary;
      return [name, { ...flag, summary, helpGroup: SAFETY_HEADING }];
    });
  const isGrouped = ownFlags.some(([, { helpGroup }]) => helpGroup !== undefined);
  const groups = new Map<string, NamedFlag[]>();
  for (const [name, flag] of [...ownFlags, ...namedGlobals]) {
    const title = isGrouped ? (flag.helpGroup ?? OTHER_FLAGS_HEADING) : 'FLAGS';
    groups.set(title, [...(groups.get(title) ?? []), [name, flag]]);
  }
  const hasLetters = [...groups.values()].some((flags) => flags.some(([, { char }]) => char !== undefined));
  return [...groups].map(([title, flags]) => rowsSection(title, flagRows(flags, hasLetters)));
}

const SAFETY_HEADING = 'SAFETY';
const OTHER_FLAGS_HEADING = 'OTHER FLAGS';

function usageLine(id: string, command: SvcCommandClass): string {
  const argumentNames = Object.entries(command.args).map(([name, { required }]) =>
    required === true ? name.toUpperCase() : `[${name.toUpperCase()}]`,
  );
  const args = command.typedArguments === null ? argumentNames : [command.typedArguments];
  const ownFlags = Object.entries(command.flags);
  const allFlags = [...ownFlags, ...Object.entries(command.baseFlags)];
  const neededFlags = allFlags.filter(
    ([name, { required }]) => required === true || command.needs.includes(name),
  );
  const words = neededFlags.map(([name, flag]) => `--${name}${valueSuffix(name, flag)}`);
  const hasMoreFlags = ownFlags.some(([name]) => !neededFlags.some(([neededName]) => neededName === name));
  const flagsMark = hasMoreFlags && !args.join(' ').includes('[flags]') ? ['[flags]'] : [];
  return ['svc', id, ...args, ...words, ...flagsMark].join(' ');
}

function flagRows(flags: readonly NamedFlag[], hasLetters: boolean): [string, string][] {
  return flags.map(([name, flag]) => {
    const { char, options = [], summary = '', default: defaultValue } = flag;
    const letterGap = hasLetters ? '    ' : '';
    const letterText = char === undefined ? letterGap : `-${char}, `;
    const areChoicesListed = options.join('|').length > CHOICES_MAX && options.length <= SUMMARY_CHOICES_MAX;
    const choices = areChoicesListed ? `: ${options.join(', ')}` : '';
    const isDefaultShown = typeof defaultValue === 'string' && !summary.includes('[default');
    return [
      `${letterText}--${name}${valueSuffix(name, flag)}`,
      `${summary}${choices}${isDefaultShown ? ` [default: ${defaultValue}]` : ''}`,
    ];
  });
}

function valueSuffix(name: string, flag: DeclaredFlag): string {
  if (flag.type === 'boolean') return '';
  const choices = flag.options?.join('|') ?? '';
  if (choices !== '' && choices.length <= CHOICES_MAX) return ` ${choices}`;
  return ` ${valueWord(name, flag)}`;
}

export const FIRST_COMMANDS: readonly (readonly [title: string, ids: readonly string[]])[] = [
  ['MONEY', ['payins create', 'payins confirm', 'payouts create', 'payouts batch', 'balances']],
  ['WHAT HAPPENED', ['operations find', 'events tail', 'batches status', 'reconcile']],
  ['SET-UP', ['profiles add', 'doctor', 'sandbox start']],
];
