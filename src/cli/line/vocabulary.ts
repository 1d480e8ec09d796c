/** The words that begin a command line, as data: the registry says them, and the line, help and completion read them. Pure. */

/** A first word of commands. */
export interface NounEntry {
  /** It works everywhere too; null where the noun has none. */
  readonly singular: string | null;
  /** What its commands are about, in one line; null where it is a command itself. */
  readonly about: string | null;
  /** How each command is loaded, by its verb; a noun that is a command itself has one without a verb. */
  readonly commands: Readonly<Record<string, () => unknown>>;
  /** Other spellings of verbs. */
  readonly aliases: Readonly<Record<string, string>>;
}

/** What people type out of habit, and mean this command. */
export interface Habit {
  readonly id: string;
  /** Why it has another name here, where that surprises. */
  readonly why?: string;
}

/** Words of a command are separated by one space. */
export interface Vocabulary {
  readonly ids: readonly string[];
  /** The noun behind each singular. */
  readonly plurals: ReadonlyMap<string, string>;
  /** What each noun with several commands is about, in one line. */
  readonly topics: ReadonlyMap<string, string>;
  /** Other spellings, command to command. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly habits: ReadonlyMap<string, Habit>;
}

export function vocabularyOf(
  nouns: Readonly<Record<string, NounEntry>>,
  habits: Readonly<Record<string, Habit>>,
): Vocabulary {
  const vocabulary = {
    ids: [] as string[],
    plurals: new Map<string, string>(),
    topics: new Map<string, string>(),
    aliases: new Map<string, string>(),
    habits: new Map(Object.entries(habits)),
  };
  for (const [noun, { singular, about, commands, aliases }] of Object.entries(nouns)) {
    if (singular !== null) vocabulary.plurals.set(singular, noun);
    if (about !== null) vocabulary.topics.set(noun, about);
    for (const verb of Object.keys(commands)) vocabulary.ids.push(idOf(noun, verb));
    for (const [alias, verb] of Object.entries(aliases))
      vocabulary.aliases.set(idOf(noun, alias), idOf(noun, verb));
  }
  return vocabulary;
}

/** The id of a command: its noun, and its verb where it has one. */
export function idOf(noun: string, verb: string): string {
  return verb === '' ? noun : `${noun} ${verb}`;
}
