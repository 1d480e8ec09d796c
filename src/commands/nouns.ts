/** How the registry is written: a noun and its commands, and what follows from all of them. */
import type { SvcCommandClass } from '../cli/command.js';
import { idOf, type NounEntry } from '../cli/line/vocabulary.js';

export type Loader = () => Promise<SvcCommandClass>;

/**
 * A noun whose commands are in one file, which is loaded for any of them.
 * @param about one line of help
 * @param aliases other spellings of verbs
 */
export function noun<S extends string | null, const V extends string>(
  singular: S,
  about: string,
  verbs: readonly V[],
  load: () => Promise<Readonly<Record<V, SvcCommandClass>>>,
  aliases: Readonly<Record<string, V>> = {},
) {
  const loaders = verbs.map((verb) => [verb, async () => (await load())[verb]] as const);
  const commands = Object.fromEntries(loaders) as Readonly<Record<V, Loader>>;
  return { singular, about, commands, aliases };
}

/** A noun that is a command itself. */
export function alone<S extends string | null>(singular: S, load: Loader) {
  return { singular, about: null, commands: { '': load }, aliases: {} };
}

/** The ids of all commands. */
export type IdOf<Nouns extends Readonly<Record<string, NounEntry>>> = {
  [N in keyof Nouns & string]: IdIn<N, Nouns[N]['commands']>;
}[keyof Nouns & string];

type IdIn<N extends string, C> = {
  [V in keyof C & string]: V extends '' ? N : `${N} ${V}`;
}[keyof C & string];

/** Every command by its id. */
export function loadersOf<Nouns extends Readonly<Record<string, NounEntry>>>(
  nouns: Nouns,
): Readonly<Record<IdOf<Nouns>, Loader>> {
  const loaders = Object.entries(nouns).flatMap(([noun, { commands }]) =>
    Object.entries(commands).map(([verb, load]) => [idOf(noun, verb), load]),
  );
  return Object.fromEntries(loaders) as Readonly<Record<IdOf<Nouns>, Loader>>;
}
