/** Describes the command line for completion: commands, their flags, and the kind of each value. Pure. */
import type { CommandEntry } from '../command.js';
import { HELP_PAGES } from '../line/argv.js';
import {
  type DeclaredArgument,
  type DeclaredFlag,
  globalFlags,
  PLACE_FLAGS,
  type ValueKind,
} from '../line/flags.js';
import type { Vocabulary } from '../line/vocabulary.js';

/** The kind of a flag's value or of an argument: a declared kind, a list of choices, or `none` for any text. */
export type Offer = ValueKind | 'none' | readonly string[];

export interface Candidate {
  readonly value: string;
  readonly label: string;
}

/** Kinds of ids and names in the stores of this machine; `pending` means operations that are not final. */
export type StoredKind =
  'batches' | 'operations' | 'payins' | 'payouts' | 'pending-payins' | 'pending-payouts';

/** Values from the cached catalog and the settings of this machine. */
export interface KnownValues {
  readonly country: readonly Candidate[];
  readonly currency: readonly Candidate[];
  readonly method: readonly Candidate[];
  readonly 'payin-method': readonly Candidate[];
  readonly 'payout-method': readonly Candidate[];
  readonly 'payin-rows-method': readonly Candidate[];
  readonly profile: readonly Candidate[];
  /** Paths inside `payer` for pay-ins, inside `beneficiary` for payouts. */
  readonly 'payin-field': readonly Candidate[];
  readonly 'payout-field': readonly Candidate[];
  /** Codes of banks, which are offered after `bank_code=`. */
  readonly bank: readonly Candidate[];
}

export interface FlagSpec {
  /** The spellings with dashes: `--amount`, `-o`. */
  readonly names: readonly string[];
  readonly summary: string;
  readonly takes: Offer | null;
}

export interface CommandSpec {
  readonly id: string;
  readonly summary: string;
  readonly flags: readonly FlagSpec[];
  readonly argument: Offer;
}

export interface LineSpec {
  readonly commands: readonly CommandSpec[];
  readonly globals: readonly FlagSpec[];
  readonly places: readonly FlagSpec[];
  /** The words that may follow each beginning of a command line. The empty beginning is `svc` itself. */
  readonly words: ReadonlyMap<string, readonly Candidate[]>;
  readonly plurals: ReadonlyMap<string, string>;
  readonly values: KnownValues;
}

export function specOf(
  entries: readonly CommandEntry[],
  { topics, plurals }: Vocabulary,
  values: KnownValues,
): LineSpec {
  const globalSpecs = flagsOf(globalFlags);
  const isPlace = ({ names: [name = ''] }: FlagSpec): boolean =>
    PLACE_FLAGS.some((one) => `--${one}` === name);
  const places = globalSpecs.filter(isPlace);
  const commands = entries.map(([id, command]) => ({
    id,
    summary: command.summary ?? '',
    flags: [
      ...flagsOf(command.flags),
      ...places.filter(({ names: [name = ''] }) => command.heeds.some((one) => `--${one}` === name)),
    ],
    argument: kindOf(Object.values(command.args)[0]),
  }));
  const help = { names: ['--help'], summary: 'Show help.', takes: null };
  const globals = [...globalSpecs.filter((flag) => !isPlace(flag)), help];
  return { commands, globals, places, words: wordsOf(commands, topics), plurals, values };
}

function flagsOf(flags: Readonly<Record<string, DeclaredFlag>>): FlagSpec[] {
  return Object.entries(flags).map(([name, flag]) => ({
    names: [`--${name}`, ...(flag.char === undefined ? [] : [`-${flag.char}`])],
    summary: flag.summary ?? '',
    takes: flag.type === 'boolean' ? null : kindOf(flag),
  }));
}

function kindOf({ options, offered, takes: taken }: DeclaredArgument = {}): Offer {
  return offered ?? options ?? taken ?? 'none';
}

function wordsOf(commands: readonly CommandSpec[], topics: Vocabulary['topics']): LineSpec['words'] {
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
  // "svc help" takes the words of every command, and the names of help pages that are no commands.
  const firstWords = words.get('') ?? [];
  const pages = HELP_PAGES.map((value) => ({ value, label: '' }));
  const helpWords = [...words].map(([path, list]): [string, Candidate[]] => [`help ${path}`.trimEnd(), list]);
  return new Map([
    ...words,
    ...helpWords,
    ['', [...firstWords, { value: 'help', label: 'Help of a command' }]],
    ['help', [...firstWords, ...pages]],
  ]);
}
