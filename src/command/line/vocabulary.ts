export interface NounEntry {
  readonly singular: string | null;
  readonly about: string | null;
  /** The keys are verbs. The key is empty for a noun that is a command itself. */
  readonly commands: Readonly<Record<string, () => unknown>>;
  readonly aliases: Readonly<Record<string, string>>;
}

export interface Habit {
  readonly id: string;
  readonly why?: string;
  readonly flags?: string;
}

export interface Vocabulary {
  readonly ids: readonly string[];
  readonly plurals: ReadonlyMap<string, string>;
  readonly topics: ReadonlyMap<string, string>;
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
    for (const verb of Object.keys(commands)) vocabulary.ids.push(commandId(noun, verb));
    for (const [alias, verb] of Object.entries(aliases))
      vocabulary.aliases.set(commandId(noun, alias), commandId(noun, verb));
  }
  return vocabulary;
}

export function commandId(noun: string, verb: string): string {
  return verb === '' ? noun : `${noun} ${verb}`;
}

export function suggestion(typed: string, ids: readonly string[]): string | null {
  const [noun = '', verb] = typed.split(' ');
  const verbs = ids.filter((id) => id.startsWith(`${noun} `)).map((id) => id.slice(noun.length + 1));
  if (verb !== undefined && verbs.length > 0) {
    const suggestedVerb = nearest(verb, verbs);
    return suggestedVerb === null ? null : commandId(noun, suggestedVerb);
  }
  const [onlyCommand, ...otherCommands] = ids.filter((id) => id.endsWith(` ${noun}`));
  if (onlyCommand !== undefined && otherCommands.length === 0) return onlyCommand;
  const topics = ids.map((id) => id.split(' ')[0] ?? id);
  return nearest(typed, [...new Set([...ids, ...topics])]);
}

export function nearest(typed: string, candidates: readonly string[]): string | null {
  const completions = candidates.filter((candidate) => candidate.startsWith(typed));
  if (completions.length === 1) return completions[0] ?? null;
  const rankedTexts = candidates
    .map((text) => ({ text, distance: distance(typed, text) }))
    .sort((a, b) => a.distance - b.distance);
  const [nearestCandidate] = rankedTexts;
  if (nearestCandidate === undefined) return null;
  const { length } = nearestCandidate.text;
  // Two wrong letters of four make another word, such as "live" for "list".
  const slipsMax = length <= 4 ? 1 : Math.max(2, Math.floor(length / 4));
  return nearestCandidate.distance <= slipsMax && nearestCandidate.distance < length
    ? nearestCandidate.text
    : null;
}

function distance(a: string, b: string): number {
  let previousRow: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letterA] of Array.from(a).entries()) {
    const nextRow = [i + 1];
    for (const [j, letterB] of Array.from(b).entries()) {
      const isSwapped = i > 0 && j > 0 && letterA === b[j - 1] && a[i - 1] === letterB;
      nextRow.push(
        Math.min(
          (row[j + 1] ?? 0) + 1,
          (nextRow[j] ?? 0) + 1,
          (row[j] ?? 0) + (letterA === letterB ? 0 : 1),
          isSwapped ? (previousRow[j - 1] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [previousRow, row] = [row, nextRow];
  }
  return row[b.length] ?? 0;
}
