/** How the registry is written: a noun and its commands, and what follows from all of them. */
import type { SvcCommandClass } from '../cli/command.js';
import { idOf, type NounEntry } from '../cli/line/vocabulary.js';

export type Loader = () => Promise<{ default: SvcCommandClass }>;

/**
 * A noun with several commands.
 * @param about one line of help
 * @param commands by their verbs
 * @param aliases other spellings of verbs
 */
export function topic<S extends string | null, C extends Readonly<Record<string, Loader>>>(
  singular: S,
  about: string,
  commands: C,
  aliases: Readonly<Record<string, keyof C & string>> = {},
) {
  return { singular, about, commands, aliases };
}

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
  const loader =
    (verb: V): Loader =>
    async () => ({ default: (await load())[verb] });
  const commands = Object.fromEntries(verbs.map((verb) => [verb, loader(verb)])) as Readonly<
    Record<V, Loader>
  >;
  return { singular, about, commands, aliases };
}

/** A noun that is a command itself. */
export function alone<S extends string | null>(singular: S, load: () => Promise<SvcCommandClass>) {
  const loader: Loader = async () => ({ default: await load() });
  return { singular, about: null, commands: { '': loader }, aliases: {} };
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
