/** The words of a command line: which begin it, as data from which the line, help and completion read them; and which was meant. Pure. */

/** A first word of commands. */
export interface NounEntry {
  /** It works everywhere too; null where the noun has none. */
  readonly singular: string | null;
  /** What its commands are about, in one line; null where it is a command itself. */
  readonly about: string | null;
  /** How each command is loaded, by its verb; a noun that is a command itself has one without a verb. */
  readonly commands: Readonly<Record<string, () => unknown>>;
  readonly aliases: Readonly<Record<string, string>>;
}

/** What people type out of habit, and the command that does it here. */
export interface Habit {
  readonly id: string;
  /** A sentence before the command, where that surprises: the API has no such thing. */
  readonly why?: string;
  /** Flags that make it just that. */
  readonly flags?: string;
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

/** The command nearest to what was typed, where it is near enough to be meant: behind a noun of ours by its verb alone, without one the only command of that verb. */
export function suggestion(typed: string, ids: readonly string[]): string | null {
  const [noun = '', verb] = typed.split(' ');
  const own = ids.filter((id) => id.startsWith(`${noun} `)).map((id) => id.slice(noun.length + 1));
  if (verb !== undefined && own.length > 0) {
    const meant = nearest(verb, own);
    return meant === null ? null : idOf(noun, meant);
  }
  const [only, ...others] = ids.filter((id) => id.endsWith(` ${noun}`));
  if (only !== undefined && others.length === 0) return only;
  const topics = ids.map((id) => id.split(' ')[0] ?? id);
  return nearest(typed, [...new Set([...ids, ...topics])]);
}

/** The only one that goes on where the typed text ends, else the one with the fewest letters wrong where those are few. */
export function nearest(typed: string, candidates: readonly string[]): string | null {
  const longer = candidates.filter((candidate) => candidate.startsWith(typed));
  if (longer.length === 1) return longer[0] ?? null;
  const ranked = candidates
    .map((text) => ({ text, distance: distance(typed, text) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  if (best === undefined) return null;
  const { length } = best.text;
  // Two wrong letters of four make another word, such as "list" and "live".
  const slipsMax = length <= 4 ? 1 : Math.max(2, Math.floor(length / 4));
  // With every letter wrong nothing of it was typed.
  return best.distance <= slipsMax && best.distance < length ? best.text : null;
}

/** Edit distance between two short texts; two neighbours that changed places are one slip. */
function distance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, left] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, right] of Array.from(b).entries()) {
      const isSwapped = i > 0 && j > 0 && left === b[j - 1] && a[i - 1] === right;
      next.push(
        Math.min(
          (row[j + 1] ?? 0) + 1,
          (next[j] ?? 0) + 1,
          (row[j] ?? 0) + (left === right ? 0 : 1),
          isSwapped ? (before[j - 1] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
