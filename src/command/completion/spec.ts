import type { CommandEntry } from '../command.js';
import { HELP_PAGES } from '../line/argv.js';
import { globalFlags, PLACE_FLAGS } from '../line/flags.js';
import type { DeclaredArgument, DeclaredFlag, ValueKind } from '../line/flags.js';
import type { Vocabulary } from '../line/vocabulary.js';

export type OfferKind = ValueKind | 'none' | readonly string[];

export type Candidate = Readonly<Record<'value' | 'label', string>>;

export type StoredKind =
  'batches' | 'operations' | 'payins' | 'payouts' | 'pending-payins' | 'pending-payouts';

type KnownKind = Exclude<ValueKind, 'file' | 'operation' | 'batch'> | 'bank';

export type KnownValues = Readonly<Record<KnownKind, readonly Candidate[]>>;

export interface FlagSpec {
  readonly names: readonly string[];
  readonly summary: string;
  readonly takes: OfferKind | null;
}

export interface CommandSpec {
  readonly id: string;
  readonly summary: string;
  readonly flags: readonly FlagSpec[];
  readonly argument: OfferKind;
}

export type LineSpec = ReturnType<typeof specOf>;

export function specOf(
  entries: readonly CommandEntry[],
  { topics, plurals }: Vocabulary,
  values: KnownValues,
) {
  const globalSpecs = flagsOf(globalFlags);
  const isPlaceFlag = ({ names: [name = ''] }: FlagSpec): boolean =>
    PLACE_FLAGS.some((flagName) => `--${flagName}` === name);
  const placeFlags = globalSpecs.filter(isPlaceFlag);
  const commands = entries.map(([id, command]) => ({
    id,
    summary: command.summary ?? '',
    flags: [
      ...flagsOf(command.flags),
      ...placeFlags.filter(({ names: [name = ''] }) =>
        command.heeds.some((flagName) => `--${flagName}` === name),
      ),
    ],
    argument: kindOf(Object.values(command.args)[0]),
  }));
  const help = { names: ['--help'], summary: 'Show help.', takes: null };
  const globals = [...globalSpecs.filter((flag) => !isPlaceFlag(flag)), help];
  return { commands, globals, placeFlags, words: wordsOf(commands, topics), plurals, values };
}

function flagsOf(flags: Readonly<Record<string, DeclaredFlag>>): FlagSpec[] {
  return Object.entries(flags).map(([name, flag]) => ({
    names: [`--${name}`, ...(flag.char === undefined ? [] : [`-${flag.char}`])],
    summary: flag.summary ?? '',
    takes: flag.type === 'boolean' ? null : kindOf(flag),
  }));
}

function kindOf({ options, offered, takes: takenKind }: DeclaredArgument = {}): OfferKind {
  return offered ?? options ?? takenKind ?? 'none';
}

function wordsOf(commands: readonly CommandSpec[], topics: Vocabulary['topics']) {
  const words = new Map<string, Candidate[]>();
  for (const { id, summary } of commands) {
    const path = id.split(' ');
    path.forEach((word, at) => {
      const prefix = path.slice(0, at).join(' ');
      const followingWords = words.get(prefix) ?? [];
      const label = at === path.length - 1 ? summary : (topics.get(word) ?? '');
      if (!followingWords.some(({ value }) => value === word))
        words.set(prefix, [...followingWords, { value: word, label }]);
    });
  }
  const firstWords = words.get('') ?? [];
  const pages = HELP_PAGES.map((value) => ({ value, label: '' }));
  const helpWords = [...words].map(([path, list]): [string, Candidate[]] => [`help ${path}`.trimEnd(), list]);
  return new Map<string, readonly Candidate[]>([
    ...words,
    ...helpWords,
    ['', [...firstWords, { value: 'help', label: 'Help of a command' }]],
    ['help', [...firstWords, ...pages]],
  ]);
}
